package dev.vitrine.controller;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.vitrine.metadata.PartitionImage;
import dev.vitrine.metadata.TopicImage;
import dev.vitrine.protocol.ApiMessage;
import dev.vitrine.protocol.Errors;
import dev.vitrine.protocol.Uuid;
import dev.vitrine.protocol.message.*;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** CreateTopics, DeleteTopics, CreatePartitions; the texts are those of Apache Kafka 4.4. */
class TopicTest {
  private final ControllerFixture f = new ControllerFixture().start();

  private static CreateTopicsRequest.CreatableTopic topic(String name, int partitions, int rf) {
    return new CreateTopicsRequest.CreatableTopic()
        .name(name)
        .numPartitions(partitions)
        .replicationFactor((short) rf);
  }

  private static CreateTopicsRequest.CreatableTopic manual(String name, int... replicasOfEach) {
    CreateTopicsRequest.CreatableTopic t = topic(name, -1, -1);
    for (int broker : replicasOfEach) {
      t.assignments()
          .add(
              new CreateTopicsRequest.CreatableReplicaAssignment()
                  .partitionIndex(t.assignments().size())
                  .brokerIds(new ArrayList<>(List.of(broker))));
    }
    return t;
  }

  private void assertRefused(
      Errors error, String message, CreateTopicsRequest.CreatableTopic topic) {
    CreateTopicsResponse.CreatableTopicResult r = f.create(topic);
    assertEquals(message, r.errorMessage());
    assertEquals(error.code(), r.errorCode());
    assertEquals(Uuid.ZERO, r.topicId());
    assertEquals(-1, r.numPartitions());
    if (error != Errors.TOPIC_ALREADY_EXISTS) {
      assertNull(f.image().topic(topic.name()));
    }
  }

  @Test
  void createsAndAnswersInFull() {
    f.up(1, 2, 3);
    CreateTopicsRequest.CreatableTopic t = topic("t", 6, 2);
    t.configs().add(new CreateTopicsRequest.CreatableTopicConfig().name("retention.ms").value("7"));
    CreateTopicsResponse.CreatableTopicResult r = f.create(t);
    assertEquals(0, r.errorCode());
    assertNull(r.errorMessage());
    assertEquals(6, r.numPartitions());
    assertEquals(2, r.replicationFactor());
    Map<String, String> inForce = new TreeMap<>();
    r.configs().forEach(c -> inForce.put(c.name(), c.value() + " " + c.configSource()));
    assertEquals("7 1", inForce.get("retention.ms"));
    assertEquals("delete 5", inForce.get("cleanup.policy"));
    TopicImage topic = f.image().topic("t");
    assertEquals(r.topicId(), topic.id());
    assertEquals(Map.of("retention.ms", "7"), f.image().configs().topic("t"));
    Map<Integer, Integer> leaders = new TreeMap<>();
    for (PartitionImage p : topic.partitions().values()) {
      assertEquals(2, new HashSet<>(p.replicas()).size());
      assertEquals(p.replicas(), p.isr());
      assertEquals(p.preferredReplica(), p.leader());
      assertEquals(List.of(new Uuid(50, p.leader())), p.directories().subList(0, 1));
      leaders.merge(p.leader(), 1, Integer::sum);
    }
    assertEquals(Map.of(1, 2, 2, 2, 3, 2), leaders);
    // In one batch, the topic first, and with the records in Kafka's order.
    List<ApiMessage> records = f.quorum.records();
    List<Class<?>> kinds = new ArrayList<>();
    records.subList(records.size() - 8, records.size()).forEach(x -> kinds.add(x.getClass()));
    assertEquals(List.of(TopicRecord.class, ConfigRecord.class), kinds.subList(0, 2));
    assertEquals(8, f.quorum.log.get(f.quorum.log.size() - 1).records().size());
  }

  @Test
  void minusOneMeansTheDefault() {
    f.config.numPartitions(4).replicationFactor(2);
    f.up(1, 2);
    CreateTopicsResponse.CreatableTopicResult r = f.create("t", -1, -1);
    assertEquals(4, r.numPartitions());
    assertEquals(2, r.replicationFactor());
  }

