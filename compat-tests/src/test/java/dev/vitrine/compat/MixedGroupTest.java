package dev.vitrine.compat;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ConsumerGroupDescription;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.GroupState;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Twenty stock consumers of one group, half of them in either protocol, of which some always come
 * and go, while their coordinator is killed again and again, in the middle of joins, commits and
 * hand-overs. No partition is ever given to two at a time, no commit that was acknowledged is lost,
 * and every record is read.
 */
@Tag("full")
class MixedGroupTest {
  private static final int MEMBERS = 20;
  private static final int KILLS = 4;
  private static final String TOPIC = "t";
  private static final String GROUP = "g";

  private final GroupMember.Shared shared = new GroupMember.Shared();
  private final Set<String> sent = ConcurrentHashMap.newKeySet();
  private final Deque<GroupMember> members = new ArrayDeque<>();
  private ClusterUnderTest cluster;
  private Clients clients;
  private int made;

  @Test
  void coordinatorIsKilledAgainAndAgain() throws Exception {
    Map<String, String> config = new HashMap<>();
    config.put("group.consumer.heartbeat.interval.ms", "300");
    config.put("group.consumer.min.heartbeat.interval.ms", "300");
    config.put("group.consumer.assignment.interval.ms", "100");
    try (ClusterUnderTest c = LocalCluster.start("mixed-group", 3, config)) {
      cluster = c;
      clients = new Clients(c.bootstrap());
      clients.createTopic(new NewTopic(TOPIC, MEMBERS, (short) 3));
      for (int i = 0; i < MEMBERS; i++) {
        members.add(member());
      }
      Sender sender = new Sender();
      try {
        for (int i = 0; i < KILLS; i++) {
          round();
        }
      } finally {
        sender.end();
      }
      Await.until("all is read", () -> shared.read.containsAll(sent));
      Await.until("the group is stable", () -> describe().groupState() == GroupState.STABLE);
      assertEquals(MEMBERS, describe().members().size());
      checkCommits();
      assertTrue(shared.committed.size() > MEMBERS / 2, shared.committed::toString);
    } finally {
      members.forEach(GroupMember::close);
    }
    assertEquals(Set.of(), shared.violations);
    System.out.printf(
        "mixed: %d members, coordinator killed %d times, %d records read, 0 partitions with two"
            + " owners, 0 commits lost%n",
        made, KILLS, sent.size());
  }

  /** One goes, one comes, and in between the coordinator is gone. */
  private void round() throws Exception {
    int coordinator = describe().coordinator().id();
    Thread leaving = new Thread(members.poll()::close, "leaving");
    leaving.start();
    members.add(member());
    cluster.kill(coordinator);
    Await.end(leaving);
    int before = shared.read.size();
    Await.until("it goes on", () -> shared.read.size() > before + 200);
    checkCommits();
    cluster.start(coordinator);
    cluster.awaitReady();
    assertEquals(Set.of(), shared.violations);
  }

  private GroupMember member() {
    boolean consumer = made % 2 == 0;
    String name = "m" + made++;
    Map<String, Object> config = new HashMap<>();
    config.put("group.protocol", consumer ? "consumer" : "classic");
    config.put("group.id", GROUP);
    config.put("client.id", name);
    config.put("enable.auto.commit", "false");
    config.put("default.api.timeout.ms", "20000");
    if (!consumer) {
      config.put("heartbeat.interval.ms", "300");
      config.put(
          "partition.assignment.strategy",
          "org.apache.kafka.clients.consumer.CooperativeStickyAssignor");
    }
    return new GroupMember(name, shared, clients.consumer(config), GroupMember.to(TOPIC), true);
  }

  private ConsumerGroupDescription describe() throws Exception {
    try (Admin admin = clients.admin()) {
      return admin.describeConsumerGroups(List.of(GROUP)).all().get().get(GROUP);
    }
  }

  /** What was acknowledged before is there now. */
  private void checkCommits() throws Exception {
    Map<TopicPartition, Long> acknowledged = new HashMap<>(shared.committed);
    Map<TopicPartition, OffsetAndMetadata> kept;
    try (Admin admin = clients.admin()) {
      kept = admin.listConsumerGroupOffsets(GROUP).partitionsToOffsetAndMetadata().get();
    }
    Map<String, String> lost = new TreeMap<>();
    acknowledged.forEach(
        (p, offset) -> {
          OffsetAndMetadata o = kept.get(p);
          if (o == null || o.offset() < offset) {
            lost.put(p.toString(), offset + " became " + (o == null ? "none" : o.offset()));
          }
        });
    assertEquals(Map.of(), lost);
  }

  /** Sends all the time. */
  private final class Sender {
    private final Thread thread = new Thread(this::run, "sender");
    private final List<Throwable> failures = new ArrayList<>();
    private volatile boolean ending;

    Sender() {
      thread.start();
    }

    private void run() {
      try (KafkaProducer<String, String> producer = clients.producer(Map.of("acks", "all"))) {
        for (int i = 0; !ending; i++) {
          String value = "v" + i;
          producer.send(new ProducerRecord<>(TOPIC, i % MEMBERS, null, value)).get();
          sent.add(value);
          Thread.sleep(2);
        }
      } catch (Throwable e) {
        failures.add(e);
      }
    }

    void end() {
      ending = true;
      Await.end(thread);
      assertEquals(List.of(), failures);
    }
  }
}
