package dev.vitrine.compat;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.vitrine.compat.TruncationStage.Mode;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.FeatureUpdate;
import org.apache.kafka.clients.admin.FeatureUpdate.UpgradeType;
import org.apache.kafka.clients.admin.UpdateFeaturesOptions;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartitionInfo;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.NotEnoughReplicasException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Eligible leader replicas (KIP-966): the last one of a partition dies, perhaps with a loss, and
 * another that has all that was acknowledged takes over. Before, only the last one could lead
 * again. Nodes 2 and 3 have the partition, which asks for two in sync.
 */
class Kip966Test {
  private static final String TOPIC = TruncationStage.TOPIC;
  private static final String FEATURE = "eligible.leader.replicas.version";
  private static final String MIN_IN_SYNC = "min.insync.replicas";

  private static TruncationStage stage(String name) throws Exception {
    return new TruncationStage(name, Mode.LEADER_EPOCH, List.of(2, 3), Map.of(), Map.of());
  }

  /** Leader (-1 for none), in-sync replicas, ELR, last known ELR. */
  private static void awaitPartition(
      Admin admin, int leader, List<Integer> isr, List<Integer> elr, List<Integer> lastKnown)
      throws Exception {
    List<Object> wanted = List.of(leader, isr, elr, lastKnown);
    Object[] last = {null};
    try {
      Await.until(
          "partition becomes " + wanted,
          () -> {
            List<TopicPartitionInfo> all = Clients.partitions(admin, TOPIC);
            last[0] = all.isEmpty() ? null : state(all.get(0));
            return wanted.equals(last[0]);
          });
    } catch (AssertionError e) {
      throw new AssertionError(e.getMessage() + ", it is " + last[0], e);
    }
  }

  private static List<Object> state(TopicPartitionInfo p) {
    int leader = p.leader() == null || p.leader().isEmpty() ? -1 : p.leader().id();
    return List.of(leader, ids(p.isr()), ids(p.elr()), ids(p.lastKnownElr()));
  }

  private static List<Integer> ids(List<Node> nodes) {
    return nodes.stream().map(Node::id).sorted().toList();
  }

  /** Taken by the leader alone, so that it is gone when another leads. */
  private static void writeUnacknowledgedByOthers(TruncationStage stage, String value)
      throws Exception {
    try (KafkaProducer<String, String> producer =
        stage.clients.producer(Map.of("acks", "1", "enable.idempotence", "false"))) {
      producer.send(new ProducerRecord<>(TOPIC, value)).get();
    }
  }

  @Test
  @Tag("smoke")
  void anEligibleReplicaTakesOverFromTheLastLeader() throws Exception {
    try (TruncationStage stage = stage("kip966-takes-over");
        Admin admin = stage.clients.admin()) {
      stage.write(0, "m0", "m1");
      stage.cluster.stop(3);
      awaitPartition(admin, 2, List.of(2), List.of(3), List.of());
      refusesToWrite(stage);
      writeUnacknowledgedByOthers(stage, "alone");
      assertEquals(List.of("m0", "m1"), stage.read());
      stage.cluster.kill(2);
      awaitPartition(admin, -1, List.of(), List.of(2, 3), List.of(2));

      stage.cluster.start(3);
      // What is committed it may only say with another: readers wait until then (KIP-207).
      awaitPartition(admin, 3, List.of(3), List.of(2), List.of());

      stage.cluster.start(2);
      awaitPartition(admin, 3, List.of(2, 3), List.of(), List.of());
      assertEquals(List.of("m0", "m1"), stage.read());
      stage.write(2, "m2");
      List<String> all = List.of("m0", "m1", "m2");
      assertEquals(all, stage.read());
      assertEquals(Map.of(2, all, 3, all), stage.stopAndCompare(2, 3));
    }
  }

  private static void refusesToWrite(TruncationStage stage) {
    try (KafkaProducer<String, String> producer =
        stage.clients.producer(Map.of("retries", "0", "enable.idempotence", "false"))) {
      ExecutionException e =
          assertThrows(
              ExecutionException.class,
              () -> producer.send(new ProducerRecord<>(TOPIC, "refused")).get());
      assertTrue(e.getCause() instanceof NotEnoughReplicasException, e.toString());
    }
  }

  @Test
  @Tag("smoke")
  void theLastLeaderIsNotElectedWhenItMayHaveLostSomething() throws Exception {
    try (TruncationStage stage = stage("kip966-lost");
        Admin admin = stage.clients.admin()) {
      stage.write(0, "m0", "m1");
      stage.cluster.stop(3);
      awaitPartition(admin, 2, List.of(2), List.of(3), List.of());
      stage.cluster.kill(2);
      awaitPartition(admin, -1, List.of(), List.of(2, 3), List.of(2));
      stage.loseLastBatch(2);

      stage.cluster.start(2);
      stage.cluster.awaitReady();
      awaitPartition(admin, -1, List.of(), List.of(3), List.of(2));
      stage.cluster.start(3);
      stage.cluster.awaitReady();
      awaitPartition(admin, 3, List.of(2, 3), List.of(), List.of());
      assertEquals(List.of("m0", "m1"), stage.read());
      assertEquals(
          Map.of(2, List.of("m0", "m1"), 3, List.of("m0", "m1")), stage.stopAndCompare(2, 3));
    }
  }

