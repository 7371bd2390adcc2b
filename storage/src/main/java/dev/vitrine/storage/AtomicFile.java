package dev.vitrine.storage;

import dev.vitrine.seam.Disk;
import dev.vitrine.seam.DiskFile;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** Small files that are replaced as a whole: after a power cut there is the old text or the new. */
public final class AtomicFile {
  private AtomicFile() {}

  /** Durable when it returns. Blocks for the syncs: never on a shard that serves requests. */
  public static void write(Disk disk, Path path, String text) {
    write(disk, path, text, true);
    disk.syncDirectory(path.toAbsolutePath().getParent());
  }

  /** Whole for whoever looks, but not durable. */
  static void writeUnsynced(Disk disk, Path path, String text) {
    write(disk, path, text, false);
  }

  private static void write(Disk disk, Path path, String text, boolean sync) {
    Path tmp = path.resolveSibling(path.getFileName() + ".tmp");
    // What an earlier attempt left would stay behind a shorter text.
    disk.delete(tmp);
    DiskFile file = disk.open(tmp);
    try {
      file.append(Unpooled.copiedBuffer(text, StandardCharsets.UTF_8));
      if (sync) {
        file.sync();
      }
    } finally {
      file.release();
    }
    disk.rename(tmp, path);
  }

  /** The whole file as text; null if there is none. */
  public static String read(Disk disk, Path path) {
    if (!disk.exists(path)) {
      return null;
    }
    DiskFile file = disk.openForRead(path);
    try {
      ByteBuf bytes = Unpooled.buffer((int) file.size());
      file.read(0, (int) file.size(), bytes);
      return bytes.toString(StandardCharsets.UTF_8);
    } finally {
      file.release();
    }
  }
}
