package dev.vitrine.quorum;

import dev.vitrine.protocol.record.Batches;
import dev.vitrine.protocol.record.MemoryRecords;
import dev.vitrine.protocol.record.RecordBatch;
import dev.vitrine.protocol.record.Records;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** A log without a disk, for tests of the core alone: a flush is done when the test says so. */
final class MemoryQuorumLog implements QuorumLog {
  record Entry(long baseOffset, long lastOffset, int epoch, byte[] bytes) {}

  final List<Entry> entries = new ArrayList<>();
  final List<Consumer<Throwable>> flushes = new ArrayList<>();
  private final VoterHistory voters = new VoterHistory();
  OffsetAndEpoch snapshotId;
  long snapshotSize = -1;

  /** Above 0, the end of the one snapshot. */
  long start;

  /** How to flush by itself; null to keep it for the test. */
  Consumer<Consumer<Throwable>> flusher;

  /** Appends a batch of {@code count} offsets of this epoch, without content. */
  MemoryQuorumLog with(int epoch, int count) {
    long at = endOffset();
    entries.add(new Entry(at, at + count - 1, epoch, new byte[0]));
    return this;
  }

  @Override
  public void appendAsLeader(ByteBuf batches, int epoch) {
    appendAsFollower(batches, epoch);
  }

  @Override
  public void appendAsFollower(ByteBuf bytes, int epoch) {
    Batches batches = new Batches(bytes);
    while (batches.next()) {
      RecordBatch b = batches.batch();
      if (b.baseOffset() != endOffset() || b.partitionLeaderEpoch() > epoch) {
        throw new IllegalArgumentException("at " + b.baseOffset() + ", not at " + endOffset());
      }
      byte[] copy = new byte[b.sizeInBytes()];
      b.slice().getBytes(b.slice().readerIndex(), copy);
      entries.add(new Entry(b.baseOffset(), b.lastOffset(), b.partitionLeaderEpoch(), copy));
    }
    voters.appended(bytes, endOffset());
  }

  @Override
  public Records read(long offset, int maxBytes, long maxOffset) {
    ByteBuf out = Unpooled.buffer();
    for (Entry e : entries) {
      if (e.lastOffset >= offset && e.baseOffset < maxOffset) {
        if (out.isReadable() && out.readableBytes() + e.bytes.length > maxBytes) {
          break;
        }
        out.writeBytes(e.bytes);
      }
    }
    return new MemoryRecords(out);
  }

  @Override
  public void truncateTo(long offset) {
    entries.removeIf(e -> e.lastOffset >= offset);
    voters.truncateTo(offset);
  }

  @Override
  public void flush(Consumer<Throwable> done) {
    if (flusher != null) {
      flusher.accept(done);
    } else {
      flushes.add(done);
    }
  }

  @Override
  public void close(Runnable done) {
    done.run();
  }

  @Override
  public long startOffset() {
    return start;
  }

  @Override
  public long endOffset() {
    return entries.isEmpty() ? start : entries.get(entries.size() - 1).lastOffset + 1;
  }

  @Override
  public int lastEpoch() {
    int before = start == 0 ? 0 : snapshotId.epoch();
    return entries.isEmpty() ? before : entries.get(entries.size() - 1).epoch;
  }

  @Override
  public OffsetAndEpoch endOffsetForEpoch(int epoch) {
    OffsetAndEpoch end = new OffsetAndEpoch(start, epoch);
    for (Entry e : entries) {
      if (e.epoch <= epoch) {
        end = new OffsetAndEpoch(e.lastOffset + 1, e.epoch);
      }
    }
    return end;
  }

  @Override
  public OffsetAndEpoch latestSnapshotId() {
    return snapshotId;
  }

  @Override
  public OffsetAndEpoch earliestSnapshotId() {
    return snapshotId;
  }

  @Override
  public long snapshotSize(OffsetAndEpoch id) {
    return id.equals(snapshotId) ? snapshotSize : -1;
  }

  @Override
  public void continueBehind(Snapshot snapshot) {
    entries.clear();
    snapshotId = snapshot.id();
    start = snapshotId.offset();
    voters.startAt(snapshot);
  }

  @Override
  public VoterHistory voters() {
    return voters;
  }

  @Override
  public List<Path> trim(long nowMs) {
    return List.of();
  }
}
