package dev.vitrine.broker.control;

import dev.vitrine.config.QuorumSettings;
import dev.vitrine.metadata.MetadataImage;
import dev.vitrine.metadata.RecordVersions;
import dev.vitrine.quorum.ApiMessageAndVersion;
import dev.vitrine.quorum.OffsetAndEpoch;
import dev.vitrine.quorum.RaftClient;
import dev.vitrine.seam.Shard;
import java.util.List;

/**
 * Decides when this node, voter or not, writes a snapshot of the metadata: after
 * metadata.log.max.record.bytes.between.snapshots of batches, or when
 * metadata.log.max.snapshot.interval.ms have passed since the last. On the quorum loop, which it
 * costs nothing: the image is immutable, and a disk worker turns it into records.
 */
public final class SnapshotTrigger {
  private final RaftClient raft;
  private final Shard loop;
  private final long maxBytes;
  private final long maxIntervalMs;
  private long bytes;
  private long timestamp = -1;
  private long lastTicks;

  public SnapshotTrigger(RaftClient raft, Shard loop, QuorumSettings.MetadataLog settings) {
    this.raft = raft;
    this.loop = loop;
    this.maxBytes = settings.maxRecordBytesBetweenSnapshots();
    this.maxIntervalMs = settings.maxSnapshotIntervalMs();
    this.lastTicks = loop.ticks();
  }

  /** A batch of so many bytes was read that this leader appended at this time. */
  void read(int batchBytes, long appendTimestamp) {
    bytes += batchBytes;
    timestamp = appendTimestamp;
  }

  /** All that was read is in this image. */
  void applied(MetadataImage image) {
    boolean late = maxIntervalMs > 0 && loop.ticks() - lastTicks >= maxIntervalMs;
    if (bytes > 0 && (bytes >= maxBytes || late)) {
      OffsetAndEpoch end = new OffsetAndEpoch(image.offset() + 1, image.epoch());
      if (raft.createSnapshot(end, timestamp, () -> records(image))) {
        startOver();
      }
    }
  }

  /** There is a snapshot of what this node knows. */
  void startOver() {
    bytes = 0;
    lastTicks = loop.ticks();
  }

  private static List<ApiMessageAndVersion> records(MetadataImage image) {
    return image.records().stream()
        .map(r -> new ApiMessageAndVersion(r, RecordVersions.of(r)))
        .toList();
  }
}
