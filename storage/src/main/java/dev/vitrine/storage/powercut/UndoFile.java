package dev.vitrine.storage.powercut;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.zip.CRC32;

/**
 * What was in a file before it was changed in place, in the order of the changes: position and
 * length (8 and 4 bytes), a checksum of both and the bytes (4), the bytes. Written before the
 * change itself, so a last record that is not whole belongs to a change that never was.
 */
final class UndoFile {
  private static final int HEADER = 16;
  private static final int MOST = 1 << 20;

  private UndoFile() {}

  /** Saves what the file has from one position to another. */
  static void save(LedgerFolder folder, Path undo, FileChannel file, long from, long to)
      throws IOException {
    try (FileChannel out = folder.openToAppend(undo)) {

      for (long at = from; at < to; at += MOST) {
        int length = (int) Math.min(MOST, to - at);
        ByteBuffer record = ByteBuffer.allocate(HEADER + length);
        record.position(HEADER);
        while (record.hasRemaining() && file.read(record, at + record.position() - HEADER) >= 0) {}
        if (record.hasRemaining()) {
          throw new IOException(undo + ": the file is shorter than " + to + " bytes");
        }
        record.putLong(0, at).putInt(8, length);
        record.putInt(12, checksum(record));
        folder.write(out, record.flip());
      }
    }
  }

  private static int checksum(ByteBuffer record) {
    CRC32 crc = new CRC32();
    crc.update(record.duplicate().position(0).limit(12));
    crc.update(record.duplicate().position(HEADER).limit(HEADER + record.getInt(8)));
    return (int) crc.getValue();
  }

  /** Puts everything back, the newest first: what was saved first counts. May be done again. */
  static void apply(LedgerFolder folder, Path undo, FileChannel file)
      throws IOException, LedgerException {
    try (FileChannel in = FileChannel.open(undo, StandardOpenOption.READ)) {
      List<Long> records = new ArrayList<>();
      for (long at = 0; at < in.size(); ) {
        ByteBuffer record = record(in, at, undo);
        if (record == null) {
          break;
        }
        records.add(at);
        at += record.limit();
      }
      Collections.reverse(records);
      for (long at : records) {
        ByteBuffer record = record(in, at, undo);
        long position = record.getLong(0);
        folder.steps().next();
        record.position(HEADER);
        while (record.hasRemaining()) {
          file.write(record, position + record.position() - HEADER);
        }
      }
    }
  }

  /** Null for the begin of one at the end. */
  private static ByteBuffer record(FileChannel in, long at, Path undo)
      throws IOException, LedgerException {
    ByteBuffer header = ByteBuffer.allocate(HEADER);
    if (!filled(in, header, at)) {
      return null;
    }
    int length = header.getInt(8);
    if (length < 0 || length > MOST) {
      throw new LedgerException(undo + " is damaged at byte " + at);
    }
    ByteBuffer record = ByteBuffer.allocate(HEADER + length);
    if (!filled(in, record, at)) {
      return null;
    }
    if (record.getInt(12) != checksum(record)) {
      throw new LedgerException(undo + " is damaged at byte " + at);
    }
    return record.flip();
  }

  private static boolean filled(FileChannel in, ByteBuffer buffer, long at) throws IOException {
    while (buffer.hasRemaining()) {
      if (in.read(buffer, at + buffer.position()) < 0) {
        return false;
      }
    }
    return true;
  }
}
