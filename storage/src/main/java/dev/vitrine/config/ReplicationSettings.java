package dev.vitrine.config;

/**
 * Replicas: fetching, the in-sync set and leadership. {@code min.insync.replicas} and {@code
 * unclean.leader.election.enable} are what topics have that don't override them.
 *
 * @param rackAware whether {@code replica.selector.class} sends consumers to the replica in their
 *     rack
 */
public record ReplicationSettings(
    Fetching fetching,
    Quotas quotas,
    boolean rackAware,
    long lagTimeMaxMs,
    long highWatermarkCheckpointIntervalMs,
    int minInsyncReplicas,
    boolean uncleanLeaderElection,
    boolean autoLeaderRebalance,
    long leaderImbalanceCheckIntervalMs) {
  static final String RACK_AWARE = "org.apache.kafka.common.replica.RackAwareReplicaSelector";

  /** {@code replica.fetch.*}: how a follower asks its leader. */
  public record Fetching(
      int maxBytes,
      int minBytes,
      int waitMaxMs,
      int responseMaxBytes,
      int backoffMs,
      int socketTimeoutMs) {}

  /**
   * How fast throttled replicas may be copied (KIP-73).
   *
   * @param leaderRate bytes a second that this broker sends to followers
   * @param followerRate bytes a second that it fetches
   * @param windows of the past that are looked at
   * @param windowMs the length of one, in milliseconds
   */
  public record Quotas(long leaderRate, long followerRate, int windows, long windowMs) {}

  static ReplicationSettings of(ConfigValues v) {
    return new ReplicationSettings(
        new Fetching(
            v.int32("replica.fetch.max.bytes"),
            v.int32("replica.fetch.min.bytes"),
            v.int32("replica.fetch.wait.max.ms"),
            v.int32("replica.fetch.response.max.bytes"),
            v.int32("replica.fetch.backoff.ms"),
            v.int32("replica.socket.timeout.ms")),
        new Quotas(
            v.int64("leader.replication.throttled.rate"),
            v.int64("follower.replication.throttled.rate"),
            v.int32("replication.quota.window.num"),
            v.int32("replication.quota.window.size.seconds") * 1000L),
        RACK_AWARE.equals(v.string("replica.selector.class")),
        v.int64("replica.lag.time.max.ms"),
        v.int64("replica.high.watermark.checkpoint.interval.ms"),
        v.int32("min.insync.replicas"),
        v.bool("unclean.leader.election.enable"),
        v.bool("auto.leader.rebalance.enable"),
        v.int64("leader.imbalance.check.interval.seconds") * 1000);
  }
}
