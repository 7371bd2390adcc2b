package dev.vitrine.storage.powercut;

import dev.vitrine.protocol.record.BatchHeader;
import dev.vitrine.protocol.record.RecordBatch;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Up to where the logs of a dead node go: the end of the last whole batch of the last segment, as
 * recovery will find it. Reads only.
 */
final class LogEnds {
  private static final Pattern PARTITION = Pattern.compile(".+-\\d+");
  private static final Pattern SEGMENT = Pattern.compile("(\\d{20})\\.log");

  private LogEnds() {}

  /**
   * @param damaged whether there may be batches that are whole but wrong
   */
  static void read(Iterable<Path> roots, boolean damaged, Map<String, Long> ends)
      throws IOException {
    for (Path root : roots) {
      for (Path dir : LedgerFolder.list(root)) {
        String name = dir.getFileName().toString();
        if (Files.isDirectory(dir) && PARTITION.matcher(name).matches()) {
          ends.put(name, end(dir, damaged));
        }
      }
    }
  }

  private static long end(Path dir, boolean damaged) throws IOException {
    long end = -1;
    for (Path file : LedgerFolder.list(dir)) {
      Matcher m = SEGMENT.matcher(file.getFileName().toString());
      if (m.matches()) {
        long base = Long.parseLong(m.group(1));
        if (end >= 0 && base > end) {
          // Behind a gap: recovery drops it.
          break;
        }
        end = endOf(file, base, damaged);
      }
    }
    return Math.max(0, end);
  }

  private static long endOf(Path file, long base, boolean damaged) throws IOException {
    long end = base;
    try (FileChannel in = FileChannel.open(file, StandardOpenOption.READ)) {
      ByteBuffer header = ByteBuffer.allocate(BatchHeader.SIZE);
      for (long at = 0; at + BatchHeader.SIZE <= in.size(); ) {
        header.clear();
        readAll(in, header, at);
        RecordBatch batch = new RecordBatch().wrap(Unpooled.wrappedBuffer(header.array()), 0);
        int length = batch.sizeInBytes();
        if (length < BatchHeader.SIZE
            || batch.magic() != BatchHeader.MAGIC_V2
            || length > in.size() - at
            || damaged && !isWhole(in, at, length)) {
          break;
        }
        end = batch.lastOffset() + 1;
        at += length;
      }
    }
    return end;
  }

  private static boolean isWhole(FileChannel in, long at, int length) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(length);
    readAll(in, bytes, at);
    ByteBuf batch = Unpooled.wrappedBuffer(bytes.array());
    return new RecordBatch().wrap(batch, 0).isValid();
  }

  private static void readAll(FileChannel in, ByteBuffer into, long at) throws IOException {
    while (into.hasRemaining()) {
      if (in.read(into, at + into.position()) < 0) {
        throw new IOException("shorter than it was");
      }
    }
  }
}