  @Test
  @Tag("full")
  void theLastLeaderIsElectedWhenNobodyElseIsEligible() throws Exception {
    try (TruncationStage stage = stage("kip966-last-known");
        Admin admin = stage.clients.admin()) {
      stage.write(0, "m0", "m1");
      stage.cluster.kill(3);
      awaitPartition(admin, 2, List.of(2), List.of(3), List.of());
      stage.cluster.kill(2);
      awaitPartition(admin, -1, List.of(), List.of(2, 3), List.of(2));

      stage.cluster.start(3);
      stage.cluster.awaitReady();
      awaitPartition(admin, -1, List.of(), List.of(2), List.of(2));
      stage.cluster.start(2);
      stage.cluster.awaitReady();
      awaitPartition(admin, 2, List.of(2, 3), List.of(), List.of());
      assertEquals(List.of("m0", "m1"), stage.read());
    }
  }

  @Test
  @Tag("full")
  void minInSyncReplicasIsOneValueAndItsChangeMakesNobodyEligible() throws Exception {
    try (TruncationStage stage = stage("kip966-config");
        Admin admin = stage.clients.admin()) {
      assertEquals(
          List.of("2", ConfigEntry.ConfigSource.DYNAMIC_DEFAULT_BROKER_CONFIG),
          minInSync(admin, new ConfigResource(ConfigResource.Type.BROKER, "1")));
      assertEquals(
          "Broker-level min.insync.replicas cannot be altered while ELR is enabled.",
          set(admin, ConfigResource.Type.BROKER, "1", "1"));
      assertEquals(
          "Cluster-level min.insync.replicas cannot be removed while ELR is enabled.",
          set(admin, ConfigResource.Type.BROKER, "", null));

      stage.cluster.stop(3);
      awaitPartition(admin, 2, List.of(2), List.of(3), List.of());
      assertEquals("", set(admin, ConfigResource.Type.TOPIC, TOPIC, "2"));
      awaitPartition(admin, 2, List.of(2), List.of(), List.of());
    }
  }

  @Test
  @Tag("full")
  void theFeatureGoesDownAndUp() throws Exception {
    try (TruncationStage stage = stage("kip966-feature");
        Admin admin = stage.clients.admin()) {
      update(admin, 0, UpgradeType.SAFE_DOWNGRADE, true);
      assertEquals(1, level(admin));
      update(admin, 0, UpgradeType.SAFE_DOWNGRADE, false);
      Await.until("the feature is down", () -> level(admin) == 0);
      assertEquals("", set(admin, ConfigResource.Type.BROKER, "2", "1"));
      assertEquals("", set(admin, ConfigResource.Type.BROKER, "", null));
      stage.cluster.stop(3);
      awaitPartition(admin, 2, List.of(2), List.of(), List.of());
      stage.cluster.kill(2);
      awaitPartition(admin, -1, List.of(2), List.of(), List.of());
      stage.cluster.start(2);
      awaitPartition(admin, 2, List.of(2), List.of(), List.of());
      update(admin, 1, UpgradeType.UPGRADE, false);
      Await.until("the feature is up", () -> level(admin) == 1);
      assertEquals(
          List.of("2", ConfigEntry.ConfigSource.DYNAMIC_DEFAULT_BROKER_CONFIG),
          minInSync(admin, new ConfigResource(ConfigResource.Type.BROKER, "2")));
      stage.cluster.kill(2);
      awaitPartition(admin, -1, List.of(), List.of(2), List.of(2));
    }
  }

  private static List<Object> minInSync(Admin admin, ConfigResource of) throws Exception {
    ConfigEntry entry = admin.describeConfigs(List.of(of)).all().get().get(of).get(MIN_IN_SYNC);
    return List.of(entry.value(), entry.source());
  }

  /** Sets or, with null, removes the key; says why that is refused. */
  private static String set(Admin admin, ConfigResource.Type type, String name, String value)
      throws Exception {
    AlterConfigOp op =
        new AlterConfigOp(
            new ConfigEntry(MIN_IN_SYNC, value == null ? "" : value),
            value == null ? AlterConfigOp.OpType.DELETE : AlterConfigOp.OpType.SET);
    try {
      admin
          .incrementalAlterConfigs(Map.of(new ConfigResource(type, name), List.of(op)))
          .all()
          .get();
      return "";
    } catch (ExecutionException e) {
      return e.getCause().getMessage();
    }
  }

  private static void update(Admin admin, int level, UpgradeType type, boolean validateOnly)
      throws Exception {
    admin
        .updateFeatures(
            Map.of(FEATURE, new FeatureUpdate((short) level, type)),
            new UpdateFeaturesOptions().validateOnly(validateOnly))
        .all()
        .get();
  }

  private static int level(Admin admin) throws Exception {
    var range = admin.describeFeatures().featureMetadata().get().finalizedFeatures().get(FEATURE);
    return range == null ? 0 : range.maxVersionLevel();
  }
}
