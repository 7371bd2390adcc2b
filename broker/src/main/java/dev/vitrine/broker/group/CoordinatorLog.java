package dev.vitrine.broker.group;

import dev.vitrine.broker.partition.AppendOutcome;
import dev.vitrine.protocol.TopicPartition;
import dev.vitrine.storage.LogSlice;
import io.netty.buffer.ByteBuf;

/** The partition under a coordinator, as far as it uses it. Belongs to the same shard. */
interface CoordinatorLog {
  TopicPartition name();

  /** Appends one batch, as a leader of this epoch and no other. The buffer stays the caller's. */
  AppendOutcome append(ByteBuf batch, int leaderEpoch);

  long highWatermark();

  long logStartOffset();

  long logEndOffset();

  /** Whole batches from this offset on, at least one unless it is the end. */
  LogSlice read(long offset, int maxBytes);
}
