package dev.vitrine.config;

import dev.vitrine.seam.Endpoint;
import java.util.List;
import java.util.Map;

/**
 * {@code controller.quorum.*} and the metadata log's keys.
 *
 * @param voters the fixed voters by id; empty if the quorum is to be found by {@code
 *     bootstrapServers}
 * @param autoJoin whether a controller that does not vote asks to be made a voter
 */
public record QuorumSettings(
    Map<Integer, Voter> voters,
    List<Endpoint> bootstrapServers,
    boolean autoJoin,
    int electionTimeoutMs,
    int electionBackoffMaxMs,
    int fetchTimeoutMs,
    int requestTimeoutMs,
    int retryBackoffMs,
    int appendLingerMs,
    int fetchMaxBytes,
    int fetchSnapshotMaxBytes,
    MetadataLog log) {

  /**
   * The metadata log's own keys.
   *
   * @param maxIdleIntervalMs 0 for no records that do nothing
   * @param maxSnapshotIntervalMs 0 for no snapshots by time
   */
  public record MetadataLog(
      int segmentBytes,
      long segmentMs,
      long maxRecordBytesBetweenSnapshots,
      long maxSnapshotIntervalMs,
      int maxIdleIntervalMs,
      long retentionBytes,
      long retentionMs) {}

  static QuorumSettings of(ConfigValues v) {
    return new QuorumSettings(
        Voter.parse(v.list("controller.quorum.voters")),
        Voter.parseBootstrap(v.list("controller.quorum.bootstrap.servers")),
        v.bool("controller.quorum.auto.join.enable"),
        v.int32("controller.quorum.election.timeout.ms"),
        v.int32("controller.quorum.election.backoff.max.ms"),
        v.int32("controller.quorum.fetch.timeout.ms"),
        v.int32("controller.quorum.request.timeout.ms"),
        v.int32("controller.quorum.retry.backoff.ms"),
        v.int32("controller.quorum.append.linger.ms"),
        v.int32("controller.quorum.fetch.max.bytes"),
        v.int32("controller.quorum.fetch.snapshot.max.bytes"),
        metadataLog(v));
  }

  private static MetadataLog metadataLog(ConfigValues v) {
    return new MetadataLog(
        v.int32("metadata.log.segment.bytes"),
        v.int64("metadata.log.segment.ms"),
        v.int64("metadata.log.max.record.bytes.between.snapshots"),
        v.int64("metadata.log.max.snapshot.interval.ms"),
        v.int32("metadata.max.idle.interval.ms"),
        v.int64("metadata.max.retention.bytes"),
        v.int64("metadata.max.retention.ms"));
  }
}
