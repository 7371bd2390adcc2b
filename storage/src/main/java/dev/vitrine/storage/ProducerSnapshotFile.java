package dev.vitrine.storage;

import dev.vitrine.seam.Disk;
import dev.vitrine.seam.DiskFile;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.zip.CRC32C;

/**
 * A {@code .snapshot}: the producers as they were at the offset that the file is named after.
 * Version (2 bytes, 1), CRC-32C of what follows (4), and Kafka's {@code ProducerSnapshot} entries
 * of 46 bytes.
 */
final class ProducerSnapshotFile {
  private static final short VERSION = 1;
  private static final int CRC_OFFSET = 2;
  private static final int ENTRIES_OFFSET = 6;
  private static final int ENTRY_SIZE = 46;

  private ProducerSnapshotFile() {}

  /** Not durable by itself. */
  static void write(Disk disk, Path path, Collection<ProducerEntry> producers) {
    ByteBuf b = Unpooled.buffer(ENTRIES_OFFSET + 4 + producers.size() * ENTRY_SIZE);
    b.writeShort(VERSION).writeInt(0).writeInt(producers.size());
    for (ProducerEntry e : producers) {
      ProducerEntry.Batch last = e.lastBatch();
      b.writeLong(e.producerId()).writeShort(e.epoch()).writeInt(e.lastSequence());
      b.writeLong(last == null ? -1 : last.lastOffset());
      b.writeInt(last == null ? 0 : last.offsetDelta()).writeLong(e.lastTimestamp());
      b.writeInt(e.coordinatorEpoch()).writeLong(e.transactionFirstOffset());
    }
    b.setInt(CRC_OFFSET, crc(b));
    DiskFile file = disk.open(path);
    try {
      file.truncate(0);
      file.append(b);
    } finally {
      file.release();
    }
  }

  /** The producers; null if the file is damaged, so that an older one must do. */
  static List<ProducerEntry> read(Disk disk, Path path) {
    DiskFile file = disk.openForRead(path);
    ByteBuf b = Unpooled.buffer((int) file.size());
    try {
      file.read(0, (int) file.size(), b);
    } finally {
      file.release();
    }
    if (b.readableBytes() < ENTRIES_OFFSET + 4
        || b.readShort() != VERSION
        || b.readInt() != crc(b)) {
      return null;
    }
    int n = b.readInt();
    if (n < 0 || (long) n * ENTRY_SIZE != b.readableBytes()) {
      return null;
    }
    List<ProducerEntry> out = new ArrayList<>(n);
    for (int i = 0; i < n; i++) {
      out.add(readEntry(b));
    }
    return out;
  }

  private static ProducerEntry readEntry(ByteBuf b) {
    ProducerEntry e = new ProducerEntry(b.readLong());
    short epoch = b.readShort();
    int lastSequence = b.readInt();
    long lastOffset = b.readLong();
    int offsetDelta = b.readInt();
    long timestamp = b.readLong();
    if (lastOffset >= 0) {
      e.add(epoch, new ProducerEntry.Batch(lastSequence, lastOffset, offsetDelta, timestamp));
    }
    e.restore(epoch, b.readInt(), timestamp, b.readLong());
    return e;
  }

  private static int crc(ByteBuf b) {
    CRC32C crc = new CRC32C();
    crc.update(b.nioBuffer(ENTRIES_OFFSET, b.writerIndex() - ENTRIES_OFFSET));
    return (int) crc.getValue();
  }
}
