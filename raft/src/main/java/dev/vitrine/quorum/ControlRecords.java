package dev.vitrine.quorum;

import dev.vitrine.protocol.ApiMessage;
import dev.vitrine.protocol.MessageWriter;
import dev.vitrine.protocol.record.BatchBuilder;
import dev.vitrine.protocol.record.Record;
import dev.vitrine.protocol.record.RecordBatch;
import dev.vitrine.protocol.record.RecordIterator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

/** Records that the quorum writes for itself: the key is a version (0) and one of these types. */
final class ControlRecords {
  static final short LEADER_CHANGE = 2;
  static final short SNAPSHOT_HEADER = 3;
  static final short SNAPSHOT_FOOTER = 4;
  static final short KRAFT_VERSION = 5;
  static final short KRAFT_VOTERS = 6;

  private ControlRecords() {}

  /** Writes a batch of one control record. */
  static void write(
      ByteBuf out, long offset, int epoch, long timestamp, short type, ApiMessage value) {
    byte[] key = {0, 0, 0, (byte) type};
    byte[] bytes = new byte[value.size((short) 0)];
    value.write(new MessageWriter(Unpooled.wrappedBuffer(bytes).writerIndex(0)), (short) 0);
    new BatchBuilder(out)
        .baseOffset(offset)
        .partitionLeaderEpoch(epoch)
        .control(true)
        .append(timestamp, key, bytes)
        .build();
  }

  static short typeOf(Record record) {
    return record.keySize() < 4 ? -1 : record.key().getShort(record.key().readerIndex() + 2);
  }

  /**
   * @throws IllegalStateException if a control record finalises dynamic voters, which we don't have
   */
  static void requireStaticVoters(RecordBatch batch) {
    try (RecordIterator records = batch.records()) {
      while (records.next()) {
        Record r = records.record();
        boolean above =
            typeOf(r) == KRAFT_VOTERS
                || (typeOf(r) == KRAFT_VERSION
                    && r.valueSize() >= 4
                    && r.value().getShort(r.value().readerIndex() + 2) > 0);
        if (above) {
          throw new IllegalStateException(
              "The metadata log has kraft.version 1 (dynamic voters), which is not supported: use"
                  + " kraft.version 0 and controller.quorum.voters");
        }
      }
    }
  }
}
