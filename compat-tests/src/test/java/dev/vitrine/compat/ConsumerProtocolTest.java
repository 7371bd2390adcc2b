package dev.vitrine.compat;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ConsumerGroupDescription;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.SubscriptionPattern;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.GroupState;
import org.apache.kafka.common.GroupType;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Stock consumers with {@code group.protocol=consumer} (KIP-848): they share, hand over, outlive
 * their coordinator, and get along with members of the classic protocol. No partition is ever given
 * to two at a time, and no record is missed.
 */
@Tag("smoke")
class ConsumerProtocolTest {
  private static final int PARTITIONS = 4;

  private static ClusterUnderTest cluster;
  private static Clients clients;
  private final GroupMember.Shared shared = new GroupMember.Shared();
  private int sent;

  @BeforeAll
  static void start() throws Exception {
    cluster =
        LocalCluster.start(
            "consumers",
            3,
            Map.of(
                "group.consumer.heartbeat.interval.ms", "200",
                "group.consumer.min.heartbeat.interval.ms", "200",
                "group.consumer.assignment.interval.ms", "0",
                "group.initial.rebalance.delay.ms", "0"));
    clients = new Clients(cluster.bootstrap());
  }

  @AfterAll
  static void stop() {
    if (cluster != null) {
      cluster.close();
    }
  }

  private GroupMember member(String group, String name, GroupMember.Subscription to) {
    return member(group, name, to, Map.of("group.protocol", "consumer"));
  }

  private GroupMember classic(String group, String name, String topic) {
    return member(
        group,
        name,
        GroupMember.to(topic),
        Map.of(
            "group.protocol", "classic",
            "heartbeat.interval.ms", "200",
            "partition.assignment.strategy",
                "org.apache.kafka.clients.consumer.CooperativeStickyAssignor"));
  }

  private GroupMember member(
      String group, String name, GroupMember.Subscription to, Map<String, Object> config) {
    Map<String, Object> all = new HashMap<>(config);
    all.put("group.id", group);
    all.put("client.id", name);
    all.put("auto.commit.interval.ms", "100");
    return new GroupMember(name, shared, clients.consumer(all), to);
  }

  private void topic(String name) throws Exception {
    clients.createTopic(new NewTopic(name, PARTITIONS, (short) 3));
  }

  /** Sends more records to all partitions, and waits until the group has read them. */
  private void exchange(String topic) throws Exception {
    Set<String> values = new TreeSet<>();
    try (KafkaProducer<String, String> producer = clients.producer(Map.of("acks", "all"))) {
      for (int i = 0; i < 40; i++) {
        String value = topic + "-" + sent++;
        producer.send(new ProducerRecord<>(topic, i % PARTITIONS, null, value)).get();
        values.add(value);
      }
    }
    Await.until("the group reads " + values, () -> shared.read.containsAll(values));
    assertEquals(Set.of(), shared.violations);
  }

  private static void awaitShare(int each, GroupMember... members) throws Exception {
    Await.until(
        "each member has " + each + " partitions",
        () -> List.of(members).stream().allMatch(m -> m.owned().size() == each));
  }

  private static ConsumerGroupDescription describe(String group) throws Exception {
    try (Admin admin = clients.admin()) {
      return admin.describeConsumerGroups(List.of(group)).all().get().get(group);
    }
  }

  private static void awaitState(String group, GroupState state) throws Exception {
    Await.until(group + " is " + state, () -> describe(group).groupState() == state);
  }

  private static long committed(String group) throws Exception {
    try (Admin admin = clients.admin()) {
      Map<TopicPartition, OffsetAndMetadata> offsets =
          admin.listConsumerGroupOffsets(group).partitionsToOffsetAndMetadata().get();
      return offsets.values().stream().mapToLong(OffsetAndMetadata::offset).sum();
    }
  }

  @Test
  void membersShareAndHandOver() throws Exception {
    topic("shared");
    GroupMember a = member("share", "a", GroupMember.to("shared"));
    awaitShare(4, a);
    exchange("shared");
    GroupMember b = member("share", "b", GroupMember.to("shared"));
    awaitShare(2, a, b);
    exchange("shared");
    awaitState("share", GroupState.STABLE);
    ConsumerGroupDescription d = describe("share");
    assertEquals(GroupType.CONSUMER, d.type());
    assertEquals("uniform", d.partitionAssignor());
    assertEquals(
        Set.of("a", "b"), d.members().stream().map(m -> m.clientId()).collect(Collectors.toSet()));
    a.close();
    awaitShare(4, b);
    exchange("shared");
    b.close();
    awaitState("share", GroupState.EMPTY);
    assertEquals(sent, committed("share"));
    try (Admin admin = clients.admin()) {
      admin.deleteConsumerGroups(List.of("share")).all().get();
    }
  }

  @Test
  void membersOutliveTheirCoordinator() throws Exception {
    topic("outlived");
    try (GroupMember a = member("outlive", "a", GroupMember.to("outlived"));
        GroupMember b = member("outlive", "b", GroupMember.to("outlived"))) {
      awaitShare(2, a, b);
      exchange("outlived");
      ConsumerGroupDescription before = describe("outlive");
      Node coordinator = before.coordinator();
      cluster.kill(coordinator.id());
      exchange("outlived");
      Await.until(
          "another coordinates", () -> describe("outlive").coordinator().id() != coordinator.id());
      ConsumerGroupDescription after = describe("outlive");
      assertEquals(before.groupEpoch(), after.groupEpoch());
      assertEquals(before.members().size(), after.members().size());
      cluster.start(coordinator.id());
      cluster.awaitReady();
      exchange("outlived");
      awaitShare(2, a, b);
    }
    assertEquals(sent, committed("outlive"));
  }

  @Test
  void patternsAreMatchedByTheBroker() throws Exception {
    topic("match-1");
    topic("no-match-1");
    GroupMember.Subscription pattern =
        (consumer, listener) ->
            consumer.subscribe(new SubscriptionPattern("match-[0-9]"), listener);
    try (GroupMember a = member("match", "a", pattern)) {
      awaitShare(4, a);
      exchange("match-1");
      assertEquals(
          Set.of("match-1"),
          a.owned().stream().map(TopicPartition::topic).collect(Collectors.toSet()));
    }
  }

  @Test
  void groupMigratesWhileItRuns() throws Exception {
    topic("migrated");
    GroupMember a = classic("migrate", "a", "migrated");
    awaitShare(4, a);
    exchange("migrated");
    assertEquals(GroupType.CLASSIC, describe("migrate").type());
    GroupMember b = member("migrate", "b", GroupMember.to("migrated"));
    awaitShare(2, a, b);
    exchange("migrated");
    assertEquals(GroupType.CONSUMER, describe("migrate").type());
    GroupMember c = classic("migrate", "c", "migrated");
    Await.until("all three have some", () -> a.owned().size() < 3 && c.owned().size() == 1);
    exchange("migrated");
    b.close();
    awaitShare(2, a, c);
    exchange("migrated");
    assertEquals(GroupType.CLASSIC, describe("migrate").type());
    GroupMember d = member("migrate", "d", GroupMember.to("migrated"));
    exchange("migrated");
    a.close();
    c.close();
    awaitShare(4, d);
    exchange("migrated");
    assertEquals(GroupType.CONSUMER, describe("migrate").type());
    d.close();
    assertEquals(sent, committed("migrate"));
  }
}
