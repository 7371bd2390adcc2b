package dev.vitrine.compat;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.FeatureUpdate;
import org.apache.kafka.clients.admin.FeatureUpdate.UpgradeType;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.QuorumInfo;
import org.apache.kafka.clients.admin.RaftVoterEndpoint;
import org.apache.kafka.clients.admin.UpdateFeaturesOptions;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.DuplicateVoterException;
import org.apache.kafka.common.errors.InvalidUpdateVersionException;
import org.apache.kafka.common.errors.VoterNotFoundException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A controller of Apache Kafka (node 2) in one quorum with two of ours: each leads the others, with
 * fixed voters and with voters in the log, and each goes on with what the other has written.
 */
@Tag("full")
class MixedQuorumTest {
  private static final int KAFKA = 2;
  private static final int SECONDS_TO_STOP = 30;

  @TempDir Path folder;
  private final List<Integer> ports = new ArrayList<>();
  private final Map<Integer, Process> processes = new TreeMap<>();
  private final Set<String> topics = new TreeSet<>();

  @BeforeEach
  void format() throws Exception {
    ports.addAll(LocalCluster.freePorts(6));
    String clusterId = Uuid.randomUuid().toString();
    for (int id = 1; id <= 3; id++) {
      Files.writeString(file(id), properties(id));
      target(id).format(file(id), clusterId);
    }
  }

  @AfterEach
  void end() {
    processes.values().forEach(Process::destroyForcibly);
  }

  private String properties(int id) {
    String voters =
        List.of(1, 2, 3).stream()
            .map(v -> v + "@127.0.0.1:" + controllerPort(v))
            .collect(Collectors.joining(","));
    return """
        process.roles=broker,controller
        node.id=%d
        controller.quorum.voters=%s
        listeners=PLAINTEXT://127.0.0.1:%d,CONTROLLER://127.0.0.1:%d
        controller.listener.names=CONTROLLER
        listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT
        log.dirs=%s
        offsets.topic.replication.factor=1
        """
        .formatted(id, voters, ports.get(id - 1), controllerPort(id), folder.resolve("data-" + id));
  }

  private int controllerPort(int id) {
    return ports.get(2 + id);
  }

  private Path file(int id) {
    return folder.resolve(id + ".properties");
  }

  private static Target target(int id) {
    return id == KAFKA ? new KafkaTarget() : new VitrineTarget();
  }

  private void start(int id, Target target) throws IOException {
    processes.put(
        id,
        Jvm.builder(target.classPath(), target.nodeCommand(file(id)))
            .redirectOutput(folder.resolve(id + ".log").toFile())
            .start());
  }

  private void stop(int id) throws InterruptedException {
    Process p = processes.remove(id);
    p.destroy();
    if (!p.waitFor(SECONDS_TO_STOP, TimeUnit.SECONDS)) {
      p.destroyForcibly().waitFor();
    }
  }

  /** What to do with one node; of all if the id is 0. */
  private interface Work<T> {
    T with(Admin admin) throws Exception;
  }

