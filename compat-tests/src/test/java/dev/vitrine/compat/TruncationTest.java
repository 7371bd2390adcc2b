package dev.vitrine.compat;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A leader that has records which nobody else has dies, the others go on without them, and it comes
 * back: it must give those records up and take what the others wrote in their place.
 */
@Tag("smoke")
class TruncationTest {
  private static final String TOPIC = "diverged";
  private static final TopicPartition PARTITION = new TopicPartition(TOPIC, 0);
  private static final int SHARED = 100;
  private static final int LOST = 40;
  private static final int LATER = 25;

  /** Longer than a follower's fetch may wait at the leader ({@code replica.fetch.wait.max.ms}). */
  private static final int PAUSE_MS = 1_500;

  @Test
  void aLeaderThatReturnsGivesUpWhatOnlyItHad() throws Exception {
    try (ClusterUnderTest cluster = LocalCluster.start("truncation", 3, Map.of())) {
      Clients clients = new Clients(cluster.bootstrap());
      clients.createTopic(new NewTopic(TOPIC, 1, (short) 3));
      int leader;
      try (Admin admin = clients.admin()) {
        Clients.awaitInSync(admin, TOPIC, 3);
        leader = Clients.awaitLeader(admin, PARTITION);
      }
      List<Integer> followers = cluster.nodes().stream().filter(id -> id != leader).toList();
      String leaderOnly = "127.0.0.1:" + cluster.clientPort(leader);
      write(clients.producer(Map.of("acks", "all")), "shared", SHARED);

      try (KafkaProducer<String, String> producer =
          new Clients(leaderOnly).producer(Map.of("acks", "1", "enable.idempotence", false))) {
        producer.partitionsFor(TOPIC);
        for (int follower : followers) {
          cluster.pause(follower);
        }
        Thread.sleep(PAUSE_MS);
        List<Long> offsets = write(producer, "lost", LOST);
        assertEquals((long) SHARED + LOST - 1, offsets.get(LOST - 1));
        cluster.kill(leader);
      }
      for (int follower : followers) {
        cluster.resume(follower);
      }
      try (Admin admin = clients.admin()) {
        Await.until(
            "another node leads",
            () -> Clients.leader(admin, PARTITION).filter(id -> id != leader).isPresent());
        List<Long> offsets = write(clients.producer(Map.of("acks", "all")), "later", LATER);
        assertEquals((long) SHARED, offsets.get(0));

        cluster.start(leader);
        cluster.awaitReady();
        Clients.awaitInSync(admin, TOPIC, 3);
      }
      requireSaidSo(cluster.output(leader));
      cluster.stopAll();
      requireSame(cluster);
    }
  }

  private static List<Long> write(KafkaProducer<String, String> producer, String name, int count)
      throws Exception {
    List<Long> offsets = new ArrayList<>();
    try (producer) {
      for (int i = 0; i < count; i++) {
        offsets.add(producer.send(new ProducerRecord<>(TOPIC, name + i)).get().offset());
      }
    }
    return offsets;
  }

  /** Our log names partition, old and new end. */
  private static void requireSaidSo(String output) {
    if (!Target.isVitrine()) {
      return;
    }
    List<String> lines =
        output
            .lines()
            .filter(line -> line.contains("truncated") && line.contains(PARTITION.toString()))
            .toList();
    String words = "truncated from offset %d to offset %d".formatted(SHARED + LOST, SHARED);
    assertTrue(
        lines.stream().anyMatch(line -> line.contains(words)),
        () -> "no line says '" + words + "': " + lines);
  }

  private static void requireSame(ClusterUnderTest cluster) throws Exception {
    List<String> first = LogFiles.records(cluster.logDir(1).resolve(PARTITION.toString()));
    assertEquals(SHARED + LATER, first.size());
    assertTrue(first.get(SHARED).contains("payload: later0"), first.get(SHARED));
    for (int id : cluster.nodes()) {
      assertEquals(
          first, LogFiles.records(cluster.logDir(id).resolve(PARTITION.toString())), "node " + id);
    }
  }
}
