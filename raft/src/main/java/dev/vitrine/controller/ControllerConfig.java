package dev.vitrine.controller;

import dev.vitrine.config.KafkaConfig;
import dev.vitrine.metadata.FeaturesImage;
import dev.vitrine.metadata.VersionRange;
import dev.vitrine.quorum.QuorumConfig;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;

/**
 * What the controller takes from {@code server.properties}; times in milliseconds. Filled in once
 * at the start, never changed after.
 */
public final class ControllerConfig {
  private final int nodeId;
  private final String clusterId;
  private long sessionTimeoutMs = 9_000;
  private int numPartitions = 1;
  private int replicationFactor = 1;
  private boolean deleteTopicEnable = true;
  private boolean uncleanElection;
  private int minInSyncReplicas = 1;
  private boolean rebalanceLeaders = true;
  private long imbalanceCheckIntervalMs = 300_000;
  private long uncleanElectionIntervalMs = 300_000;
  private long maxIdleIntervalMs = 500;
  private int quotaWindows = 11;
  private long quotaWindowMs = 1_000;
  private Predicate<String> isHost = name -> false;
  private Map<String, VersionRange> features = supportedFeatures();

  public ControllerConfig(int nodeId, String clusterId) {
    this.nodeId = nodeId;
    this.clusterId = clusterId;
  }

  /** As server.properties says. */
  public static ControllerConfig of(KafkaConfig c, String clusterId) {
    return new ControllerConfig(c.node().nodeId(), clusterId)
        .sessionTimeoutMs(c.broker().sessionTimeoutMs())
        .numPartitions(c.topics().numPartitions())
        .replicationFactor(c.topics().replicationFactor())
        .deleteTopicEnable(c.topics().deleteEnabled())
        .uncleanElection(c.replication().uncleanLeaderElection())
        .minInSyncReplicas(c.replication().minInsyncReplicas())
        .rebalanceLeaders(c.replication().autoLeaderRebalance())
        .imbalanceCheckIntervalMs(c.replication().leaderImbalanceCheckIntervalMs())
        .quotaWindows(c.quotas().mutations().windows(), c.quotas().mutations().windowMs())
        .maxIdleIntervalMs(c.quorum().log().maxIdleIntervalMs());
  }

  /** The feature levels that this code has: no feature is named before it is built. */
  public static Map<String, VersionRange> supportedFeatures() {
    Map<String, VersionRange> features = new TreeMap<>();
    features.put(FeaturesImage.ELR_VERSION, VersionRange.of(0, 1));
    features.put(FeaturesImage.GROUP_VERSION, VersionRange.of(0, 1));
    features.put(QuorumConfig.KRAFT_VERSION, QuorumConfig.KRAFT_VERSIONS);
    features.put(FeaturesImage.METADATA_VERSION, VersionRange.of(7, 33));
    return features;
  }

  public int nodeId() {
    return nodeId;
  }

  public String clusterId() {
    return clusterId;
  }

  /** {@code broker.session.timeout.ms}. */
  public long sessionTimeoutMs() {
    return sessionTimeoutMs;
  }

  public ControllerConfig sessionTimeoutMs(long v) {
    sessionTimeoutMs = v;
    return this;
  }

  /** {@code num.partitions}. */
  public int numPartitions() {
    return numPartitions;
  }

  public ControllerConfig numPartitions(int v) {
    numPartitions = v;
    return this;
  }

  /** {@code default.replication.factor}. */
  public int replicationFactor() {
    return replicationFactor;
  }

  public ControllerConfig replicationFactor(int v) {
    replicationFactor = v;
    return this;
  }

  /** {@code delete.topic.enable}. */
  public boolean deleteTopicEnable() {
    return deleteTopicEnable;
  }

  public ControllerConfig deleteTopicEnable(boolean v) {
    deleteTopicEnable = v;
    return this;
  }

  /** {@code unclean.leader.election.enable} of server.properties. */
  public boolean uncleanElection() {
    return uncleanElection;
  }

  public ControllerConfig uncleanElection(boolean v) {
    uncleanElection = v;
    return this;
  }

  /** {@code min.insync.replicas} of server.properties. */
  public int minInSyncReplicas() {
    return minInSyncReplicas;
  }

  public ControllerConfig minInSyncReplicas(int v) {
    minInSyncReplicas = v;
    return this;
  }

  /** {@code auto.leader.rebalance.enable}. */
  public boolean rebalanceLeaders() {
    return rebalanceLeaders;
  }

  public ControllerConfig rebalanceLeaders(boolean v) {
    rebalanceLeaders = v;
    return this;
  }

  /** {@code leader.imbalance.check.interval.seconds}, here in milliseconds. */
  public long imbalanceCheckIntervalMs() {
    return imbalanceCheckIntervalMs;
  }

  public ControllerConfig imbalanceCheckIntervalMs(long v) {
    imbalanceCheckIntervalMs = v;
    return this;
  }

  /** {@code unclean.leader.election.interval.ms}. */
  public long uncleanElectionIntervalMs() {
    return uncleanElectionIntervalMs;
  }

  public ControllerConfig uncleanElectionIntervalMs(long v) {
    uncleanElectionIntervalMs = v;
    return this;
  }

  /** {@code metadata.max.idle.interval.ms}: how often an idle log gets a no-op; 0 for never. */
  public long maxIdleIntervalMs() {
    return maxIdleIntervalMs;
  }

  public ControllerConfig maxIdleIntervalMs(long v) {
    maxIdleIntervalMs = v;
    return this;
  }

  /** {@code controller.quota.window.num}. */
  public int quotaWindows() {
    return quotaWindows;
  }

  /** {@code controller.quota.window.size.seconds}, here in milliseconds. */
  public long quotaWindowMs() {
    return quotaWindowMs;
  }

  public ControllerConfig quotaWindows(int number, long lengthMs) {
    quotaWindows = number;
    quotaWindowMs = lengthMs;
    return this;
  }

  /** Whether quotas may be set for it: an address, or the name of a host that has one. */
  public Predicate<String> isHost() {
    return isHost;
  }

  /** Called on the quorum loop, so it must not block. */
  public ControllerConfig isHost(Predicate<String> v) {
    isHost = v;
    return this;
  }

  /** Supported levels by name, sorted. */
  public Map<String, VersionRange> features() {
    return features;
  }

  public ControllerConfig features(Map<String, VersionRange> v) {
    features = new TreeMap<>(v);
    return this;
  }
}
