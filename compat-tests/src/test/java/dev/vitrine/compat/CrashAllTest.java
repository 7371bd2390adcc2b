package dev.vitrine.compat;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** All nodes are killed at once in the middle of writes, and started again. */
@Tag("smoke")
class CrashAllTest {
  private static final String TOPIC = "crashed";
  private static final int PARTITIONS = 3;

  /** About a megabyte in ten batches a partition and second: segments roll while it writes. */
  private static final String PADDING = "p".repeat(4_000);

  @Test
  void whatWasAcknowledgedOutlivesACrashOfAll() throws Exception {
    try (ClusterUnderTest cluster = LocalCluster.start("crash-all", 3, Map.of())) {
      Clients clients = new Clients(cluster.bootstrap());
      NewTopic topic = new NewTopic(TOPIC, PARTITIONS, (short) 3);
      clients.createTopic(topic.configs(Map.of("segment.bytes", "1048576")));
      try (Writer writer = new Writer(clients, PADDING, TOPIC, PARTITIONS, Map.of());
          Admin admin = clients.admin()) {
        Await.until("it writes", () -> writer.countAcknowledged() > 1_000);
        for (int id : cluster.nodes()) {
          cluster.kill(id);
        }
        int before = writer.countAcknowledged();
        for (int id : cluster.nodes()) {
          cluster.start(id);
        }
        cluster.awaitReady();
        Await.until("it writes again", () -> writer.countAcknowledged() > before + 200);
        writer.finish();
        assertEquals(List.of(), writer.failures());
        Clients.awaitInSync(admin, TOPIC, 3);
        History.of(List.of(writer)).checkLog(clients.readAll(TOPIC));
      }
      cluster.stopAll();
      for (int id : cluster.nodes()) {
        // Kafka's lets a process that was killed keep its place until its session runs out.
        assertFalse(
            Target.isVitrine() && cluster.output(id).contains("DUPLICATE_BROKER_REGISTRATION"),
            "node " + id + " waited for the session of its own dead process");
        LogFiles.requireSound(LogFiles.partitions(cluster.logDir(id)));
        String metadata = LogFiles.metadata(cluster.logDir(id));
        assertTrue(metadata.contains("REGISTER_BROKER_RECORD"), metadata);
        assertTrue(metadata.contains("\"name\":\"" + TOPIC + "\""), metadata);
      }
    }
  }
}
