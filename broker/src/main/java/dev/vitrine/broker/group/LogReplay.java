package dev.vitrine.broker.group;

import dev.vitrine.protocol.record.Batches;
import dev.vitrine.protocol.record.Record;
import dev.vitrine.protocol.record.RecordBatch;
import dev.vitrine.protocol.record.RecordIterator;
import dev.vitrine.protocol.record.Records;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Turns bytes of the log into an image. A value, made anew for each piece of the log: a disk worker
 * runs it and touches nothing else.
 *
 * @param nextOffset where to go on
 * @param committed the image as of the last batch that lay below the high watermark
 * @param unknown how many records of each type were passed over
 */
record LogReplay(
    GroupImage image,
    GroupImage committed,
    long nextOffset,
    long records,
    TreeMap<Short, Long> unknown) {
  private static final Logger LOG = LoggerFactory.getLogger(LogReplay.class);

  /** Kafka's type of the control record that ends a transaction well. */
  private static final short COMMIT_MARKER = 1;

  static LogReplay from(long offset) {
    return new LogReplay(GroupImage.EMPTY, GroupImage.EMPTY, offset, 0, new TreeMap<>());
  }

  /** Reads the records, which it releases, and goes on with them. */
  LogReplay with(Records bytes, long highWatermark) {
    ByteBuf in = Unpooled.buffer(bytes.sizeInBytes());
    try {
      bytes.writeTo(in);
    } finally {
      bytes.release();
    }
    Step step = new Step(this);
    Batches batches = new Batches(in);
    while (batches.next()) {
      RecordBatch batch = batches.batch();
      batch.ensureValid();
      if (batch.nextOffset() > step.nextOffset) {
        step.add(batch);
        step.nextOffset = batch.nextOffset();
        if (step.nextOffset <= highWatermark) {
          step.committed = step.image;
        }
      }
    }
    if (step.nextOffset == nextOffset) {
      throw new IllegalStateException(
          "no batch at offset " + nextOffset + ": " + batches.problem());
    }
    return new LogReplay(step.image, step.committed, step.nextOffset, step.records, step.unknown);
  }

  /** The state within one call. */
  private static final class Step {
    GroupImage image;
    GroupImage committed;
    long nextOffset;
    long records;
    final TreeMap<Short, Long> unknown;

    Step(LogReplay from) {
      image = from.image;
      committed = from.committed;
      nextOffset = from.nextOffset;
      records = from.records;
      unknown = new TreeMap<>(from.unknown);
    }

    void add(RecordBatch batch) {
      try (RecordIterator i = batch.records()) {
        while (i.next()) {
          Record r = i.record();
          if (r.offset() < nextOffset) {
            continue;
          }
          records++;
          if (batch.isControl()) {
            short type = r.key().getShort(r.key().readerIndex() + 2);
            image = image.withEnd(batch.producerId(), type == COMMIT_MARKER);
          } else if (!r.hasKey() || r.keySize() < 2) {
            LOG.warn("A record without a key at offset {} is passed over", r.offset());
          } else {
            add(batch, r);
          }
        }
      }
    }

    private void add(RecordBatch batch, Record r) {
      CoordinatorRecord record = CoordinatorRecord.read(r);
      if (record != null && !batch.isTransactional()) {
        image = image.with(record);
      } else if (record != null) {
        image = image.withOpen(batch.producerId(), record);
      }
      if (record == null
          || (record.key().apiKey() > 2 && ConsumerGroupImage.groupOf(record) == null)) {
        unknown.merge(r.key().readShort(), 1L, Long::sum);
      }
    }
  }
}