  @Test
  void refusesNamesAsKafkaDoes() {
    f.up(1);
    Errors e = Errors.INVALID_TOPIC_EXCEPTION;
    assertRefused(e, "Topic name is invalid: the empty string is not allowed", topic("", 1, 1));
    assertRefused(e, "Topic name is invalid: '.' is not allowed", topic(".", 1, 1));
    assertRefused(e, "Topic name is invalid: '..' is not allowed", topic("..", 1, 1));
    assertRefused(
        e,
        "Topic name is invalid: 'a b' contains one or more characters other than ASCII"
            + " alphanumerics, '.', '_' and '-'",
        topic("a b", 1, 1));
    String tooLong = "a".repeat(250);
    assertRefused(
        e,
        "Topic name is invalid: the length of '"
            + tooLong
            + "' is longer than the max allowed length 249",
        topic(tooLong, 1, 1));
    assertEquals(0, f.create("a.b", 1, 1).errorCode());
    assertRefused(e, "Topic 'a_b' collides with existing topic: a.b", topic("a_b", 0, 1));
    assertRefused(Errors.TOPIC_ALREADY_EXISTS, "Topic 'a.b' already exists.", topic("a.b", 1, 1));
    assertRefused(
        Errors.INVALID_REQUEST,
        "Creation of internal topic __cluster_metadata is prohibited.",
        topic("__cluster_metadata", 1, 1));
  }

  @Test
  void refusesNumbersAsKafkaDoes() {
    assertRefused(
        Errors.INVALID_REPLICATION_FACTOR,
        "Unable to replicate the partition 1 time(s): The target replication factor of 1 cannot"
            + " be reached because only 0 broker(s) are registered or some brokers have all their"
            + " log directories cordoned.",
        topic("t", 1, 1));
    f.register(1);
    assertRefused(
        Errors.INVALID_REPLICATION_FACTOR,
        "Unable to replicate the partition 1 time(s): All brokers are currently fenced.",
        topic("t", 1, 1));
    f.ask(f.beat(1));
    assertRefused(
        Errors.INVALID_REPLICATION_FACTOR,
        "Unable to replicate the partition 5 time(s): The target replication factor of 5 cannot"
            + " be reached because only 1 broker(s) are registered or some brokers have all their"
            + " log directories cordoned.",
        topic("t", 1, 5));
    for (int rf : new int[] {0, -2}) {
      assertRefused(
          Errors.INVALID_REPLICATION_FACTOR,
          "Replication factor must be larger than 0, or -1 to use the default value.",
          topic("t", 1, rf));
    }
    for (int n : new int[] {0, -2}) {
      assertRefused(
          Errors.INVALID_PARTITIONS,
          "Number of partitions was set to an invalid non-positive value.",
          topic("t", n, 1));
    }
    assertRefused(
        Errors.POLICY_VIOLATION,
        "Excessively large number of partitions per request.",
        topic("t", 10_001, 1));
  }

  @Test
  void refusesAssignmentsAsKafkaDoes() {
    f.up(1);
    f.register(2);
    Errors e = Errors.INVALID_REPLICA_ASSIGNMENT;
    CreateTopicsRequest.CreatableTopic t = manual("t", 1);
    t.assignments().get(0).brokerIds().clear();
    assertRefused(e, "The manual partition assignment includes an empty replica list.", t);
    assertRefused(
        e,
        "The manual partition assignment includes broker 9, but no such broker is registered.",
        manual("t", 9));
    t = manual("t", 1);
    t.assignments().get(0).brokerIds().add(1);
    assertRefused(e, "The manual partition assignment includes the broker 1 more than once.", t);
    t = manual("t", 1);
    t.assignments().get(0).partitionIndex(1);
    assertRefused(e, "partitions should be a consecutive 0-based integer sequence", t);
    t = manual("t", 1, 1);
    t.assignments().get(1).brokerIds().add(2);
    assertRefused(
        e,
        "The manual partition assignment includes a partition with 2 replica(s), but this is not"
            + " consistent with previous partitions, which have 1 replica(s).",
        t);
    assertRefused(
        e,
        "All brokers specified in the manual partition assignment for partition 0 are fenced or"
            + " in controlled shutdown.",
        manual("t", 2));
    assertRefused(
        Errors.INVALID_REQUEST,
        "A manual partition assignment was specified, but numPartitions was not set to -1.",
        manual("t", 1).numPartitions(1));
    assertRefused(
        Errors.INVALID_REQUEST,
        "A manual partition assignment was specified, but replication factor was not set to -1.",
        manual("t", 1).replicationFactor((short) 1));
    t = manual("t", 2);
    t.assignments().get(0).brokerIds().add(1);
    assertEquals(0, f.create(t).errorCode());
    assertEquals(List.of(2, 1), f.partition("t", 0).replicas());
    assertEquals(List.of(1), f.partition("t", 0).isr());
    assertEquals(1, f.partition("t", 0).leader());
  }

