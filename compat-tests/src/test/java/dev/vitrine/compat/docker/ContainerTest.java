package dev.vitrine.compat.docker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.github.dockerjava.api.model.Image;
import dev.vitrine.compat.Await;
import dev.vitrine.compat.Clients;
import dev.vitrine.compat.LocalCluster;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.testcontainers.DockerClientFactory;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.wait.strategy.Wait;
import org.testcontainers.kafka.KafkaContainer;
import org.testcontainers.utility.DockerImageName;

/**
 * The image of {@code docker/build}, started by Testcontainers: alone, in the place of Apache
 * Kafka's, and as a cluster one of whose nodes is killed. Skipped, and says so, where there is no
 * container engine or no such image ({@code -Dvitrine.image}, {@code vitrine} by default).
 */
@Tag("full")
class ContainerTest {
  private static final String IMAGE = System.getProperty("vitrine.image", "vitrine");
  private static final String TOPIC = "t";
  private static final int RECORDS = 50;

  @BeforeAll
  static void thereIsAnImage() {
    boolean engine = DockerClientFactory.instance().isDockerAvailable();
    skipUnless(engine, "there is no container engine (DOCKER_HOST names one)");
    boolean image =
        DockerClientFactory.instance().client().listImagesCmd().exec().stream()
            .map(Image::getRepoTags)
            .filter(Objects::nonNull)
            .flatMap(Arrays::stream)
            .anyMatch(tag -> tag.replaceFirst("^localhost/", "").equals(withTag(IMAGE)));
    skipUnless(image, "the engine has no image " + IMAGE + ": docker/build makes it");
  }

  private static void skipUnless(boolean there, String why) {
    if (!there) {
      System.out.println("ContainerTest is skipped: " + why);
    }
    assumeTrue(there, why);
  }

  private static String withTag(String image) {
    return image.contains(":") ? image : image + ":latest";
  }

  private static DockerImageName image() {
    return DockerImageName.parse(IMAGE).asCompatibleSubstituteFor("apache/kafka");
  }

  @Test
  void standsInForApacheKafkasImage() throws Exception {
    try (KafkaContainer kafka = new KafkaContainer(image())) {
      kafka.withEnv("KAFKA_NUM_PARTITIONS", "3").start();
      Clients clients = new Clients(kafka.getBootstrapServers());
      clients.createTopic(new NewTopic(TOPIC, Optional.empty(), Optional.empty()));
      write(clients, 0);
      assertEquals(RECORDS, clients.readAll(TOPIC).size());
      try (Admin admin = clients.admin()) {
        int partitions = Clients.partitions(admin, TOPIC).size();
        assertEquals(3, partitions, "the environment is its configuration");
      }
    }
  }

  /** On the host's own network, so that the test's clients reach what the nodes advertise. */
  @Test
  void aClusterOutlivesTheKillingOfAContainer() throws Exception {
    List<Integer> ports = LocalCluster.freePorts(6);
    List<GenericContainer<?>> nodes = new ArrayList<>();
    try {
      for (int id = 1; id <= 3; id++) {
        nodes.add(node(id, ports));
      }
      nodes.parallelStream().forEach(GenericContainer::start);
      Clients clients =
          new Clients(
              ports.subList(0, 3).stream()
                  .map(p -> "127.0.0.1:" + p)
                  .collect(Collectors.joining(",")));
      clients.createTopic(new NewTopic(TOPIC, 3, (short) 3));
      write(clients, 0);
      kill(nodes.get(1));
      write(clients, RECORDS);
      try (Admin admin = clients.admin()) {
        Await.until(
            "node 2 leads nothing",
            () -> Clients.partitions(admin, TOPIC).stream().noneMatch(p -> p.leader().id() == 2));
        start(nodes.get(1));
        Clients.awaitInSync(admin, TOPIC, 3);
      }
      assertEquals(2 * RECORDS, clients.readAll(TOPIC).size());
    } finally {
      nodes.forEach(GenericContainer::stop);
    }
  }

  private static GenericContainer<?> node(int id, List<Integer> ports) {
    String voters =
        IntStream.rangeClosed(1, 3)
            .mapToObj(n -> n + "@127.0.0.1:" + ports.get(2 + n))
            .collect(Collectors.joining(","));
    int clients = ports.get(id - 1);
    int controllers = ports.get(2 + id);
    return new GenericContainer<>(image())
        .withNetworkMode("host")
        .withEnv(
            Map.of(
                "KAFKA_NODE_ID",
                "" + id,
                "KAFKA_CONTROLLER_QUORUM_VOTERS",
                voters,
                "KAFKA_LISTENERS",
                "PLAINTEXT://127.0.0.1:" + clients + ",CONTROLLER://127.0.0.1:" + controllers,
                "KAFKA_MIN_INSYNC_REPLICAS",
                "2"))
        .waitingFor(Wait.forLogMessage(".*Transitioning from RECOVERY to RUNNING.*", 1));
  }

  private static void kill(GenericContainer<?> node) throws Exception {
    node.getDockerClient().killContainerCmd(node.getContainerId()).exec();
    Await.until("the container has ended", () -> !node.isRunning());
  }

  /** The same container again, with what it had written. */
  private static void start(GenericContainer<?> node) {
    node.getDockerClient().startContainerCmd(node.getContainerId()).exec();
  }

  private static void write(Clients clients, int from) throws Exception {
    try (Producer<String, String> producer = clients.producer(Map.of("acks", "all"))) {
      for (int i = from; i < from + RECORDS; i++) {
        producer.send(new ProducerRecord<>(TOPIC, "v" + i)).get();
      }
    }
  }
}
