package dev.vitrine.compat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.message.ElectLeadersRequestData;
import org.apache.kafka.common.message.ElectLeadersResponseData;
import org.apache.kafka.common.message.MetadataRequestData;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.protocol.ApiKeys;

/**
 * Three nodes and one partition, on which tests move leaderships until replicas must truncate. Node
 * 1 is the only controller and never falls, so that whatever happens to 2 and 3 happens in the
 * order in which the test does it. Used by one thread.
 */
final class TruncationStage implements AutoCloseable {
  static final String TOPIC = "staged";
  static final TopicPartition PARTITION = new TopicPartition(TOPIC, 0);

  /** How followers truncate. Only Vitrine has the choice. */
  enum Mode {
    LEADER_EPOCH("leader-epoch"),
    HIGH_WATERMARK("high-watermark");

    final String value;

    Mode(String value) {
      this.value = value;
    }
  }

  private static final short METADATA_VERSION = 12;
  private static final short ELECT_LEADERS_VERSION = 2;
  private static final int CONTROLLER = 1;

  final ClusterUnderTest cluster;
  final Clients clients;

  /**
   * @param replicas of the partition, the preferred one first
   * @param topicConfig of the topic
   */
  TruncationStage(
      String name,
      Mode mode,
      List<Integer> replicas,
      Map<String, String> nodeConfig,
      Map<String, String> topicConfig)
      throws Exception {
    Map<String, String> config = new HashMap<>(nodeConfig);
    config.put("auto.leader.rebalance.enable", "false");
    config.put("replica.high.watermark.checkpoint.interval.ms", "200");
    if (mode == Mode.HIGH_WATERMARK) {
      config.put("vitrine.truncation", mode.value);
    }
    cluster = LocalCluster.start(name + "-" + mode.value, 3, 1, config);
    try {
      clients = new Clients("127.0.0.1:" + cluster.clientPort(CONTROLLER));
      clients.createTopic(new NewTopic(TOPIC, Map.of(0, replicas)).configs(topicConfig));
      awaitInSync(replicas.size());
    } catch (Throwable failure) {
      cluster.close();
      throw failure;
    }
  }

  void awaitInSync(int replicas) throws Exception {
    try (Admin admin = clients.admin()) {
      Clients.awaitInSync(admin, TOPIC, replicas);
    }
  }

  /** Until the node has the metadata in which this leader leads. */
  void awaitLeader(int leader, int asKnownTo) throws Exception {
    Await.until(
        "node " + asKnownTo + " knows that " + leader + " leads",
        () -> leaderAsKnownTo(asKnownTo) == leader);
  }

  private int leaderAsKnownTo(int node) throws IOException {
    MetadataRequestData request =
        new MetadataRequestData()
            .setTopics(
                new ArrayList<>(
                    List.of(new MetadataRequestData.MetadataRequestTopic().setName(TOPIC))));
    try (RawConnection connection = new RawConnection(cluster.clientPort(node))) {
      MetadataResponseData answer =
          connection.ask(ApiKeys.METADATA, METADATA_VERSION, request, new MetadataResponseData());
      var partitions = answer.topics().iterator().next().partitions();
      return partitions.isEmpty() ? -1 : partitions.get(0).leaderId();
    }
  }

  /** Has the preferred replica elected, whatever becomes of it; straight at the controller. */
  void electPreferred() throws IOException {
    ElectLeadersRequestData request =
        new ElectLeadersRequestData().setElectionType((byte) 0).setTimeoutMs(30_000);
    request
        .topicPartitions()
        .add(
            new ElectLeadersRequestData.TopicPartitions()
                .setTopic(TOPIC)
                .setPartitions(List.of(PARTITION.partition())));
    try (RawConnection connection = new RawConnection(cluster.controllerPort(CONTROLLER))) {
      ElectLeadersResponseData answer =
          connection.ask(
              ApiKeys.ELECT_LEADERS,
              ELECT_LEADERS_VERSION,
              request,
              new ElectLeadersResponseData());
      short error = answer.replicaElectionResults().get(0).partitionResult().get(0).errorCode();
      if (error != 0) {
        throw new AssertionError("no election: error " + error);
      }
    }
  }

  /** With {@code acks=all}, one after the other. Each value must land where it is expected. */
  void write(long firstOffset, String... values) throws Exception {
    try (KafkaProducer<String, String> producer = clients.producer(Map.of("acks", "all"))) {
      for (int i = 0; i < values.length; i++) {
        long offset = producer.send(new ProducerRecord<>(TOPIC, values[i])).get().offset();
        if (offset != firstOffset + i) {
          throw new AssertionError(
              values[i] + " is at " + offset + ", not at " + (firstOffset + i));
        }
      }
    }
  }

  /** What a reader sees now, in the order of offsets. */
  List<String> read() throws Exception {
    return clients.readAll(TOPIC).stream().map(ConsumerRecord::value).toList();
  }

  /** Until our node has written this line; other targets write others, and don't need it. */
  void awaitSaid(int node, String words) throws Exception {
    if (Target.isVitrine()) {
      Await.until(
          "node " + node + " says '" + words + "'", () -> cluster.output(node).contains(words));
    }
  }

  /** Until the node has written down that all before this offset is committed. */
  void awaitHighWatermarkOnDisk(int node, long offset) throws Exception {
    Path file = cluster.logDir(node).resolve("replication-offset-checkpoint");
    String line = TOPIC + " " + PARTITION.partition() + " " + offset;
    Await.until(
        file + " says " + line,
        () -> Files.exists(file) && Files.readAllLines(file).contains(line));
  }

  /** Takes the last batch out of the log of a node that is down, as if it had not been synced. */
  void loseLastBatch(int node) throws IOException {
    Path file =
        cluster.logDir(node).resolve(PARTITION.toString()).resolve("00000000000000000000.log");
    try (FileChannel channel =
        FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      ByteBuffer header = ByteBuffer.allocate(12); // base offset, length of the rest
      long last = 0;
      for (long at = 0; at < channel.size(); at += 12 + header.getInt(8)) {
        header.clear();
        if (channel.read(header, at) < 12) {
          throw new IOException(file + " has no whole batch at " + at);
        }
        if (header.getInt(8) <= 0) {
          break; // preallocated
        }
        last = at;
      }
      channel.truncate(last);
    }
  }

  /** The values in each replica's log, by node, after a clean stop of all. */
  Map<Integer, List<String>> stopAndCompare(Integer... nodes) throws Exception {
    cluster.stopAll();
    Map<Integer, List<String>> logs = new HashMap<>();
    for (int node : Arrays.asList(nodes)) {
      logs.put(
          node,
          LogFiles.records(cluster.logDir(node).resolve(PARTITION.toString())).stream()
              .map(line -> line.replaceAll(".* payload: ", ""))
              .toList());
    }
    return logs;
  }

  @Override
  public void close() {
    cluster.close();
  }
}
