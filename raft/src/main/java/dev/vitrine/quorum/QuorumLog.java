package dev.vitrine.quorum;

import dev.vitrine.protocol.record.Records;
import io.netty.buffer.ByteBuf;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;

/** The metadata log. Belongs to the quorum's shard; nothing but {@link #flush} waits for a disk. */
interface QuorumLog extends LogView {
  /** Appends batches that have their offsets and their epoch. Takes no reference. */
  void appendAsLeader(ByteBuf batches, int epoch);

  /**
   * Appends what the leader of this epoch sent, as it is; a part of a batch at the end is left out.
   *
   * @throws IllegalArgumentException if the batches are damaged or don't follow the log's end;
   *     those before are appended
   */
  void appendAsFollower(ByteBuf batches, int epoch);

  /** Whole batches from that with this offset on, at least one, below {@code maxOffset}. */
  Records read(long offset, int maxBytes, long maxOffset);

  void truncateTo(long offset);

  /**
   * Lets the log go on behind a snapshot that is there durably, dropping all that is in it, unless
   * the log leads up to that very place.
   */
  void continueBehind(Snapshot snapshot);

  /**
   * Lets go of the oldest snapshots and the log before them, as long as
   * metadata.max.retention.bytes and .ms ask for it and a later snapshot stands for them.
   *
   * @return files that have been renamed and are to be deleted in a while
   */
  List<Path> trim(long nowMs);

  /** Hears null, as a later task, when all that is in the log now is durable; else why not. */
  void flush(Consumer<Throwable> done);

  /** Flushes and closes; {@code done} comes also if that failed. No other call afterwards. */
  void close(Runnable done);
}
