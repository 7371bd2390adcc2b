package dev.vitrine.compat;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.ElectionType;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.ListOffsetsRequestData;
import org.apache.kafka.common.message.ListOffsetsResponseData;
import org.apache.kafka.common.message.MetadataRequestData;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.message.OffsetForLeaderEpochRequestData;
import org.apache.kafka.common.message.OffsetForLeaderEpochResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * What leaders and followers answer to every kind of leader epoch in a consumer's requests
 * (KIP-320, KIP-392, KIP-595), over a log of three epochs. The answers are in {@code
 * leader-epochs.txt}; epochs have names there, for their numbers depend on what else happened.
 */
@Tag("full")
class LeaderEpochsTest {
  private static final String TOPIC = "epochs";
  private static final TopicPartition PARTITION = new TopicPartition(TOPIC, 0);
  private static final int LEADER = 1;
  private static final int FOLLOWER = 2;
  private static final int STRANGER = 3;
  private static final int END = 9;

  private final StringBuilder transcript = new StringBuilder();
  private final Map<Integer, String> names = new LinkedHashMap<>();
  private ClusterUnderTest cluster;
  private Clients clients;
  private List<Integer> epochs;
  private Uuid topicId;

  @Test
  void answersToEveryEpoch() throws Exception {
    try (ClusterUnderTest started =
        LocalCluster.start(
            "epochs",
            3,
            Map.of("auto.leader.rebalance.enable", "false", "min.insync.replicas", "1"))) {
      cluster = started;
      clients = new Clients(cluster.bootstrap());
      makeThreeEpochs();
      for (int node : new int[] {LEADER, FOLLOWER, STRANGER}) {
        try (RawConnection connection = new RawConnection(cluster.clientPort(node))) {
          String who = node == LEADER ? "leader" : node == FOLLOWER ? "follower" : "stranger";
          transcript.append("== ").append(who).append("\n");
          offsetsForLeaderEpochs(connection);
          listOffsets(connection);
          fetches(connection);
        }
      }
      assertEquals(expected(), transcript.toString());
    }
  }

  /** Four records by node 1, three by node 2, two more by node 1; the first two are deleted. */
  private void makeThreeEpochs() throws Exception {
    clients.createTopic(new NewTopic(TOPIC, Map.of(0, List.of(LEADER, FOLLOWER))));
    try (Admin admin = clients.admin()) {
      Clients.awaitInSync(admin, TOPIC, 2);
      topicId = admin.describeTopics(Set.of(TOPIC)).allTopicNames().get().get(TOPIC).topicId();
      write(4);
      int first = epoch(LEADER);
      cluster.stop(LEADER);
      Await.until(
          "node 2 leads",
          () -> Clients.leader(admin, PARTITION).filter(id -> id == FOLLOWER).isPresent());
      write(3);
      int second = epoch(FOLLOWER);
      cluster.start(LEADER);
      cluster.awaitReady();
      Clients.awaitInSync(admin, TOPIC, 2);
      admin.electLeaders(ElectionType.PREFERRED, Set.of(PARTITION)).partitions().get();
      Await.until(
          "node 1 leads again",
          () -> Clients.leader(admin, PARTITION).filter(id -> id == LEADER).isPresent());
      write(2);
      int third = epoch(LEADER);
      admin.deleteRecords(Map.of(PARTITION, RecordsToDelete.beforeOffset(2))).all().get();
      epochs = List.of(first, second, third);
      names.put(-1, "none");
      names.put(first, "first");
      names.put(second, "second");
      names.put(third, "third");
      names.put(third + 1, "future");
    }
    for (int node : new int[] {LEADER, FOLLOWER}) {
      try (RawConnection connection = new RawConnection(cluster.clientPort(node))) {
        Await.until(
            "node " + node + " has everything",
            () -> {
              FetchResponseData.PartitionData p = fetch(connection, 12, -1, -1, 5);
              return p.highWatermark() == END && p.logStartOffset() == 2;
            });
      }
    }
  }

  private void write(int records) throws Exception {
    try (KafkaProducer<String, String> producer = clients.producer(Map.of("acks", "all"))) {
      for (int i = 0; i < records; i++) {
        producer.send(new ProducerRecord<>(TOPIC, 0, "k", "v")).get();
      }
    }
  }

  private int epoch(int node) throws Exception {
    try (RawConnection connection = new RawConnection(cluster.clientPort(node))) {
      MetadataRequestData request =
          new MetadataRequestData()
              .setTopics(List.of(new MetadataRequestData.MetadataRequestTopic().setName(TOPIC)));
      MetadataResponseData response =
          connection.ask(ApiKeys.METADATA, 12, request, new MetadataResponseData());
      return response.topics().iterator().next().partitions().get(0).leaderEpoch();
    }
  }

