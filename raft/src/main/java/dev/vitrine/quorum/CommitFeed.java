package dev.vitrine.quorum;

import dev.vitrine.protocol.record.Batches;
import dev.vitrine.protocol.record.RecordBatch;
import dev.vitrine.protocol.record.RecordIterator;
import dev.vitrine.protocol.record.Records;
import dev.vitrine.seam.Shard;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * Tells each listener what is committed, from where it is, and who leads. Owned by the quorum's
 * shard; calls listeners from a task of its own, a piece of the log at a time.
 */
final class CommitFeed {
  private static final int PIECE_BYTES = 1 << 20;

  private static final class Context {
    final RaftListener listener;

    /** The first offset that the listener has not heard; -1 before the snapshot. */
    long next = -1;

    LeaderAndEpoch told = LeaderAndEpoch.UNKNOWN;

    Context(RaftListener listener) {
      this.listener = listener;
    }
  }

  private final int nodeId;
  private final Shard shard;
  private final QuorumLog log;
  private final SnapshotFiles files;
  private final Consumer<Throwable> onFatal;
  private final List<Context> contexts = new ArrayList<>();

  /** What a listener gets first, and if it is at a place before the log; null once all have it. */
  private Snapshot snapshot;

  private boolean reading;

  private long highWatermark = -1;
  private LeaderAndEpoch leader = LeaderAndEpoch.UNKNOWN;
  private long epochStart;
  private boolean scheduled;
  private boolean closed;

  // What was decoded last: listeners of one node mostly read the same piece.
  private long decodedFrom = -1;
  private long decodedTo;
  private List<CommittedBatch> decoded;

  CommitFeed(
      int nodeId, Shard shard, QuorumLog log, SnapshotFiles files, Consumer<Throwable> onFatal) {
    this.nodeId = nodeId;
    this.shard = shard;
    this.log = log;
    this.files = files;
    this.snapshot = files.initial();
    this.onFatal = onFatal;
  }

  void register(RaftListener listener) {
    contexts.add(new Context(listener));
    schedule();
  }

  void unregister(RaftListener listener) {
    contexts.removeIf(c -> c.listener == listener);
  }

  void leaderChanged(LeaderAndEpoch now, long start) {
    leader = now;
    epochStart = start;
    schedule();
  }

  void update(long committed) {
    if (committed > highWatermark) {
      highWatermark = committed;
      schedule();
    }
  }

  /** The log goes on behind this snapshot. */
  void loaded(Snapshot newest) {
    snapshot = newest;
    schedule();
  }

  void close() {
    closed = true;
    contexts.forEach(c -> c.listener.beginShutdown());
    contexts.clear();
  }

  private void schedule() {
    if (!scheduled && !closed && !contexts.isEmpty()) {
      scheduled = true;
      shard.execute(this::run);
    }
  }

  private void run() {
    scheduled = false;
    try {
      for (Context c : List.copyOf(contexts)) {
        if (!closed && contexts.contains(c)) {
          tell(c);
        }
      }
      if (snapshot != null && !snapshot.id().equals(OffsetAndEpoch.BOOTSTRAP)) {
        snapshot = null; // all have it; who comes later has it read again
      }
    } catch (RuntimeException e) {
      onFatal.accept(e);
    }
  }

  private void tell(Context c) {
    if ((c.next < 0 || c.next < log.startOffset()) && !tellSnapshot(c)) {
      return;
    }
    if (c.next < highWatermark) {
      List<CommittedBatch> batches = read(c.next);
      c.next = batches.get(batches.size() - 1).lastOffset() + 1;
      c.listener.handleCommit(batches);
    }
    LeaderAndEpoch now = leader;
    if (now.isLeader(nodeId) && c.next <= epochStart) {
      // It leads, but has not seen all that was decided before.
      now = new LeaderAndEpoch(-1, now.epoch());
    }
    if (!closed && !now.equals(c.told)) {
      c.told = now;
      c.listener.handleLeaderChange(now);
    }
    if (c.next < highWatermark) {
      schedule();
    }
  }

  /** False if that must be read first. */
  private boolean tellSnapshot(Context c) {
    if (log.latestSnapshotId() == null) {
      c.next = 0;
      return true;
    }
    if (snapshot != null && snapshot.id().offset() >= log.startOffset()) {
      c.next = snapshot.id().offset();
      c.listener.handleLoadSnapshot(snapshot);
      return !closed;
    }
    if (!reading) {
      reading = true;
      OffsetAndEpoch latest = log.latestSnapshotId();
      shard.offload(() -> files.read(latest), (found, failure) -> read(latest, found, failure));
    }
    return false;
  }

  private void read(OffsetAndEpoch id, Snapshot found, Throwable failure) {
    reading = false;
    if (closed) {
      return;
    }
    if (failure != null) {
      if (id.equals(log.latestSnapshotId())) {
        onFatal.accept(failure);
      }
      // Else a later one has taken its place meanwhile.
      schedule();
    } else if (snapshot == null || found.id().compareTo(snapshot.id()) > 0) {
      loaded(found);
    } else {
      schedule();
    }
  }

  private List<CommittedBatch> read(long from) {
    if (from == decodedFrom && decodedTo == highWatermark) {
      return decoded;
    }
    Records records = log.read(from, PIECE_BYTES, highWatermark);
    ByteBuf bytes = Unpooled.buffer(records.sizeInBytes());
    records.writeTo(bytes);
    records.release();
    List<CommittedBatch> out = new ArrayList<>();
    Batches batches = new Batches(bytes);
    while (batches.next() && batches.batch().baseOffset() < highWatermark) {
      out.add(decode(batches.batch()));
    }
    if (out.isEmpty()) {
      throw new IllegalStateException("no batch in the log at the committed offset " + from);
    }
    decodedFrom = from;
    decodedTo = highWatermark;
    decoded = List.copyOf(out);
    return decoded;
  }

  private static CommittedBatch decode(RecordBatch b) {
    List<ApiMessageAndVersion> records = new ArrayList<>();
    if (!b.isControl()) {
      try (RecordIterator it = b.records()) {
        while (it.next()) {
          records.add(MetadataRecordSerde.decode(it.record().value()));
        }
      }
    }
    return new CommittedBatch(
        b.baseOffset(),
        b.lastOffset(),
        b.partitionLeaderEpoch(),
        b.maxTimestamp(),
        b.sizeInBytes(),
        List.copyOf(records));
  }
}
