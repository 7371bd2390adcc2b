package dev.vitrine.storage.powercut;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Collection;
import java.util.Map;

/**
 * The open ledger of a running node: what may be told as durable stands in it before it is told. It
 * is not synced itself, for the process dies and not the system. Written anew when it has grown
 * well beyond what it says. Used under the lock of its disk.
 */
final class Ledger {
  private final LedgerFolder folder;
  private FileChannel channel;
  private long size;
  private long rewriteAt;

  Ledger(LedgerFolder folder) {
    this.folder = folder;
  }

  void append(String line) throws IOException {
    byte[] bytes = line.getBytes(StandardCharsets.UTF_8);
    try {
      folder.write(channel, ByteBuffer.wrap(bytes));
    } catch (IOException e) {
      // A part of a line must not stand in the midst of others.
      channel.truncate(size);
      throw e;
    }
    size += bytes.length;
  }

  boolean hasGrown() {
    return size > rewriteAt;
  }

  /** Replaces all lines by those that say the same in the fewest. */
  void rewrite(Map<Path, TrackedFolder> roots, Collection<? extends Tracked> known)
      throws IOException {
    folder.delete(folder.fresh());
    FileChannel fresh = folder.openToAppend(folder.fresh());
    try {
      String text = text(roots, known);
      byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
      folder.write(fresh, ByteBuffer.wrap(bytes));
      folder.rename(folder.fresh(), folder.ledger());
      size = bytes.length;
      rewriteAt = 2 * size + folder.mostGrowth();
    } catch (IOException e) {
      fresh.close();
      throw e;
    }
    close();
    channel = fresh;
  }

  private static String text(Map<Path, TrackedFolder> roots, Collection<? extends Tracked> known) {
    StringBuilder text = new StringBuilder(LedgerText.version());
    roots.forEach((path, root) -> text.append(LedgerText.root(root, path)));
    for (Tracked t : known) {
      if (t instanceof TrackedFile f) {
        text.append(f.epoch > 0 ? LedgerText.synced(f) : "");
      } else {
        TrackedFolder d = (TrackedFolder) t;
        text.append(d.durable.isEmpty() ? "" : LedgerText.names(d, d.durable));
        d.written = !d.durable.isEmpty() || d.written;
      }
    }
    return text.toString();
  }

  void close() throws IOException {
    if (channel != null) {
      channel.close();
    }
  }
}