  private void offsetsForLeaderEpochs(RawConnection connection) throws IOException {
    for (int version : new int[] {2, 4}) {
      for (int current : currents()) {
        for (int epoch : asked()) {
          OffsetForLeaderEpochRequestData request =
              new OffsetForLeaderEpochRequestData().setReplicaId(-1);
          OffsetForLeaderEpochRequestData.OffsetForLeaderTopic topic =
              new OffsetForLeaderEpochRequestData.OffsetForLeaderTopic().setTopic(TOPIC);
          topic
              .partitions()
              .add(
                  new OffsetForLeaderEpochRequestData.OffsetForLeaderPartition()
                      .setPartition(0)
                      .setCurrentLeaderEpoch(current)
                      .setLeaderEpoch(epoch));
          request.topics().add(topic);
          OffsetForLeaderEpochResponseData.EpochEndOffset end =
              connection
                  .ask(
                      ApiKeys.OFFSET_FOR_LEADER_EPOCH,
                      version,
                      request,
                      new OffsetForLeaderEpochResponseData())
                  .topics()
                  .iterator()
                  .next()
                  .partitions()
                  .get(0);
          say(
              "OffsetForLeaderEpoch v%d in %s of %s: %s, %s ends at %d",
              version,
              name(current),
              name(epoch),
              Errors.forCode(end.errorCode()),
              name(end.leaderEpoch()),
              end.endOffset());
        }
      }
    }
  }

  private void listOffsets(RawConnection connection) throws IOException {
    for (int current : currents()) {
      for (long timestamp : new long[] {-1, -2, -3, 0, Long.MAX_VALUE}) {
        ListOffsetsRequestData.ListOffsetsPartition p =
            new ListOffsetsRequestData.ListOffsetsPartition()
                .setPartitionIndex(0)
                .setCurrentLeaderEpoch(current)
                .setTimestamp(timestamp);
        ListOffsetsRequestData request =
            new ListOffsetsRequestData()
                .setReplicaId(-1)
                .setTopics(
                    List.of(
                        new ListOffsetsRequestData.ListOffsetsTopic()
                            .setName(TOPIC)
                            .setPartitions(List.of(p))));
        ListOffsetsResponseData.ListOffsetsPartitionResponse found =
            connection
                .ask(ApiKeys.LIST_OFFSETS, 7, request, new ListOffsetsResponseData())
                .topics()
                .get(0)
                .partitions()
                .get(0);
        say(
            "ListOffsets in %s at %d: %s, %d of %s",
            name(current),
            timestamp,
            Errors.forCode(found.errorCode()),
            found.offset(),
            name(found.leaderEpoch()));
      }
    }
  }

  private void fetches(RawConnection connection) throws IOException {
    for (int version : new int[] {10, 11, 12, 16}) {
      for (int current : currents()) {
        List<Integer> lasts = version < 12 ? List.of(-1) : asked();
        for (int last : lasts) {
          for (long offset : new long[] {-1, 0, 1, 2, 4, 5, 7, 8, END, END + 1}) {
            FetchResponseData.PartitionData p = fetch(connection, version, current, last, offset);
            say(
                "Fetch v%d in %s from %d after %s: %s%s%s%s",
                version,
                name(current),
                offset,
                name(last),
                Errors.forCode(p.errorCode()),
                p.errorCode() != 0
                    ? ""
                    : ", %s, log %d-%d"
                        .formatted(
                            p.records() != null && p.records().sizeInBytes() > 0
                                ? "records"
                                : "nothing",
                            p.logStartOffset(),
                            p.highWatermark()),
                p.divergingEpoch().epoch() < 0 && p.divergingEpoch().endOffset() < 0
                    ? ""
                    : ", diverging: %s ends at %d"
                        .formatted(
                            name(p.divergingEpoch().epoch()), p.divergingEpoch().endOffset()),
                p.currentLeader().leaderId() < 0
                    ? ""
                    : ", leader %d in %s"
                        .formatted(
                            p.currentLeader().leaderId(), name(p.currentLeader().leaderEpoch())));
          }
        }
      }
    }
  }

  private FetchResponseData.PartitionData fetch(
      RawConnection connection, int version, int current, int last, long offset)
      throws IOException {
    FetchRequestData.FetchPartition p =
        new FetchRequestData.FetchPartition()
            .setPartition(0)
            .setCurrentLeaderEpoch(current)
            .setLastFetchedEpoch(version < 12 ? -1 : last)
            .setFetchOffset(offset)
            .setPartitionMaxBytes(1_000_000);
    FetchRequestData.FetchTopic topic = new FetchRequestData.FetchTopic();
    topic = version >= 13 ? topic.setTopicId(topicId) : topic.setTopic(TOPIC);
    FetchRequestData request =
        new FetchRequestData()
            .setMaxWaitMs(0)
            .setMinBytes(0)
            .setMaxBytes(1_000_000)
            .setSessionEpoch(-1)
            .setTopics(List.of(topic.setPartitions(List.of(p))));
    return connection
        .ask(ApiKeys.FETCH, version, request, new FetchResponseData())
        .responses()
        .get(0)
        .partitions()
        .get(0);
  }

  private List<Integer> currents() {
    return List.of(-1, epochs.get(1), epochs.get(2), epochs.get(2) + 1);
  }

  private List<Integer> asked() {
    List<Integer> all = new ArrayList<>(names.keySet());
    return all;
  }

  private String name(int epoch) {
    return names.getOrDefault(epoch, "unnamed");
  }

  private void say(String format, Object... args) {
    transcript.append(format.formatted(args)).append("\n");
  }

  private static String expected() throws IOException {
    try (InputStream in = LeaderEpochsTest.class.getResourceAsStream("/leader-epochs.txt")) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }
}
