package dev.vitrine.compat;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.LogDirDescription;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.TopicPartitionInfo;
import org.apache.kafka.common.errors.KafkaStorageException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * One of two {@code log.dirs} of a broker goes away while it runs (KIP-858): others take over what
 * it led there, it keeps the rest, and has everything again when the directory is back.
 */
class FailedDirectoryTest {
  private static final String TOPIC = "scattered";
  private static final int PARTITIONS = 6;
  private static final String PADDING = "p".repeat(100_000);

  @Test
  @Tag("full")
  void leadershipsLeaveAFailedDirectory() throws Exception {
    String dirs = LocalCluster.NODE_FOLDER + "/a," + LocalCluster.NODE_FOLDER + "/b";
    try (ClusterUnderTest cluster =
        LocalCluster.start(
            "failed-directory",
            3,
            Map.of("log.dirs", dirs, "auto.leader.rebalance.enable", "false"))) {
      Clients clients = new Clients(cluster.bootstrap());
      NewTopic topic = new NewTopic(TOPIC, PARTITIONS, (short) 3);
      clients.createTopic(topic.configs(Map.of("segment.bytes", "1048576")));
      try (Admin admin = clients.admin();
          KafkaProducer<String, String> producer = clients.producer(Map.of("acks", "all"))) {
        Clients.awaitInSync(admin, TOPIC, 3);
        TopicPartition there = ledIn(admin, "b");
        int node = Clients.leader(admin, there).orElseThrow();
        Path directory = cluster.logDir(node).resolve("b");
        Path aside = cluster.logDir(node).resolve("b-aside");
        // Files that are open still work; the next segment can't be made.
        Files.move(directory, aside);
        List<String> written = new ArrayList<>();
        for (int i = 0; i < 30; i++) {
          written.add("m" + i);
          producer.send(new ProducerRecord<>(TOPIC, there.partition(), "m" + i, PADDING)).get();
        }
        Await.until(
            there + " is led by another than " + node,
            () -> Clients.leader(admin, there).filter(id -> id != node).isPresent());
        Await.until(
            "node " + node + " is in sync where its directory works, and only there",
            () -> isInSyncWhereItHasAReplica(admin, node));
        assertTrue(cluster.isRunning(node));
        Map<String, LogDirDescription> described = logDirs(admin, node);
        assertInstanceOf(KafkaStorageException.class, described.get(directory.toString()).error());
        assertNull(described.get(cluster.logDir(node).resolve("a").toString()).error());
        assertEquals(written, keys(clients, there));

        cluster.stop(node);
        Files.move(aside, directory);
        cluster.start(node);
        cluster.awaitReady();
        Clients.awaitInSync(admin, TOPIC, 3);
        assertEquals(written, keys(clients, there));
      }
    }
  }

  private static boolean isInSyncWhereItHasAReplica(Admin admin, int node) throws Exception {
    for (TopicPartitionInfo p : Clients.partitions(admin, TOPIC)) {
      boolean has = directoryOf(admin, new TopicPartition(TOPIC, p.partition()), node) != null;
      if (has != p.isr().stream().anyMatch(n -> n.id() == node)
          || !has && p.leader().id() == node) {
        return false;
      }
    }
    return true;
  }

  private static List<String> keys(Clients clients, TopicPartition partition) throws Exception {
    return clients.readAll(TOPIC).stream()
        .filter(r -> r.partition() == partition.partition())
        .map(ConsumerRecord::key)
        .toList();
  }

  private static Map<String, LogDirDescription> logDirs(Admin admin, int node) throws Exception {
    return admin.describeLogDirs(List.of(node)).descriptions().get(node).get();
  }

  /** The folder's name; null if the node tells of none. */
  private static String directoryOf(Admin admin, TopicPartition partition, int node)
      throws Exception {
    for (Map.Entry<String, LogDirDescription> e : logDirs(admin, node).entrySet()) {
      if (e.getValue().error() == null && e.getValue().replicaInfos().containsKey(partition)) {
        return Path.of(e.getKey()).getFileName().toString();
      }
    }
    return null;
  }

  /** A partition whose leader has it in this directory. */
  private static TopicPartition ledIn(Admin admin, String directory) throws Exception {
    for (TopicPartitionInfo p : Clients.partitions(admin, TOPIC)) {
      TopicPartition partition = new TopicPartition(TOPIC, p.partition());
      if (directory.equals(directoryOf(admin, partition, p.leader().id()))) {
        return partition;
      }
    }
    throw new AssertionError("no leader has its partition in " + directory);
  }
}
