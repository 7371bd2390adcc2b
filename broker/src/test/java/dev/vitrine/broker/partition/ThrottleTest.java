package dev.vitrine.broker.partition;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.vitrine.config.KafkaConfig;
import dev.vitrine.config.ThrottledReplicas;
import dev.vitrine.config.TopicConfigs;
import dev.vitrine.protocol.record.AppendRules;
import dev.vitrine.sim.SimWorld;
import dev.vitrine.storage.LogConfig;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The replication throttle (KIP-73), in simulated time. */
class ThrottleTest {
  private static final int RATE = 10_000;

  private final SimWorld world = new SimWorld(1);
  private final Replica leader = new Replica(world, 1, 1);
  private final Replica follower = new Replica(world, 2, 1);
  private final ReplicationQuota quota = new ReplicationQuota(11, 1_000);

  private void throttle(Replica replica, boolean asLeader) {
    Throttle t = new Throttle(new ThrottledReplicas(false, Set.of(0)), quota);
    replica.partition.settings(
        new TopicSettings(
            LogConfig.builder().build(),
            AppendRules.DEFAULTS,
            1,
            asLeader ? t : Throttle.NONE,
            asLeader ? Throttle.NONE : t));
  }

  /** Leads with broker 1 alone in sync, or with both. */
  private void lead(List<Integer> isr) {
    leader.lead(1, 0, 0, isr);
    follower.lead(1, 0, 0, isr);
  }

  private void write(int records) {
    for (int i = 0; i < records; i++) {
      leader.append(1, 0, "x".repeat(1_000));
    }
  }

  private int fetched(int broker, long offset) {
    ReadOutcome o = leader.fetchAs(broker, offset);
    int bytes = o.records().sizeInBytes();
    o.records().release();
    return bytes;
  }

  @Test
  void rateIsBytesOverTheWindowsThatCount() {
    quota.limit(RATE);
    assertFalse(quota.isExceeded(5_000));
    quota.record(RATE, 5_000);
    assertFalse(quota.isExceeded(5_500));
    quota.record(1, 5_500);
    assertTrue(quota.isExceeded(5_999));
    quota.record(4 * RATE, 6_000);
    assertTrue(quota.isExceeded(9_000));
    assertFalse(quota.isExceeded(10_100));
    // All of it is forgotten after eleven windows.
    quota.record(100 * RATE, 11_000);
    assertTrue(quota.isExceeded(21_900));
    assertFalse(quota.isExceeded(22_000));
    quota.record(100 * RATE, 23_000);
    assertTrue(quota.isExceeded(23_000));
    quota.limit(ReplicationQuota.UNLIMITED);
    assertFalse(quota.isExceeded(23_000));
  }

  @Test
  void leaderGivesNothingToAThrottledFollowerBeyondTheRate() {
    lead(List.of(1));
    throttle(leader, true);
    write(5);
    assertTrue(fetched(2, 0) > 0);
    quota.limit(RATE);
    quota.record(2 * RATE, leader.shard.ticks());
    assertEquals(0, fetched(2, 1));
    // It is told all the same how far the leader is, and it is known how far it is itself.
    assertEquals(5, leader.fetchAs(2, 1).highWatermark());
    assertTrue(fetched(-1, 0) > 0, "consumers are not throttled");
    world.runFor(2_700);
    assertTrue(fetched(2, 1) > 0);
  }

  @Test
  void leaderNeverThrottlesWhoIsInSync() {
    lead(List.of(1, 2));
    throttle(leader, true);
    write(5);
    quota.limit(1);
    quota.record(RATE, leader.shard.ticks());
    assertTrue(fetched(2, 0) > 0);
    assertEquals(0, fetched(3, 0));
  }

  @Test
  void onlyTheNamedPartitionsAreThrottled() {
    lead(List.of(1));
    leader.partition.settings(
        new TopicSettings(
            LogConfig.builder().build(),
            AppendRules.DEFAULTS,
            1,
            new Throttle(new ThrottledReplicas(false, Set.of(1, 2)), quota),
            Throttle.NONE));
    write(5);
    quota.limit(1);
    quota.record(RATE, leader.shard.ticks());
    assertTrue(fetched(2, 0) > 0);
  }

  @Test
  void followerIsHeldBackUntilItHasCaughtUp() {
    lead(List.of(1));
    throttle(follower, false);
    write(5);
    assertFalse(follower.partition.following().isHeldBack());
    quota.limit(RATE);
    quota.record(2 * RATE, follower.shard.ticks());
    assertTrue(follower.partition.following().isHeldBack());
    follower.follow(leader, 2);
    assertFalse(follower.partition.following().isHeldBack(), "it has everything");
    // A new leader: who knows what that has.
    follower.lead(3, 1, 1, List.of(3));
    assertTrue(follower.partition.following().isHeldBack());
    world.runFor(12_000);
    assertFalse(follower.partition.following().isHeldBack());
  }

  /** Both sides together: over a minute a follower gets what the rate allows, and not less. */
  @Test
  void copiesAtTheRate() {
    lead(List.of(1));
    throttle(leader, true);
    write(2_000);
    quota.limit(RATE);
    long bytes = 0;
    long offset = 0;
    for (int i = 0; i < 600; i++) {
      ReadOutcome o =
          leader.partition.read(
              new ReadRequest(
                  2, 102, -1, offset, -1, 0, 3_300, true, true, ReadLimit.LOG_END, false));
      int size = o.records().sizeInBytes();
      o.records().release();
      bytes += size;
      offset += size / 1_000;
      world.runFor(100);
    }
    assertTrue(bytes <= 66 * RATE, bytes + " bytes in a minute");
    assertTrue(bytes >= 54 * RATE, bytes + " bytes in a minute");
  }

  @Test
  void readsWhatATopicSaysOfThisBroker() {
    KafkaConfig config =
        KafkaConfig.parse(
            Map.of(
                "process.roles", "broker",
                "node.id", "2",
                "controller.quorum.voters", "9@localhost:9093",
                "listeners", "PLAINTEXT://localhost:9092",
                "controller.listener.names", "CONTROLLER"));
    String key = "leader.replication.throttled.replicas";
    assertEquals(ThrottledReplicas.NONE, TopicConfigs.throttledLeaders(Map.of(), config));
    assertEquals(ThrottledReplicas.NONE, TopicConfigs.throttledLeaders(Map.of(key, ""), config));
    assertEquals(
        Set.of(0, 7),
        TopicConfigs.throttledLeaders(Map.of(key, "0:2,1:1, 7:2"), config).partitions());
    assertTrue(TopicConfigs.throttledLeaders(Map.of(key, "*"), config).contains(77));
    assertEquals(ThrottledReplicas.NONE, TopicConfigs.throttledFollowers(Map.of(key, "*"), config));
  }
}
