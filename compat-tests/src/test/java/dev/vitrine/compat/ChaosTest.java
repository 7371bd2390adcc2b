package dev.vitrine.compat;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Idempotent producers with acks=all and a consumer group go on while the leader of one of their
 * partitions is killed again and again. Lasts {@code -Dchaos.seconds}, and longer if the killed
 * node takes longer to come back.
 */
@Tag("smoke")
class ChaosTest {
  private static final int SECONDS = Integer.getInteger("chaos.seconds", 20);

  /** One kill every ten seconds; in a short run two of them all the same. */
  private static final Duration BETWEEN_KILLS = Duration.ofMillis(Math.min(10_000, SECONDS * 500L));

  private static final String TOPIC = "chaos";
  private static final int PARTITIONS = 3;

  @Test
  void nothingAcknowledgedIsLostWhenLeadersAreKilled() throws Exception {
    try (ClusterUnderTest cluster = LocalCluster.start("chaos", 3, Map.of())) {
      Clients clients = new Clients(cluster.bootstrap());
      clients.createTopic(new NewTopic(TOPIC, PARTITIONS, (short) 3));
      Set<String> consumed = ConcurrentHashMap.newKeySet();
      List<Writer> writers = new ArrayList<>();
      try (GroupReader reader = new GroupReader(clients, "chaos", TOPIC, consumed);
          GroupReader other = new GroupReader(clients, "chaos", TOPIC, consumed);
          Admin admin = clients.admin()) {
        for (String name : List.of("a", "b")) {
          writers.add(new Writer(clients, name, TOPIC, PARTITIONS, Map.of()));
        }
        Await.until(
            "the writers write", () -> writers.stream().allMatch(w -> w.countAcknowledged() > 50));
        int kills = killLeaders(cluster, admin);
        for (Writer writer : writers) {
          writer.finish();
          assertEquals(List.of(), writer.failures());
        }
        History history = History.of(writers);
        Await.until(
            "the group has consumed all that was acknowledged", () -> history.isConsumed(consumed));
        history.checkLog(clients.readAll(TOPIC));
        assertEquals(List.of(), reader.disorder());
        assertEquals(List.of(), other.disorder());
        System.out.printf(
            "chaos: %s: %d kills of a leader, %d records acknowledged, none lost, none doubled;"
                + " longest gap between acknowledgements of a partition %d ms%n",
            Target.chosen().name(),
            kills,
            history.size(),
            writers.stream().mapToLong(Writer::longestGapMs).max().orElseThrow());
        assertTrue(kills >= 2);
      } finally {
        for (Writer writer : writers) {
          writer.close();
        }
      }
    }
  }

  private static int killLeaders(ClusterUnderTest cluster, Admin admin) throws Exception {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS);
    int kills = 0;
    while (System.nanoTime() < end) {
      long next = System.nanoTime() + BETWEEN_KILLS.toNanos();
      TopicPartition partition = new TopicPartition(TOPIC, kills % PARTITIONS);
      int leader = Clients.awaitLeader(admin, partition);
      cluster.kill(leader);
      kills++;
      Thread.sleep(BETWEEN_KILLS.toMillis() / 2);
      cluster.start(leader);
      cluster.awaitReady();
      Clients.awaitInSync(admin, TOPIC, 3);
      Thread.sleep(Math.max(0, TimeUnit.NANOSECONDS.toMillis(next - System.nanoTime())));
    }
    return kills;
  }
}