  @Test
  void refusesConfigsAndLeavesOtherTopicsAlone() {
    f.up(1);
    CreateTopicsRequest.CreatableTopic bad = topic("bad", 1, 1);
    bad.configs().add(new CreateTopicsRequest.CreatableTopicConfig().name("foo").value("1"));
    CreateTopicsRequest.CreatableTopic none = topic("none", 1, 1);
    none.configs().add(new CreateTopicsRequest.CreatableTopicConfig().name("x").value(null));
    CreateTopicsResponse r =
        f.ask(
            new CreateTopicsRequest()
                .topics(
                    List.of(
                        bad,
                        none,
                        topic("good", 1, 1),
                        topic("twice", 1, 1),
                        topic("twice", 1, 1))));
    Map<String, String> messages = new TreeMap<>();
    r.topics().forEach(t -> messages.put(t.name(), "" + t.errorMessage()));
    assertEquals(
        Map.of(
            "bad", "Unknown topic config name: foo",
            "none", "Null value not supported for topic configs: x",
            "good", "null",
            "twice", "Duplicate topic name."),
        messages);
    assertEquals(1, f.image().topics().size());
  }

  @Test
  void aTopicNamedByItsNameAndItsIdIsNotDeleted() {
    f.up(1);
    Uuid a = f.createOn("a", 1);
    DeleteTopicsResponse r =
        f.ask(
            new DeleteTopicsRequest()
                .timeoutMs(1000)
                .topics(
                    List.of(
                        new DeleteTopicsRequest.DeleteTopicState().topicId(a),
                        new DeleteTopicsRequest.DeleteTopicState().name("a"))));
    assertEquals(1, r.responses().size());
    assertEquals("a", r.responses().get(0).name());
    assertEquals(Errors.INVALID_REQUEST.code(), r.responses().get(0).errorCode());
    assertEquals(1, f.image().topics().size());
  }

  @Test
  void validateOnlyLeavesNoTrace() {
    f.up(1);
    long before = f.image().offset();
    CreateTopicsResponse r =
        f.ask(new CreateTopicsRequest().topics(List.of(topic("t", 3, 1))).validateOnly(true));
    assertEquals(0, r.topics().get(0).errorCode());
    assertEquals(3, r.topics().get(0).numPartitions());
    assertEquals(before, f.quorum.endOffset() - 1);
  }

  @Test
  void placesInDifferentRacksAndAvoidsFencedBrokers() {
    for (int id = 1; id <= 6; id++) {
      f.register(f.registration(id).rack("rack" + id % 3));
      f.ask(f.beat(id));
    }
    f.create("t", 12, 3);
    for (PartitionImage p : f.image().topic("t").partitions().values()) {
      Set<Integer> racks = new HashSet<>();
      p.replicas().forEach(b -> racks.add(b % 3));
      assertEquals(3, racks.size(), p.replicas().toString());
    }
    f.ask(f.beat(6).wantFence(true));
    f.create("u", 12, 3);
    for (PartitionImage p : f.image().topic("u").partitions().values()) {
      assertFalse(p.replicas().contains(6));
    }
    f.create("v", 12, 6);
    for (PartitionImage p : f.image().topic("v").partitions().values()) {
      assertEquals(6, new HashSet<>(p.replicas()).size());
      assertNotEquals(6, p.preferredReplica());
      assertFalse(p.isr().contains(6));
    }
  }

