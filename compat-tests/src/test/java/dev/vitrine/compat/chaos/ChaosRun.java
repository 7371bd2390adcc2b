package dev.vitrine.compat.chaos;

import dev.vitrine.compat.Await;
import dev.vitrine.compat.Clients;
import dev.vitrine.compat.ClusterUnderTest;
import dev.vitrine.compat.LocalCluster;
import dev.vitrine.compat.Namespaces;
import dev.vitrine.compat.Target;
import dev.vitrine.compat.Wiring;
import dev.vitrine.compat.chaos.Event.CommitFound;
import dev.vitrine.compat.chaos.Event.Phase;
import dev.vitrine.compat.chaos.Event.Run;
import dev.vitrine.compat.chaos.Event.TopicFound;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;

/**
 * One run: a cluster, loads on it, the faults; then everything is healed, must come to rest, and is
 * looked at from all sides. Judges nothing: all it sees is in the history.
 */
final class ChaosRun {
  private static final String FIXED = "chaos";
  private static final int FIXED_PARTITIONS = 6;
  private static final String GROWING = "growing";
  private static final String GROUP = "group";
  private static final long PROGRESS_MS = 10_000;

  private final ChaosSettings settings;
  private final Recorder recorder;
  private final SplittableRandom random;
  private final Topics topics = new Topics();
  private final List<WritingLoad> writers = new ArrayList<>();
  private final List<FollowingLoad> followers = new ArrayList<>();
  private final List<Load> others = new ArrayList<>();
  private ClusterUnderTest cluster;
  private FaultActions actions;
  private Site site;
  private GroupChurn group;

  ChaosRun(ChaosSettings settings, Recorder recorder) {
    this.settings = settings;
    this.recorder = recorder;
    this.random = new SplittableRandom(settings.seed());
  }

  void run() throws Exception {
    Map<String, String> config = settings.brokerConfig(random.split());
    boolean own = Target.isVitrine() && random.nextBoolean();
    Optional<Namespaces> namespaces = own ? Optional.empty() : Namespaces.create(settings.nodes());
    Wiring wiring = namespaces.<Wiring>map(n -> n).orElse(Wiring.LOOPBACK);
    try (wiring;
        ClusterUnderTest started = LocalCluster.start("chaos", settings.nodes(), wiring, config)) {
      cluster = started;
      actions = new FaultActions(cluster, lines(namespaces), random.split());
      recorder.write(new Run(Target.chosen().name(), settings.seed(), describe(config)));
      site = new Site(recorder, new Clients(cluster.bootstrap()), topics);
      createTopics();
      Load loads = this::closeLoads;
      try (loads) {
        startLoads();
        breakThings();
        recover();
      }
      look();
    }
    phase(StuckLiveness.END);
  }

  /** By the kernel, or by the nodes themselves, who are Vitrine's then. */
  private Optional<LineFaults> lines(Optional<Namespaces> namespaces) {
    if (namespaces.isPresent()) {
      return Optional.of(new Wires(namespaces.get()));
    }
    return Target.isVitrine() ? Optional.of(new NodeFaults(cluster)) : Optional.empty();
  }

  private String describe(Map<String, String> config) {
    List<FaultKind> kinds = settings.kinds(actions);
    List<String> impossible =
        settings.wanted().stream()
            .filter(kind -> !kinds.contains(kind))
            .map(FaultKind::word)
            .toList();
    return "%d s, %d nodes from %s on, %s, faults %s, not possible here %s"
        .formatted(
            settings.seconds(),
            settings.nodes(),
            cluster.host(1),
            config,
            kinds.stream().map(FaultKind::word).toList(),
            impossible);
  }

  private void phase(String name) {
    recorder.write(new Phase(name));
  }

  private void createTopics() throws Exception {
    Map<String, String> config = Map.of("max.message.bytes", String.valueOf(RefusedLoad.LARGEST));
    site.clients().createTopic(new NewTopic(FIXED, FIXED_PARTITIONS, (short) 3).configs(config));
    site.clients().createTopic(new NewTopic(GROWING, 1, (short) 3).configs(config));
    topics.add(FIXED, FIXED_PARTITIONS);
    topics.add(GROWING, 1);
  }

