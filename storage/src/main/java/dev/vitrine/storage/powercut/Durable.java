package dev.vitrine.storage.powercut;

import dev.vitrine.seam.DiskFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;

/**
 * What is durable of a disk, and the ledger that says so. Used under the disk's lock, but for
 * {@link #guard}, which takes that of the file.
 *
 * <p>The order of the steps is what makes the ledger right when the process dies between two of
 * them. Of what happens to files the ledger says nothing: the file system shows that. It says only
 * what is durable, after the system has made it so and before anyone is told; and nothing durable
 * is taken from a file or a folder before it is saved (a copy of the bytes, a hard link to the
 * file). What was saved goes only after the line that makes it needless. It must never throw away
 * what the ledger still counts on.
 */
final class Durable {
  private final LedgerFolder folder;
  private final Ledger ledger;
  private final Names names;

  Durable(LedgerFolder folder) {
    this.folder = folder;
    this.ledger = new Ledger(folder);
    this.names = new Names(folder);
  }

  Names names() {
    return names;
  }

  void step() {
    folder.steps().next();
  }

  /** Writes the ledger in the fewest lines. */
  void rewrite() throws IOException {
    ledger.rewrite(names.roots(), names.known().values());
  }

  /** Saves the durable bytes in this range, before they are changed. Holding the file's monitor. */
  void guard(TrackedFile tracked, DiskFile file, long from, long to) throws IOException {
    // What the handle takes for the size may be older than what another one wrote.
    long end = Math.min(Math.min(to, tracked.guarded), file.channel().size());
    if (from < end) {
      tracked.undone = true;
      UndoFile.save(folder, folder.undo(tracked), file.channel(), from, end);
    }
  }

  /** So many bytes of it are durable by now. */
  void noteSync(TrackedFile tracked, long length) throws IOException {
    Path undo = folder.undo(tracked);
    tracked.synced = length;
    tracked.epoch++;
    append(LedgerText.synced(tracked));
    if (tracked.undone) {
      folder.delete(undo);
      tracked.undone = false;
    }
  }

  private void append(String line) throws IOException {
    ledger.append(line);
    if (ledger.hasGrown()) {
      rewrite();
    }
  }

  /** What has to be done before a name is taken away. */
  void giveUp(Tracked t, Path name) throws IOException {
    if (t instanceof TrackedFile f && f.pins > 0) {
      folder.keep(f, name);
    } else if (t instanceof TrackedFile f && f.epoch > 0) {
      append(LedgerText.gone(f));
    } else if (t instanceof TrackedFolder d && (d.pins > 0 || d.written)) {
      append(LedgerText.gone(d));
      d.inode = 0;
    }
  }

  /** It has its name still. */
  void takeBack(Tracked t, Path name) throws IOException {
    if (t instanceof TrackedFolder d && d.inode == 0) {
      d.inode = LedgerFolder.inode(name);
      ledger.append(LedgerText.names(d, d.durable));
      for (Tracked child : d.durable.values()) {
        takeBack(child);
      }
    } else if (t != null) {
      takeBack(t);
    }
  }

  private void takeBack(Tracked t) throws IOException {
    if (t instanceof TrackedFile f && f.epoch > 0) {
      ledger.append(LedgerText.synced(f));
    }
  }

  /** What the names are now; from here on nothing of it is let go. */
  Map<String, Tracked> takeChanges(TrackedFolder d) {
    Map<String, Tracked> changes = new TreeMap<>();
    for (String name : d.changed) {
      Tracked t = d.now.get(name);
      if (t != d.durable.get(name)) {
        changes.put(name, t);
        if (t != null) {
          t.pins++;
        }
      }
    }
    d.changed.clear();
    return changes;
  }

  /** They could not be synced. */
  void giveBack(TrackedFolder d, Map<String, Tracked> changes) throws IOException {
    d.changed.addAll(changes.keySet());
    for (Tracked t : changes.values()) {
      if (t != null) {
        names.unpin(t);
      }
    }
  }

  /** They are durable by now. */
  void noteNames(TrackedFolder d, Map<String, Tracked> changes) throws IOException {
    d.written = true;
    ledger.append(LedgerText.names(d, changes));
    Map<String, Tracked> before = new TreeMap<>();
    changes.forEach(
        (name, t) -> {
          Tracked was = t == null ? d.durable.remove(name) : d.durable.put(name, t);
          if (was != null) {
            before.put(name, was);
          }
        });
    for (Tracked was : before.values()) {
      names.unpin(was);
    }
    if (ledger.hasGrown()) {
      rewrite();
    }
  }
}
