package dev.vitrine.compat.groups;

import dev.vitrine.compat.Clients;
import dev.vitrine.compat.ClusterUnderTest;
import dev.vitrine.compat.chaos.Event.CommitAsked;
import dev.vitrine.compat.chaos.Event.CommitFound;
import dev.vitrine.compat.chaos.Event.CommitTold;
import dev.vitrine.compat.chaos.Event.Failed;
import dev.vitrine.compat.chaos.Event.FaultBegun;
import dev.vitrine.compat.chaos.Event.FaultEnded;
import dev.vitrine.compat.chaos.Event.Phase;
import dev.vitrine.compat.chaos.Load;
import dev.vitrine.compat.chaos.Recorder;
import dev.vitrine.compat.chaos.Site;
import dev.vitrine.compat.chaos.StuckLiveness;
import dev.vitrine.compat.chaos.Topics;
import dev.vitrine.compat.chaos.WritingLoad;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ConsumerGroupDescription;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.GroupState;
import org.apache.kafka.common.TopicPartition;

/**
 * One run: groups of each kind read what a producer writes; again and again some members come, go
 * or fall silent, and in the middle of that the node that coordinates their group is killed, and
 * started again. In the end all must come to rest. Judges nothing: all it sees is in the history.
 */
final class GroupRun implements AutoCloseable {
  private static final String TOPIC = "owned";
  private static final int PARTITIONS = 24;
  private static final String OFFSETS = "__consumer_offsets";

  /** Who asks for committed offsets from outside of the groups. */
  private static final String ADMIN = "admin";

  private final Recorder recorder;
  private final ClusterUnderTest cluster;
  private final SplittableRandom random;
  private final Site site;
  private final Admin admin;
  private final List<Crew> crews = new ArrayList<>();
  private WritingLoad writer;
  private int faults;

  GroupRun(Recorder recorder, ClusterUnderTest cluster, SplittableRandom random) {
    this.recorder = recorder;
    this.cluster = cluster;
    this.random = random;
    this.site = new Site(recorder, new Clients(cluster.bootstrap()), new Topics());
    this.admin = site.clients().admin();
  }

  /** So many members in all, and the first rebalances are over. */
  void start(List<Kind> kinds, int members) throws Exception {
    site.clients().createTopic(new NewTopic(TOPIC, PARTITIONS, (short) 3));
    site.topics().add(TOPIC, PARTITIONS);
    writer = new WritingLoad(site, "writer", Map.of(), 200, random.split());
    for (int i = 0; i < kinds.size(); i++) {
      int size = members * (i + 1) / kinds.size() - members * i / kinds.size();
      crews.add(new Crew(site, kinds.get(i), size));
    }
    for (Crew crew : crews) {
      recorder.await(
          crew.kind() + " owns all partitions", () -> crew.ownsOnce(site.topics().partitions()));
    }
  }

  // ---- faults

  /** For so long, but the coordinator of each group is killed once at least. */
  void breakThings(int seconds) throws Exception {
    recorder.write(new Phase("faults"));
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
    for (int turn = 0; turn < crews.size() || System.nanoTime() < end; turn++) {
      Crew victim = crews.get(turn % crews.size());
      disturb(victim);
      for (Crew crew : crews) {
        if (crew != victim && random.nextInt(3) == 0) {
          disturb(crew);
        }
      }
      Thread.sleep(random.nextInt(800));
      killCoordinator(victim.kind().group());
      crews.forEach(crew -> askForCommits(crew.kind().group()));
    }
  }

  /** What a rebalance begins with; or nothing, and there are only commits. */
  private void disturb(Crew crew) {
    switch (random.nextInt(5)) {
      case 0 -> crew.join();
      case 1 -> {
        crew.leave();
        crew.join();
      }
      case 2 -> {
        crew.crash();
        crew.join();
      }
      case 3 -> {
        if (crew.size() > 3) {
          crew.leave();
        } else {
          crew.join();
        }
      }
      default -> {}
    }
  }

  private void killCoordinator(String group) throws Exception {
    TopicPartition home = new TopicPartition(OFFSETS, homeOf(group));
    int node = Clients.awaitLeader(admin, home);
    int number = ++faults;
    recorder.write(new FaultBegun(number, "kill", "" + node, group));
    cluster.kill(node);
    Thread.sleep(random.nextInt(2_000));
    cluster.start(node);
    cluster.awaitReady();
    Clients.awaitInSync(admin, OFFSETS, 3);
    Clients.awaitInSync(admin, TOPIC, 3);
    recorder.write(new FaultEnded(number, "kill"));
  }

