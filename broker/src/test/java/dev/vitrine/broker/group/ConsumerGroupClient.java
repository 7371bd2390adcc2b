package dev.vitrine.broker.group;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.vitrine.broker.group.GroupHarness.Answer;
import dev.vitrine.protocol.Errors;
import dev.vitrine.protocol.TopicPartition;
import dev.vitrine.protocol.Uuid;
import dev.vitrine.protocol.message.ConsumerGroupHeartbeatRequest;
import dev.vitrine.protocol.message.ConsumerGroupHeartbeatResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.random.RandomGenerator;

/**
 * One consumer of a simulation, as KIP-848 has clients behave: it gives up at once or later what it
 * is not assigned any more, and only then takes what is new; tells what it owns when that has
 * changed; and drops all when it is fenced.
 */
final class ConsumerGroupClient {
  private final ConsumerGroupSimulationTest.Run run;
  private final int index;
  private final String instanceId;
  private final boolean byPattern;
  private int incarnation;
  private int epoch;
  private boolean crashed;

  /** What it says next is to be everything. */
  private boolean full = true;

  private Set<TopicPartition> owned = new TreeSet<>();
  private Set<TopicPartition> assigned = new TreeSet<>();
  private Set<TopicPartition> told = new TreeSet<>();
  private Answer<ConsumerGroupHeartbeatResponse> beat;
  private Answer<Errors> commit;
  private long committing;
  private boolean leaving;

  ConsumerGroupClient(
      ConsumerGroupSimulationTest.Run run, int index, String instanceId, boolean byPattern) {
    this.run = run;
    this.index = index;
    this.instanceId = instanceId;
    this.byPattern = byPattern;
  }

  String memberId() {
    return "c" + index + "-" + incarnation;
  }

  Set<TopicPartition> owned() {
    return owned;
  }

  boolean isAt(int groupEpoch) {
    return epoch == groupEpoch && owned.equals(assigned);
  }

  void recover() {
    if (crashed) {
      restart();
    }
  }

  /** The process is another one. */
  private void restart() {
    crashed = false;
    incarnation++;
    beat = null;
    commit = null;
    leaving = false;
    fenced();
  }

  private void fenced() {
    epoch = 0;
    full = true;
    owned = new TreeSet<>();
    assigned = new TreeSet<>();
    told = new TreeSet<>();
  }

  void act() {
    RandomGenerator random = run.random;
    if (run.faults && random.nextInt(80) == 0) {
      if (crashed) {
        restart();
      } else {
        crashed = true;
        owned = new TreeSet<>();
      }
    }
    if (crashed) {
      return;
    }
    giveUp(random);
    if (beat == null && random.nextInt(3) == 0) {
      leaving = run.faults && epoch > 0 && random.nextInt(60) == 0;
      run.heartbeats++;
      beat = run.h.send(leaving ? leave(random) : request());
    }
    if (commit == null && epoch > 0 && random.nextInt(10) == 0) {
      committing = run.h.world.elapsedMs() * 10 + index;
      commit = run.h.commitOffset(memberId(), epoch, committing);
    }
  }

  /** What it is not to have any more, at times only later; then it takes what is new. */
  private void giveUp(RandomGenerator random) {
    if (owned.equals(assigned)) {
      return;
    }
    Set<TopicPartition> kept = new TreeSet<>(owned);
    kept.retainAll(assigned);
    if (!kept.equals(owned)) {
      if (random.nextInt(3) > 0) {
        owned = kept;
      }
    } else {
      owned = new TreeSet<>(assigned);
    }
  }

  private ConsumerGroupHeartbeatRequest leave(RandomGenerator random) {
    boolean forNow = instanceId != null && random.nextBoolean();
    owned = new TreeSet<>();
    assigned = new TreeSet<>();
    return GroupHarness.beat(memberId(), forNow ? -2 : -1).instanceId(instanceId);
  }

  private ConsumerGroupHeartbeatRequest request() {
    ConsumerGroupHeartbeatRequest r = GroupHarness.beat(memberId(), epoch).instanceId(instanceId);
    if (full) {
      r.rebalanceTimeoutMs(GroupHarness.REBALANCE_MS);
      if (byPattern) {
        r.subscribedTopicRegex("[tu]");
      } else {
        r.subscribedTopicNames(new ArrayList<>(index % 2 == 0 ? List.of("t") : List.of("t", "u")));
      }
    }
    if (full || !owned.equals(told)) {
      r.topicPartitions(topics());
      told = new TreeSet<>(owned);
    }
    return r;
  }

  private List<ConsumerGroupHeartbeatRequest.TopicPartitions> topics() {
    Map<Uuid, List<Integer>> byTopic = new TreeMap<>();
    for (TopicPartition p : owned) {
      byTopic.computeIfAbsent(id(p.topic()), t -> new ArrayList<>()).add(p.partition());
    }
    List<ConsumerGroupHeartbeatRequest.TopicPartitions> topics = new ArrayList<>();
    byTopic.forEach(
        (topic, partitions) ->
            topics.add(
                new ConsumerGroupHeartbeatRequest.TopicPartitions()
                    .topicId(topic)
                    .partitions(partitions)));
    return topics;
  }

  private static Uuid id(String topic) {
    return topic.equals("t") ? GroupHarness.TOPIC_ID : new Uuid(8, 8);
  }

  /** Takes the answers that have come. */
  void look() {
    if (commit != null && commit.isThere()) {
      if (commit.refused == null && commit.get() == Errors.NONE) {
        run.acknowledged = Math.max(run.acknowledged, committing);
      }
      commit = null;
    }
    if (beat == null || !beat.isThere()) {
      return;
    }
    Answer<ConsumerGroupHeartbeatResponse> answer = beat;
    beat = null;
    if (leaving) {
      leaving = false;
      incarnation += instanceId == null ? 0 : 1;
      fenced();
    } else if (answer.refused != null || (run.faults && run.random.nextInt(25) == 0)) {
      full = true; // lost on its way
    } else {
      take(answer.get());
    }
  }

  private void take(ConsumerGroupHeartbeatResponse r) {
    switch (Errors.forCode(r.errorCode())) {
      case NONE -> {
        assertTrue(r.memberEpoch() >= epoch, () -> this + ": " + r);
        epoch = r.memberEpoch();
        full = false;
        if (r.assignment() != null) {
          assigned = new TreeSet<>();
          r.assignment()
              .topicPartitions()
              .forEach(
                  t ->
                      t.partitions()
                          .forEach(p -> assigned.add(new TopicPartition(name(t.topicId()), p))));
        }
        run.history.append(run.h.world.elapsedMs()).append(' ').append(this).append('\n');
      }
      case UNKNOWN_MEMBER_ID, FENCED_MEMBER_EPOCH -> fenced();
      case FENCED_INSTANCE_ID, GROUP_ID_NOT_FOUND -> fenced();
      default -> full = true;
    }
  }

  private static String name(Uuid topic) {
    return topic.equals(GroupHarness.TOPIC_ID) ? "t" : "u";
  }

  @Override
  public String toString() {
    return memberId() + "(epoch " + epoch + ", owns " + owned + (crashed ? ", crashed" : "") + ")";
  }
}