  private void startLoads() throws Exception {
    long start = System.nanoTime();
    for (int i = 1; i <= 3; i++) {
      SplittableRandom own = random.split();
      Map<String, Object> config = ChaosSettings.writerConfig(own);
      writers.add(new WritingLoad(site, "writer-" + i, config, settings.perSecond(), own));
    }
    followers.add(new FollowingLoad(site, "follower-1", "read_uncommitted"));
    followers.add(new FollowingLoad(site, "follower-2", "read_committed"));
    others.add(new SeekingLoad(site, "seeker", random.split()));
    others.add(new RefusedLoad(site, random.split()));
    others.add(new AdminLoad(site, GROWING, random.split()));
    SplittableRandom own = random.split();
    group = new GroupChurn(site, GROUP, ChaosSettings.memberConfig(own), own);
    Await.until(
        "all writers write", () -> writers.stream().allMatch(w -> w.hasAcknowledged(start)));
  }

  private void breakThings() throws Exception {
    phase("faults");
    FaultRunner runner = new FaultRunner(site, cluster, actions, random.split());
    long lengthMs = TimeUnit.SECONDS.toMillis(settings.seconds());
    List<Fault> schedule =
        FaultSchedule.draw(settings.seed(), settings.nodes(), lengthMs, settings.kinds(actions));
    long start = System.nanoTime();
    long[] next = {PROGRESS_MS};
    runner.run(
        schedule,
        lengthMs,
        () -> {
          long ms = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
          if (ms >= next[0]) {
            next[0] += PROGRESS_MS;
            long acknowledged = writers.stream().mapToLong(WritingLoad::countAcknowledged).sum();
            System.out.printf(
                "chaos: %s: after %d s: %d faults, %d records acknowledged%n",
                Target.chosen().name(), ms / 1_000, runner.countBegun(), acknowledged);
          }
        });
  }

  /** What was broken works again by itself, one thing after the other. */
  private void recover() throws Exception {
    phase("recovery");
    try (Admin admin = site.clients().admin()) {
      ClusterView view = new ClusterView(admin, cluster.nodes());
      recorder.await("all brokers are back", () -> fresh(view).isReady());
      recorder.await("all replicas are in sync", () -> fresh(view).isInSync());
      group.settle();
      others.forEach(Load::close);
      long now = System.nanoTime();
      for (WritingLoad writer : writers) {
        recorder.await("a writer writes to every partition", () -> writer.hasAcknowledged(now));
      }
      for (WritingLoad writer : writers) {
        writer.close();
      }
      Map<TopicPartition, Long> ends = ends(admin);
      for (FollowingLoad follower : followers) {
        recorder.await("a reader has read all", () -> follower.hasRead(ends));
      }
      recorder.await("the group has read and committed all", () -> hasCommitted(admin, ends));
      recorder.await("all replicas are in sync again", () -> fresh(view).isInSync());
    }
  }

  private static ClusterView fresh(ClusterView view) {
    view.forget();
    return view;
  }

  private Map<TopicPartition, Long> ends(Admin admin) throws Exception {
    Map<TopicPartition, Long> ends = new HashMap<>();
    for (TopicPartition partition : topics.partitions()) {
      ends.put(
          partition,
          admin
              .listOffsets(Map.of(partition, OffsetSpec.latest()))
              .partitionResult(partition)
              .get()
              .offset());
    }
    return ends;
  }

  private static boolean hasCommitted(Admin admin, Map<TopicPartition, Long> ends)
      throws Exception {
    Map<TopicPartition, OffsetAndMetadata> committed = committed(admin);
    return ends.entrySet().stream()
        .filter(end -> end.getValue() > 0)
        .allMatch(
            end -> {
              OffsetAndMetadata offset = committed.get(end.getKey());
              return offset != null && offset.offset() >= end.getValue();
            });
  }

  private static Map<TopicPartition, OffsetAndMetadata> committed(Admin admin) throws Exception {
    return admin.listConsumerGroupOffsets(GROUP).partitionsToOffsetAndMetadata().get();
  }

  /** All of them, whatever one of them says. */
  private void closeLoads() {
    List<Load> all = new ArrayList<>(others);
    all.addAll(writers);
    all.addAll(followers);
    if (group != null) {
      all.add(group::settle);
      all.add(group);
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
    if (failure != null) {
      throw failure;
    }
  }

  private void look() throws Exception {
    phase("look");
    new FinalReads(site).all();
    try (Admin admin = site.clients().admin()) {
      for (String topic : admin.listTopics().names().get()) {
        recorder.write(new TopicFound(topic, Clients.partitions(admin, topic).size()));
      }
      Map<TopicPartition, OffsetAndMetadata> committed = committed(admin);
      for (TopicPartition partition : topics.partitions()) {
        OffsetAndMetadata offset = committed.get(partition);
        recorder.write(new CommitFound(GROUP, partition, offset == null ? -1 : offset.offset()));
      }
    }
    cluster.stopAll();
    for (int node : cluster.nodes()) {
      Disks.record(recorder, node, cluster.logDir(node));
    }
  }
}
