package dev.vitrine.quorum;

import dev.vitrine.protocol.ApiMessage;
import dev.vitrine.protocol.MessageWriter;
import dev.vitrine.protocol.message.KRaftVersionRecord;
import dev.vitrine.protocol.record.BatchBuilder;
import dev.vitrine.protocol.record.Record;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.List;

/** Records that the quorum writes for itself: the key is a version (0) and one of these types. */
final class ControlRecords {
  static final short LEADER_CHANGE = 2;
  static final short SNAPSHOT_HEADER = 3;
  static final short SNAPSHOT_FOOTER = 4;
  static final short KRAFT_VERSION = 5;
  static final short KRAFT_VOTERS = 6;

  /** A record to write. */
  record Entry(short type, ApiMessage value) {}

  private ControlRecords() {}

  static Entry kraftVersion(short version) {
    return new Entry(
        KRAFT_VERSION, new KRaftVersionRecord().version((short) 0).kRaftVersion(version));
  }

  static Entry voters(VoterSet voters) {
    return new Entry(KRAFT_VOTERS, voters.toRecord());
  }

  /** Writes a batch of control records. */
  static void write(ByteBuf out, long offset, int epoch, long timestamp, List<Entry> records) {
    BatchBuilder batch =
        new BatchBuilder(out).baseOffset(offset).partitionLeaderEpoch(epoch).control(true);
    for (Entry e : records) {
      byte[] key = {0, 0, 0, (byte) e.type};
      byte[] bytes = new byte[e.value.size((short) 0)];
      e.value.write(new MessageWriter(Unpooled.wrappedBuffer(bytes).writerIndex(0)), (short) 0);
      batch.append(timestamp, key, bytes);
    }
    batch.build();
  }

  static short typeOf(Record record) {
    return record.keySize() < 4 ? -1 : record.key().getShort(record.key().readerIndex() + 2);
  }
}
