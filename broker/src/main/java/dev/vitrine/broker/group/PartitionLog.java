package dev.vitrine.broker.group;

import dev.vitrine.broker.partition.AppendOutcome;
import dev.vitrine.broker.partition.Partition;
import dev.vitrine.protocol.TopicPartition;
import dev.vitrine.storage.LogSlice;
import io.netty.buffer.ByteBuf;

/** A real partition under a coordinator. */
record PartitionLog(Partition partition) implements CoordinatorLog {
  @Override
  public TopicPartition name() {
    return partition.name();
  }

  @Override
  public AppendOutcome append(ByteBuf batch, int leaderEpoch) {
    return partition.appendInternal(batch, leaderEpoch);
  }

  @Override
  public long highWatermark() {
    return partition.highWatermark();
  }

  @Override
  public long logStartOffset() {
    return partition.logStartOffset();
  }

  @Override
  public long logEndOffset() {
    return partition.logEndOffset();
  }

  @Override
  public LogSlice read(long offset, int maxBytes) {
    return partition.log().read(offset, maxBytes, partition.logEndOffset(), true);
  }
}
