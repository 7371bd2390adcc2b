package dev.vitrine.compat;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ConsumerGroupDescription;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.GroupState;
import org.apache.kafka.common.Uuid;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A consumer group (KIP-848) whose coordinator is now Vitrine and now Apache Kafka, on one and the
 * same directory, while its members run: nobody notices but for a pause, so the group stays in its
 * epoch, and goes on with what the other has written.
 */
@Tag("full")
class GroupTakeoverTest {
  private static final String TOPIC = "t";
  private static final String GROUP = "g";
  private static final int SECONDS_TO_STOP = 60;

  @TempDir Path folder;
  private final int port = LocalCluster.freePorts(2, 1);
  private final Clients clients = new Clients("127.0.0.1:" + port);
  private final GroupMember.Shared shared = new GroupMember.Shared();
  private Process process;
  private int sent;

  private Path file() {
    return folder.resolve("server.properties");
  }

  private void format() throws Exception {
    Files.writeString(
        file(),
        """
        process.roles=broker,controller
        node.id=1
        controller.quorum.voters=1@127.0.0.1:%d
        listeners=PLAINTEXT://127.0.0.1:%d,CONTROLLER://127.0.0.1:%d
        controller.listener.names=CONTROLLER
        log.dirs=%s
        offsets.topic.replication.factor=1
        offsets.topic.num.partitions=1
        group.consumer.heartbeat.interval.ms=200
        group.consumer.min.heartbeat.interval.ms=200
        group.consumer.assignment.interval.ms=0
        """
            .formatted(port + 1, port, port + 1, folder.resolve("data")));
    new VitrineTarget().format(file(), Uuid.randomUuid().toString());
  }

  private void start(Target target) throws Exception {
    process =
        Jvm.builder(target.classPath(), target.nodeCommand(file()))
            .redirectOutput(folder.resolve(target.name() + ".log").toFile())
            .start();
  }

  private void kill() throws Exception {
    process.destroyForcibly().waitFor(SECONDS_TO_STOP, TimeUnit.SECONDS);
  }

  @AfterEach
  void end() throws Exception {
    if (process != null) {
      kill();
    }
  }

  private GroupMember member(String name) {
    Map<String, Object> config = new HashMap<>();
    config.put("group.protocol", "consumer");
    config.put("group.id", GROUP);
    config.put("group.instance.id", name);
    config.put("client.id", name);
    config.put("auto.commit.interval.ms", "100");
    return new GroupMember(name, shared, clients.consumer(config), GroupMember.to(TOPIC));
  }

  private void exchange() throws Exception {
    Set<String> values = new TreeSet<>();
    try (KafkaProducer<String, String> producer = clients.producer(Map.of("acks", "all"))) {
      for (int i = 0; i < 20; i++) {
        String value = "v" + sent++;
        producer.send(new ProducerRecord<>(TOPIC, i % 2, null, value)).get();
        values.add(value);
      }
    }
    Await.until("the group reads " + values, () -> shared.read.containsAll(values));
    assertEquals(Set.of(), shared.violations);
  }

  private ConsumerGroupDescription describe() throws Exception {
    try (Admin admin = clients.admin()) {
      return admin.describeConsumerGroups(List.of(GROUP)).all().get().get(GROUP);
    }
  }

  @Test
  void eachGoesOnWithTheGroupsOfTheOther() throws Exception {
    format();
    start(new VitrineTarget());
    clients.createTopic(new NewTopic(TOPIC, 2, (short) 1));
    try (GroupMember a = member("a");
        GroupMember b = member("b")) {
      Await.until("both share", () -> a.owned().size() == 1 && b.owned().size() == 1);
      exchange();
      Await.until("it is stable", () -> describe().groupState() == GroupState.STABLE);
      ConsumerGroupDescription before = describe();
      for (Target next : List.of(new KafkaTarget(), new VitrineTarget(), new KafkaTarget())) {
        kill();
        start(next);
        exchange();
        ConsumerGroupDescription after = describe();
        assertEquals(before.groupEpoch(), after.groupEpoch(), next.name());
        assertEquals(GroupState.STABLE, after.groupState(), next.name());
        assertEquals(Set.copyOf(before.members()), Set.copyOf(after.members()), next.name());
      }
      try (GroupMember c = member("c")) {
        exchange();
        Await.until("it is stable", () -> describe().groupState() == GroupState.STABLE);
        kill();
        start(new VitrineTarget());
        exchange();
        assertEquals(3, describe().members().size());
        assertEquals(2, a.owned().size() + b.owned().size() + c.owned().size());
      }
      exchange();
    }
    assertEquals(Set.of(), shared.owners.keySet());
  }
}