  private <T> T ask(int id, Work<T> work) throws Exception {
    String servers =
        ports.subList(0, 3).stream().map(p -> "127.0.0.1:" + p).collect(Collectors.joining(","));
    String one = id == 0 ? servers : "127.0.0.1:" + ports.get(id - 1);
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", one))) {
      return work.with(admin);
    }
  }

  private QuorumInfo quorum() throws Exception {
    return ask(0, admin -> admin.describeMetadataQuorum().quorumInfo().get());
  }

  private Set<Integer> voters() throws Exception {
    return quorum().voters().stream()
        .map(QuorumInfo.ReplicaState::replicaId)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static boolean asKafka(int id) {
    return id == KAFKA;
  }

  /** Stops whoever leads until one of the wanted make does. */
  private void letLead(boolean kafka) throws Exception {
    Await.until(
        (kafka ? "Apache Kafka" : "Vitrine") + " leads",
        () -> {
          int leader = quorum().leaderId();
          if (asKafka(leader) == kafka) {
            return true;
          }
          stop(leader);
          int term = leader;
          Await.until("another leads", () -> quorum().leaderId() != term);
          start(leader, target(leader));
          awaitBrokers();
          return false;
        });
  }

  private void awaitBrokers() throws Exception {
    for (int id : processes.keySet()) {
      Await.until(
          "node " + id + " is there",
          () -> ask(id, admin -> admin.describeCluster().nodes().get()).size() == 3);
    }
  }

  /** What one writes, all know. */
  private void createTopic(String name) throws Exception {
    ask(0, a -> a.createTopics(List.of(new NewTopic(name, 1, (short) 1))).all().get());
    topics.add(name);
    awaitTopics();
  }

  private void awaitTopics() throws Exception {
    for (int id : processes.keySet()) {
      Await.until(
          "node " + id + " knows " + topics,
          () -> ask(id, admin -> admin.listTopics().names().get()).containsAll(topics));
    }
  }

  @Test
  void eachLeadsTheOtherAndGoesOnWithItsLog() throws Exception {
    // The first leader writes the first records; Kafka's would ask for more than we have.
    start(1, target(1));
    start(3, target(3));
    Await.until("one of ours leads", () -> quorum().leaderId() > 0);
    start(KAFKA, target(KAFKA));
    awaitBrokers();
    for (boolean kafka : new boolean[] {false, true}) {
      letLead(kafka);
      createTopic("fixed-led-by-kafka-" + kafka);
    }
    letLead(false);
    raiseKraftVersion();
    for (boolean kafka : new boolean[] {true, false}) {
      letLead(kafka);
      changeVoters();
      createTopic("dynamic-led-by-kafka-" + kafka);
    }
    for (int id : List.copyOf(processes.keySet())) {
      stop(id);
    }
    // Each goes on with the folders of the other.
    start(1, new KafkaTarget());
    start(2, new VitrineTarget());
    start(3, new VitrineTarget());
    awaitBrokers();
    awaitTopics();
    createTopic("swapped");
    assertEquals(Set.of(1, 2, 3), voters());
  }

  private void raiseKraftVersion() throws Exception {
    Await.until("all voters have told what they are", () -> setKraftVersion(1) == null);
    assertEquals(InvalidUpdateVersionException.class, setKraftVersion(0).getClass());
  }

  /** Null if it was done, else why not. */
  private Throwable setKraftVersion(int level) throws Exception {
    UpgradeType type = level == 0 ? UpgradeType.SAFE_DOWNGRADE : UpgradeType.UPGRADE;
    try {
      ask(
          0,
          admin ->
              admin
                  .updateFeatures(
                      Map.of("kraft.version", new FeatureUpdate((short) level, type)),
                      new UpdateFeaturesOptions())
                  .all()
                  .get());
      return null;
    } catch (ExecutionException e) {
      return e.getCause();
    }
  }

  /** One of those that do not lead goes and comes back. */
  private void changeVoters() throws Exception {
    QuorumInfo now = quorum();
    QuorumInfo.ReplicaState whom =
        now.voters().stream()
            .filter(v -> v.replicaId() != now.leaderId())
            .findFirst()
            .orElseThrow();
    int id = whom.replicaId();
    Uuid directory = whom.replicaDirectoryId();
    assertEquals(DuplicateVoterException.class, refusal(() -> add(id, directory)));
    assertEquals(VoterNotFoundException.class, refusal(() -> remove(id, Uuid.randomUuid())));
    remove(id, directory);
    assertEquals(2, voters().size());
    Await.until(
        "it is an observer that has fetched",
        () ->
            quorum().observers().stream()
                .anyMatch(o -> o.replicaId() == id && o.lastCaughtUpTimestamp().orElse(-1) > 0));
    add(id, directory);
    assertEquals(Set.of(1, 2, 3), voters());
    assertEquals(
        Optional.of(controllerPort(id)),
        Optional.ofNullable(quorum().nodes().get(id))
            .map(n -> n.endpoints().iterator().next().port()));
  }

  private interface Change {
    void make() throws Exception;
  }

  private static Class<?> refusal(Change change) {
    return assertThrows(ExecutionException.class, change::make).getCause().getClass();
  }

  private void add(int id, Uuid directory) throws Exception {
    InetSocketAddress at = new InetSocketAddress("127.0.0.1", controllerPort(id));
    ask(
        0,
        admin ->
            admin
                .addRaftVoter(
                    id,
                    directory,
                    Set.of(new RaftVoterEndpoint("CONTROLLER", at.getHostString(), at.getPort())))
                .all()
                .get());
  }

  private void remove(int id, Uuid directory) throws Exception {
    ask(0, admin -> admin.removeRaftVoter(id, directory).all().get());
  }
}