  @Test
  void deletesByNameAndById() {
    f.up(1);
    Uuid a = f.createOn("a", 1);
    f.createOn("b", 1);
    DeleteTopicsResponse r =
        f.ask(
            new DeleteTopicsRequest()
                .timeoutMs(1000)
                .topics(
                    List.of(
                        new DeleteTopicsRequest.DeleteTopicState().topicId(a),
                        new DeleteTopicsRequest.DeleteTopicState().name("b"),
                        new DeleteTopicsRequest.DeleteTopicState().name("c"),
                        new DeleteTopicsRequest.DeleteTopicState().topicId(new Uuid(7, 7)),
                        new DeleteTopicsRequest.DeleteTopicState().name("x").topicId(a),
                        new DeleteTopicsRequest.DeleteTopicState(),
                        new DeleteTopicsRequest.DeleteTopicState().name("d"),
                        new DeleteTopicsRequest.DeleteTopicState().name("d"))));
    List<String> answers = new ArrayList<>();
    r.responses().forEach(x -> answers.add(x.errorCode() + " " + x.errorMessage()));
    assertEquals(
        List.of(
            "0 null",
            "0 null",
            "3 This server does not host this topic-partition.",
            "100 This server does not host this topic ID.",
            "42 You may not specify both topic name and topic id.",
            "42 Neither topic name nor id were specified.",
            "42 Duplicate topic name."),
        answers);
    assertEquals("a", r.responses().get(0).name());
    assertEquals(0, f.image().topics().size());
    f.config.deleteTopicEnable(false);
    DeleteTopicsRequest old = new DeleteTopicsRequest().timeoutMs(1000).topicNames(List.of("a"));
    r = f.ask(old, 5);
    assertEquals(Errors.TOPIC_DELETION_DISABLED.code(), r.responses().get(0).errorCode());
    r = f.ask(old, 2);
    assertEquals(Errors.INVALID_REQUEST.code(), r.responses().get(0).errorCode());
    r = f.ask(old.timeoutMs(0), 5);
    assertEquals(Errors.REQUEST_TIMED_OUT.code(), r.responses().get(0).errorCode());
  }

  private CreatePartitionsResponse.CreatePartitionsTopicResult grow(
      String name, int count, Integer... brokers) {
    CreatePartitionsRequest.CreatePartitionsTopic t =
        new CreatePartitionsRequest.CreatePartitionsTopic()
            .name(name)
            .count(count)
            .assignments(null);
    if (brokers.length > 0) {
      List<CreatePartitionsRequest.CreatePartitionsAssignment> assignments = new ArrayList<>();
      for (Integer b : brokers) {
        assignments.add(
            new CreatePartitionsRequest.CreatePartitionsAssignment().brokerIds(List.of(b)));
      }
      t.assignments(assignments);
    }
    CreatePartitionsResponse r =
        f.ask(new CreatePartitionsRequest().timeoutMs(1000).topics(List.of(t)));
    return r.results().get(0);
  }

  @Test
  void addsPartitions() {
    f.up(1, 2);
    f.create("t", 2, 1);
    assertEquals(Errors.UNKNOWN_TOPIC_OR_PARTITION.code(), grow("nope", 3).errorCode());
    assertEquals("Topic already has 2 partition(s).", grow("t", 2).errorMessage());
    assertEquals(
        "The topic t currently has 2 partition(s); -1 would not be an increase.",
        grow("t", -1).errorMessage());
    assertEquals(
        "Attempted to add 3 additional partition(s), but only 1 assignment(s) were specified.",
        grow("t", 5, 1).errorMessage());
    assertEquals(
        "The manual partition assignment includes broker 9, but no such broker is registered.",
        grow("t", 3, 9).errorMessage());
    assertEquals(
        "Excessively large number of additional partitions per request.",
        grow("t", 20_000).errorMessage());
    assertEquals(0, grow("t", 4, 2, 1).errorCode());
    assertEquals(List.of(2), f.partition("t", 2).replicas());
    assertEquals(0, grow("t", 6).errorCode());
    assertEquals(6, f.image().topic("t").partitionCount());
    assertNotNull(f.partition("t", 5));
    assertTrue(f.partition("t", 5).hasLeader());
  }
}
