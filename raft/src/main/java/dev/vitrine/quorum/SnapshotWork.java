package dev.vitrine.quorum;

import dev.vitrine.protocol.record.Records;
import dev.vitrine.seam.Shard;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The part of {@link QuorumDriver} that makes snapshots, serves them and stores the leader's.
 * Belongs to the quorum's shard; what blocks runs on a disk worker. The log is changed only when
 * the snapshot that stands for it is durable.
 */
final class SnapshotWork {
  private static final Logger LOG = LoggerFactory.getLogger(SnapshotWork.class);

  /** As in Kafka, whoever is still reading a file may go on for so long. */
  private static final long DELETE_DELAY_MS = 60_000;

  /** As in Kafka: time goes by also where nobody writes a snapshot. */
  private static final long TRIM_MS = 60_000;

  private final Shard shard;
  private final QuorumLog log;
  private final SnapshotFiles files;
  private final CommitFeed feed;
  private boolean writing;
  private SnapshotFiles.Part part;
  private boolean closed;

  SnapshotWork(Shard shard, QuorumLog log, SnapshotFiles files, CommitFeed feed) {
    this.shard = shard;
    this.log = log;
    this.files = files;
    this.feed = feed;
  }

  boolean create(OffsetAndEpoch id, long timestamp, Supplier<List<ApiMessageAndVersion>> records) {
    OffsetAndEpoch latest = files.latest();
    if (writing || part != null || (latest != null && id.offset() <= latest.offset())) {
      return false;
    }
    writing = true;
    long now = shard.now();
    long last = id.offset() - 1;
    short version = log.voters().kraftVersionAt(last);
    VoterSet voters = log.voters().votersAt(last);
    shard.offload(
        () -> files.write(new Snapshot(id, timestamp, version, voters, records.get()), now),
        (size, failure) -> written(id, size, failure));
    return true;
  }

  private void written(OffsetAndEpoch id, Long size, Throwable failure) {
    writing = false;
    if (closed) {
      return;
    }
    if (failure != null) {
      LOG.error("The snapshot {} could not be written; the log is kept", id, failure);
      return;
    }
    LOG.info("Wrote the snapshot {}: {} bytes", id, size);
    OffsetAndEpoch latest = files.latest();
    if (latest != null && id.offset() <= latest.offset()) {
      // The leader's came meanwhile, and the log may start behind it.
      delete(files.pathsOf(id));
      return;
    }
    files.add(id, size, shard.now());
    trim();
  }

  /** Lets go of what metadata.max.retention.bytes and .ms no longer want kept, now and then. */
  void keepTrimming() {
    shard.schedule(
        TRIM_MS,
        () -> {
          if (!closed) {
            trim();
            keepTrimming();
          }
        });
  }

  private void trim() {
    List<Path> dropped = log.trim(shard.now());
    if (!dropped.isEmpty()) {
      shard.schedule(DELETE_DELAY_MS, () -> delete(dropped));
    }
  }

  private void delete(List<Path> dropped) {
    shard.offload(
        () -> {
          files.delete(dropped);
          return null;
        },
        (nothing, failure) -> {
          if (failure != null) {
            LOG.warn("Could not delete {}", dropped, failure);
          }
        });
  }

  Records region(OffsetAndEpoch id, long position, int maxBytes) {
    return files.region(id, position, maxBytes);
  }

  /** See {@link QuorumEffect.StoreSnapshot}. */
  void store(QuorumEffect.StoreSnapshot e, Consumer<QuorumEvent> then) {
    if (e.position() == 0) {
      drop();
      part = files.fetch(e.id());
    }
    if (part == null || !part.id.equals(e.id()) || part.size() != e.position()) {
      throw new IllegalStateException("no place for " + e);
    }
    part.append(e.records());
    if (e.last()) {
      SnapshotFiles.Part whole = part;
      part = null;
      shard.offload(whole::finish, (snapshot, failure) -> stored(whole, snapshot, failure, then));
    }
  }

  private void stored(
      SnapshotFiles.Part whole, Snapshot snapshot, Throwable failure, Consumer<QuorumEvent> then) {
    if (closed) {
      return;
    }
    if (failure != null) {
      LOG.error("The snapshot {} that the leader sent is no use", whole.id, failure);
      then.accept(new QuorumEvent.SnapshotFailed());
      return;
    }
    LOG.info("Stored the leader's snapshot {}: {} bytes", whole.id, whole.size());
    files.add(whole.id, whole.size(), shard.now());
    log.continueBehind(snapshot);
    feed.loaded(snapshot);
    then.accept(new QuorumEvent.SnapshotStored(whole.id));
  }

  private void drop() {
    if (part != null) {
      part.drop();
      part = null;
    }
  }

  void close() {
    closed = true;
    drop();
  }
}
