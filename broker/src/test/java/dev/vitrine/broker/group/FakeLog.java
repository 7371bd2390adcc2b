package dev.vitrine.broker.group;

import dev.vitrine.broker.partition.AppendOutcome;
import dev.vitrine.protocol.Errors;
import dev.vitrine.protocol.TopicPartition;
import dev.vitrine.protocol.record.MemoryRecords;
import dev.vitrine.protocol.record.RecordBatch;
import dev.vitrine.protocol.record.RecordIterator;
import dev.vitrine.storage.LogSlice;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;

/** A log in memory whose high watermark a test moves by hand, or that commits at once. */
final class FakeLog implements CoordinatorLog {
  static final TopicPartition NAME = new TopicPartition(ShardCoordinators.TOPIC, 0);

  private final List<ByteBuf> batches = new ArrayList<>();
  private long end;
  private long highWatermark;
  boolean commitsAtOnce = true;
  Errors refusal = Errors.NONE;
  int leaderEpoch;

  @Override
  public TopicPartition name() {
    return NAME;
  }

  @Override
  public AppendOutcome append(ByteBuf batch, int epoch) {
    if (refusal != Errors.NONE || epoch != leaderEpoch) {
      return AppendOutcome.failed(refusal == Errors.NONE ? Errors.NOT_LEADER_OR_FOLLOWER : refusal);
    }
    ByteBuf copy = Unpooled.copiedBuffer(batch);
    RecordBatch b = new RecordBatch(copy, 0);
    b.ensureValid();
    b.setBaseOffset(end);
    batches.add(copy);
    long base = end;
    end = b.nextOffset();
    if (commitsAtOnce) {
      highWatermark = end;
    }
    return AppendOutcome.appended(base, end - 1, -1, 0);
  }

  void commitAll() {
    highWatermark = end;
  }

  /** What a new leader finds that has only what was committed. */
  void loseUncommitted() {
    batches.removeIf(b -> new RecordBatch(b, 0).baseOffset() >= highWatermark);
    end = highWatermark;
  }

  @Override
  public long highWatermark() {
    return highWatermark;
  }

  @Override
  public long logStartOffset() {
    return 0;
  }

  @Override
  public long logEndOffset() {
    return end;
  }

  @Override
  public LogSlice read(long offset, int maxBytes) {
    ByteBuf out = Unpooled.buffer();
    for (ByteBuf b : batches) {
      if (new RecordBatch(b, 0).lastOffset() >= offset && out.readableBytes() < maxBytes) {
        out.writeBytes(b, 0, b.writerIndex());
      }
    }
    return new LogSlice(new MemoryRecords(out), 0, 0, false, false);
  }

  /** All that was written, copied. */
  List<CoordinatorRecord> records() {
    List<CoordinatorRecord> all = new ArrayList<>();
    for (ByteBuf b : batches) {
      try (RecordIterator i = new RecordBatch(b, 0).records()) {
        while (i.next()) {
          all.add(CoordinatorRecord.read(i.record()));
        }
      }
    }
    return all;
  }
}