  private int homeOf(String group) throws Exception {
    int partitions = Clients.partitions(admin, OFFSETS).size();
    return Math.floorMod(group.hashCode() & 0x7fffffff, partitions);
  }

  /** Each answer must be what was acknowledged before, or later. */
  private void askForCommits(String group) {
    Map<TopicPartition, Long> calls = new LinkedHashMap<>();
    for (TopicPartition p : site.topics().partitions()) {
      calls.put(p, recorder.write(new CommitAsked(ADMIN, group, p)));
    }
    try {
      Map<TopicPartition, Long> told = committed(group);
      calls.forEach((p, call) -> recorder.write(new CommitTold(call, told.getOrDefault(p, -1L))));
    } catch (Exception e) {
      calls.values().forEach(call -> recorder.write(new Failed(call, false, e.toString())));
    }
  }

  private Map<TopicPartition, Long> committed(String group) throws Exception {
    Map<TopicPartition, Long> offsets = new LinkedHashMap<>();
    for (Map.Entry<TopicPartition, OffsetAndMetadata> e :
        admin.listConsumerGroupOffsets(group).partitionsToOffsetAndMetadata().get().entrySet()) {
      if (e.getValue() != null) {
        offsets.put(e.getKey(), e.getValue().offset());
      }
    }
    return offsets;
  }

  // ---- the end

  void recover() throws Exception {
    recorder.write(new Phase("recovery"));
    long now = System.nanoTime();
    recorder.await("the producer writes to every partition", () -> writer.hasAcknowledged(now));
    writer.close();
    Map<TopicPartition, Long> ends = ends();
    for (Crew crew : crews) {
      String group = crew.kind().group();
      recorder.await(
          group + " owns all partitions", () -> crew.ownsOnce(site.topics().partitions()));
      recorder.await(group + " is stable and the coordinator says the same", () -> isStable(group));
      recorder.await(group + " has committed all", () -> hasCommitted(group, ends));
      committed(group).forEach((p, offset) -> recorder.write(new CommitFound(group, p, offset)));
    }
    recorder.write(new Phase(StuckLiveness.END));
  }

  private Map<TopicPartition, Long> ends() throws Exception {
    Map<TopicPartition, OffsetSpec> latest = new LinkedHashMap<>();
    site.topics().partitions().forEach(p -> latest.put(p, OffsetSpec.latest()));
    Map<TopicPartition, Long> ends = new LinkedHashMap<>();
    admin.listOffsets(latest).all().get().forEach((p, info) -> ends.put(p, info.offset()));
    return ends;
  }

  private boolean isStable(String group) throws Exception {
    ConsumerGroupDescription found;
    try {
      found = admin.describeConsumerGroups(List.of(group)).all().get().get(group);
    } catch (ExecutionException e) {
      return false;
    }
    List<TopicPartition> owned = new ArrayList<>();
    found.members().forEach(m -> owned.addAll(m.assignment().topicPartitions()));
    return found.groupState() == GroupState.STABLE
        && owned.size() == PARTITIONS
        && owned.containsAll(site.topics().partitions());
  }

  private boolean hasCommitted(String group, Map<TopicPartition, Long> ends) throws Exception {
    Map<TopicPartition, Long> offsets;
    try {
      offsets = committed(group);
    } catch (ExecutionException e) {
      return false;
    }
    return ends.entrySet().stream()
        .allMatch(end -> offsets.getOrDefault(end.getKey(), 0L) >= end.getValue());
  }

  /** All of them, whatever one of them says. */
  @Override
  public void close() {
    List<Load> all = new ArrayList<>(crews);
    if (writer != null) {
      all.add(writer);
    }
    AssertionError failure = null;
    for (Load load : all) {
      try {
        load.close();
      } catch (RuntimeException | AssertionError e) {
        failure = failure == null ? new AssertionError("a client can't be closed") : failure;
        failure.addSuppressed(e);
      }
    }
    admin.close();
    if (failure != null) {
      throw failure;
    }
  }
}
