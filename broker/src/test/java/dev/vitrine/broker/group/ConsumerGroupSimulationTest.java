package dev.vitrine.broker.group;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.vitrine.protocol.Errors;
import dev.vitrine.protocol.TopicPartition;
import dev.vitrine.protocol.Uuid;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

/**
 * Random members of one consumer group, static and dynamic, by name and by pattern, that join,
 * stay, give up late, commit, leave, fall silent and come back, whose answers get lost, while
 * topics change, on a log that commits late, refuses, and changes its leader. First everything goes
 * wrong and only safety is asked for: no partition has two owners, and no commit is lost. Then it
 * stops, and the group must become stable with every partition in one hand.
 */
class ConsumerGroupSimulationTest {
  private static final int SEEDS = 150;
  private static final int MEMBERS = 5;
  private static final long STEP_MS = 250;
  private static final Uuid OTHER_TOPIC = new Uuid(8, 8);

  @Test
  void groupsAreSafeAndBecomeStable() {
    long heartbeats = 0;
    long handOvers = 0;
    for (long seed = 1; seed <= SEEDS; seed++) {
      Run run = new Run(seed);
      try {
        run.run();
      } catch (Throwable e) {
        throw new AssertionError("seed " + seed, e);
      }
      heartbeats += run.heartbeats;
      handOvers += run.handOvers;
    }
    System.out.printf(
        "consumer groups: %d seeds, %d heartbeats, %d partitions changed hands%n",
        SEEDS, heartbeats, handOvers);
  }

  @Test
  void aSeedGivesTheSameHistory() {
    for (long seed = 1; seed <= 3; seed++) {
      assertEquals(new Run(seed).run(), new Run(seed).run());
    }
  }

  /** One simulated cluster with its members. */
  static final class Run {
    final GroupHarness h;
    final RandomGenerator random;
    final List<ConsumerGroupClient> clients = new ArrayList<>();
    final StringBuilder history = new StringBuilder();
    final Map<TopicPartition, String> lastOwner = new TreeMap<>();
    int partitions = 4;
    int epoch;
    long acknowledged = -1;
    long heartbeats;
    long handOvers;
    boolean faults = true;

    Run(long seed) {
      h = new GroupHarness(seed, Integer.MAX_VALUE);
      random = h.world.random();
      h.topic("t", GroupHarness.TOPIC_ID, partitions);
      h.topic("u", OTHER_TOPIC, 2);
      for (int i = 0; i < MEMBERS; i++) {
        String instance = random.nextInt(3) == 0 ? "static-" + i : null;
        clients.add(new ConsumerGroupClient(this, i, instance, random.nextInt(3) == 0));
      }
    }

    String run() {
      for (int i = 0; i < 800; i++) {
        step();
      }
      faults = false;
      h.log.refusal = Errors.NONE;
      h.log.commitsAtOnce = true;
      h.commit();
      clients.forEach(ConsumerGroupClient::recover);
      for (int i = 0; i < 800 && !isSettled(); i++) {
        step();
      }
      assertTrue(isSettled(), () -> "not settled: " + h.consumerGroup() + clients);
      return history.toString();
    }

    private void step() {
      if (faults) {
        disturb();
      }
      clients.forEach(ConsumerGroupClient::act);
      h.runFor(STEP_MS);
      clients.forEach(ConsumerGroupClient::look);
      checkOwners();
    }

    private void disturb() {
      switch (random.nextInt(50)) {
        case 0 -> h.log.commitsAtOnce = false;
        case 1 -> h.log.refusal = Errors.NOT_ENOUGH_REPLICAS;
        case 2 -> moveLeader();
        case 3 -> h.topic("t", GroupHarness.TOPIC_ID, partitions = 3 + random.nextInt(4));
        case 4 -> h.topic("u", OTHER_TOPIC, random.nextInt(3));
        case 5, 6, 7, 8 -> {
          h.log.refusal = Errors.NONE;
          h.log.commitsAtOnce = true;
          h.commit();
        }
        default -> {}
      }
    }

    private void moveLeader() {
      h.resign();
      clients.forEach(ConsumerGroupClient::look);
      if (random.nextBoolean()) {
        h.log.loseUncommitted();
      }
      epoch++;
      h.lead(epoch);
      GroupImage image = GroupImage.EMPTY;
      for (CoordinatorRecord r : h.log.records()) {
        image = image.with(r);
        checkImage(image.consumers().get(GroupHarness.GROUP));
      }
      assertEquals(image, h.coordinator().tip());
      CommittedOffset o = image.offset(GroupHarness.GROUP, new TopicPartition("t", 0));
      long offset = o == null ? -1 : o.offset();
      assertTrue(offset >= acknowledged, () -> offset + " < " + acknowledged);
    }

    /** At no record of the log has a partition two owners. */
    private static void checkImage(ConsumerGroupImage image) {
      if (image == null) {
        return;
      }
      Map<String, String> owners = new TreeMap<>();
      for (ConsumerMember m : image.members().values()) {
        PartitionEpochs.Visitor own =
            (topic, partition, since) -> {
              String other = owners.put(topic + "-" + partition, m.memberId());
              assertTrue(other == null, () -> other + " and " + m.memberId() + " of " + image);
              assertEquals(m.memberId(), image.owner(topic, partition));
              assertTrue(since <= image.epochs().group());
            };
        m.current().assigned().forEach(own);
        m.current().revoking().forEach(own);
      }
    }

    /** Nor do two clients think so that the coordinator counts as members. */
    private void checkOwners() {
      ConsumerGroup group = h.consumerGroup();
      if (group == null) {
        return;
      }
      checkImage(group.view().image());
      Map<TopicPartition, String> owners = new TreeMap<>();
      for (ConsumerGroupClient c : clients) {
        ConsumerMember m = group.view().image().members().get(c.memberId());
        if (m == null || m.epoch() < 0) {
          continue;
        }
        for (TopicPartition p : c.owned()) {
          String other = owners.put(p, c.memberId());
          assertTrue(other == null, () -> p + ": " + other + " and " + c + " of " + group);
          String before = lastOwner.put(p, c.memberId());
          handOvers += before == null || before.equals(c.memberId()) ? 0 : 1;
        }
      }
    }

    private boolean isSettled() {
      ConsumerGroup group = h.consumerGroup();
      if (group == null || !group.view().state().equals("Stable")) {
        return false;
      }
      int owned = 0;
      for (ConsumerGroupClient c : clients) {
        owned += c.owned().size();
      }
      int wanted = 0;
      for (String topic : group.view().subscribedTopics()) {
        wanted += h.cluster.topic(topic) == null ? 0 : h.cluster.topic(topic).partitionCount();
      }
      return owned == wanted
          && group.view().image().members().size() == MEMBERS
          && clients.stream().allMatch(c -> c.isAt(group.view().image().epochs().group()));
    }
  }
}
