package dev.vitrine.config;

/**
 * Replicas: fetching, the in-sync set and leadership. {@code min.insync.replicas} and {@code
 * unclean.leader.election.enable} are what topics have that don't override them.
 */
public record ReplicationSettings(
    Fetching fetching,
    long lagTimeMaxMs,
    long highWatermarkCheckpointIntervalMs,
    int minInsyncReplicas,
    boolean uncleanLeaderElection,
    boolean autoLeaderRebalance,
    long leaderImbalanceCheckIntervalMs) {

  /** {@code replica.fetch.*}: how a follower asks its leader. */
  public record Fetching(
      int maxBytes,
      int minBytes,
      int waitMaxMs,
      int responseMaxBytes,
      int backoffMs,
      int socketTimeoutMs) {}

  static ReplicationSettings of(ConfigValues v) {
    return new ReplicationSettings(
        new Fetching(
            v.int32("replica.fetch.max.bytes"),
            v.int32("replica.fetch.min.bytes"),
            v.int32("replica.fetch.wait.max.ms"),
            v.int32("replica.fetch.response.max.bytes"),
            v.int32("replica.fetch.backoff.ms"),
            v.int32("replica.socket.timeout.ms")),
        v.int64("replica.lag.time.max.ms"),
        v.int64("replica.high.watermark.checkpoint.interval.ms"),
        v.int32("min.insync.replicas"),
        v.bool("unclean.leader.election.enable"),
        v.bool("auto.leader.rebalance.enable"),
        v.int64("leader.imbalance.check.interval.seconds") * 1000);
  }
}
