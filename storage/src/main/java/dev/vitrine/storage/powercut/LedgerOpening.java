package dev.vitrine.storage.powercut;

import dev.vitrine.seam.DiskFile;
import dev.vitrine.storage.NioDisk;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How a process comes to know what is durable: from the ledger of the one before it or, where there
 * is none or it does not fit the files, by making everything so. Used once, before there is a disk.
 */
final class LedgerOpening {
  private static final Logger LOG = LoggerFactory.getLogger(LedgerOpening.class);

  private final LedgerFolder folder;
  private final List<Path> paths;
  private final NioDisk real = new NioDisk();

  /**
   * @param paths the roots, absolute
   */
  LedgerOpening(LedgerFolder folder, List<Path> paths) {
    this.folder = folder;
    this.paths = paths;
  }

  /**
   * @throws IOException if the ledger cannot be written, or a power cut of this node has been
   *     interrupted
   */
  Durable open() throws IOException {
    if (Files.exists(folder.marker())) {
      throw new IOException(
          "a power cut of this node was interrupted ("
              + folder.marker()
              + "): `vitrine power-cut` finishes it");
    }
    folder.create();
    for (Path path : paths) {
      Files.createDirectories(path);
    }
    try {
      Durable durable = takenOver();
      durable.rewrite();
      return durable;
    } catch (LedgerException e) {
      throw new IOException(e.getMessage(), e);
    }
  }

  private Durable takenOver() throws IOException, LedgerException {
    Durable durable = new Durable(folder);
    try {
      durable.names().takeOver(LedgerText.read(folder), paths);
      return durable;
    } catch (LedgerException e) {
      if (Files.exists(folder.ledger())) {
        LOG.warn("The ledger of power cuts is of no use, and begins anew: {}", e.getMessage());
      }
      return anew();
    }
  }

  /** Syncs all that is there, and counts it as synced. */
  private Durable anew() throws IOException, LedgerException {
    Durable durable = new Durable(folder);
    Names names = durable.names();
    folder.delete(folder.ledger());
    folder.deleteAll(folder.kept());
    folder.deleteAll(folder.undo());
    folder.create();
    for (Path path : paths) {
      syncAll(path);
      names.adopt(path);
    }
    for (Tracked t : names.known().values()) {
      if (t instanceof TrackedFile f) {
        f.epoch = 1;
      }
    }
    for (Path path : paths) {
      sizes(path, names.roots().get(path));
    }
    return durable;
  }

  private void syncAll(Path path) throws IOException {
    if (Files.isDirectory(path)) {
      for (Path entry : LedgerFolder.list(path)) {
        syncAll(entry);
      }
      real.syncDirectory(path);
    } else {
      DiskFile file = real.openForRead(path);
      file.sync();
      file.release();
    }
  }

  private static void sizes(Path path, TrackedFolder at) throws IOException {
    for (Map.Entry<String, Tracked> e : at.now.entrySet()) {
      Path entry = path.resolve(e.getKey());
      if (e.getValue() instanceof TrackedFile f) {
        f.synced = Files.size(entry);
        f.guarded = f.synced;
      } else {
        sizes(entry, (TrackedFolder) e.getValue());
      }
    }
  }
}
