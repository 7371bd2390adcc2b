package dev.vitrine.quorum;

import dev.vitrine.protocol.record.Batches;
import dev.vitrine.protocol.record.RecordBatch;
import dev.vitrine.protocol.record.Records;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.LongFunction;

/**
 * Passes everything on to the real log, and keeps a copy of what must be in it and of how much of
 * that no crash may take: what the invariants are checked against.
 */
final class CheckedLog implements QuorumLog {
  /** A batch: equal in two logs if all its bytes are. */
  record Batch(long baseOffset, long lastOffset, int epoch, long crc) {}

  private final QuorumLog real;
  final List<Batch> batches = new ArrayList<>();
  long durable;
  private final LongFunction<List<Batch>> committed;
  private int truncations;

  /**
   * Over a log that was just opened, which must still have what was durable before.
   *
   * @param committed all that was ever committed below an offset, where a batch ends: what a
   *     snapshot stands for
   */
  CheckedLog(QuorumLog real, CheckedLog before, LongFunction<List<Batch>> committed) {
    this.real = real;
    this.committed = committed;
    long at = real.startOffset();
    batches.addAll(committed.apply(at));
    durable = at;
    while (at < real.endOffset()) {
      Records r = real.read(at, 1 << 20, Long.MAX_VALUE);
      ByteBuf bytes = Unpooled.buffer();
      r.writeTo(bytes);
      r.release();
      at = note(bytes);
    }
    if (before != null) {
      List<Batch> safe =
          before.batches.stream().filter(b -> b.lastOffset < before.durable).toList();
      if (!leadsTo(safe, real.startOffset())) {
        return; // a snapshot has taken the place of what was never committed
      }
      durable = Math.max(durable, before.durable);
      if (batches.size() < safe.size() || !batches.subList(0, safe.size()).equals(safe)) {
        throw new AssertionError(
            "a crash took durable records: " + safe + " was, " + batches + " is left");
      }
    }
  }

  /** Whether one of the two is the beginning of the other. */
  private boolean leadsTo(List<Batch> all, long offset) {
    List<Batch> prefix = committed.apply(offset);
    int n = Math.min(all.size(), prefix.size());
    return all.subList(0, n).equals(prefix.subList(0, n));
  }

  private long note(ByteBuf bytes) {
    Batches it = new Batches(bytes);
    while (it.next()) {
      RecordBatch b = it.batch();
      batches.add(new Batch(b.baseOffset(), b.lastOffset(), b.partitionLeaderEpoch(), b.crc()));
    }
    return batches.get(batches.size() - 1).lastOffset + 1;
  }

  @Override
  public void appendAsLeader(ByteBuf b, int epoch) {
    real.appendAsLeader(b, epoch);
    note(b);
    check();
  }

  @Override
  public void appendAsFollower(ByteBuf b, int epoch) {
    real.appendAsFollower(b, epoch);
    note(b);
    check();
  }

  @Override
  public void truncateTo(long offset) {
    truncations++;
    real.truncateTo(offset);
    durable = Math.min(durable, offset);
    batches.removeIf(b -> b.lastOffset >= offset);
    check();
  }

  @Override
  public void continueBehind(Snapshot snapshot) {
    long offset = snapshot.id().offset();
    boolean keeps = leadsTo(batches, offset) && real.endOffset() >= offset;
    real.continueBehind(snapshot);
    if (!keeps) {
      truncations++;
      batches.clear();
      batches.addAll(committed.apply(offset));
      durable = offset;
    }
    durable = Math.max(durable, offset);
    check();
  }

  @Override
  public List<Path> trim(long nowMs) {
    List<Path> dropped = real.trim(nowMs);
    if (real.startOffset() > 0 && !real.earliestSnapshotId().equals(startOf())) {
      throw new AssertionError("starts at " + real.startOffset() + ", not at " + startOf());
    }
    check();
    return dropped;
  }

  /** The start offset, and the epoch before it. */
  private OffsetAndEpoch startOf() {
    Batch before = null;
    for (Batch b : batches) {
      if (b.lastOffset < real.startOffset()) {
        before = b;
      }
    }
    return new OffsetAndEpoch(before.lastOffset + 1, before.epoch);
  }

  private void check() {
    long end = batches.isEmpty() ? 0 : batches.get(batches.size() - 1).lastOffset + 1;
    if (end != real.endOffset()) {
      throw new AssertionError("the log ends at " + real.endOffset() + " instead of " + end);
    }
  }

  @Override
  public void flush(Consumer<Throwable> done) {
    long end = real.endOffset();
    int before = truncations;
    real.flush(
        failure -> {
          if (failure == null && before == truncations) {
            durable = Math.max(durable, end);
          }
          done.accept(failure);
        });
  }

  @Override
  public Records read(long offset, int maxBytes, long maxOffset) {
    return real.read(offset, maxBytes, maxOffset);
  }

  @Override
  public void close(Runnable done) {
    real.close(done);
  }

  @Override
  public VoterHistory voters() {
    return real.voters();
  }

  @Override
  public long startOffset() {
    return real.startOffset();
  }

  @Override
  public long endOffset() {
    return real.endOffset();
  }

  @Override
  public int lastEpoch() {
    return real.lastEpoch();
  }

  @Override
  public OffsetAndEpoch endOffsetForEpoch(int epoch) {
    return real.endOffsetForEpoch(epoch);
  }

  @Override
  public OffsetAndEpoch latestSnapshotId() {
    return real.latestSnapshotId();
  }

  @Override
  public OffsetAndEpoch earliestSnapshotId() {
    return real.earliestSnapshotId();
  }

  @Override
  public long snapshotSize(OffsetAndEpoch id) {
    return real.snapshotSize(id);
  }
}
