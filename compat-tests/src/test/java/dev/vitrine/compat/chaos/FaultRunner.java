package dev.vitrine.compat.chaos;

import dev.vitrine.compat.Clients;
import dev.vitrine.compat.ClusterUnderTest;
import dev.vitrine.compat.chaos.Event.FaultBegun;
import dev.vitrine.compat.chaos.Event.FaultEnded;
import dev.vitrine.compat.chaos.Event.FaultLeftOut;
import dev.vitrine.compat.chaos.Event.FaultSaid;
import dev.vitrine.compat.chaos.Fault.Victim;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.TopicPartition;

/**
 * Lets the faults of a schedule begin as soon as they are due and the rules allow it, and end after
 * their time. When {@link #run} returns normally, all have ended.
 */
final class FaultRunner {
  private static final int TICK_MS = 200;

  /** While a question is not answered, no fault begins or ends. */
  private static final Map<String, Object> IMPATIENT =
      Map.of("request.timeout.ms", 1_000, "default.api.timeout.ms", 2_000);

  private final Site site;
  private final ClusterUnderTest cluster;
  private final FaultActions actions;
  private final FaultRules rules;
  private final SplittableRandom random;
  private final Map<Fault, Long> endsMs = new TreeMap<>((a, b) -> a.number() - b.number());
  private final long start = System.nanoTime();
  private int begun;

  FaultRunner(Site site, ClusterUnderTest cluster, FaultActions actions, SplittableRandom random) {
    this.site = site;
    this.cluster = cluster;
    this.actions = actions;
    this.rules = new FaultRules(cluster.nodes().size());
    this.random = random;
  }

  private long nowMs() {
    return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
  }

  int countBegun() {
    return begun;
  }

  /**
   * @param everyTick called between faults, several times a second
   */
  void run(List<Fault> schedule, long lengthMs, Runnable everyTick) throws Exception {
    List<Fault> waiting = new ArrayList<>(schedule);
    Map<Fault, String> reasons = new TreeMap<>((a, b) -> a.number() - b.number());
    try (Admin admin = site.clients().admin(IMPATIENT)) {
      ClusterView view = new ClusterView(admin, cluster.nodes());
      while (nowMs() < lengthMs) {
        endThoseDue(nowMs());
        requireAlive();
        view.forget();
        for (Iterator<Fault> i = waiting.iterator(); i.hasNext(); ) {
          Fault drawn = i.next();
          if (drawn.atMs() > nowMs()) {
            break;
          }
          Fault fault = aim(admin, drawn);
          Optional<String> refusal = rules.refusal(fault, view, nowMs());
          if (refusal.isEmpty()) {
            begin(fault, lengthMs, view);
            i.remove();
          } else {
            reasons.put(drawn, refusal.get());
            if (FaultRules.isPatient(drawn.kind())) {
              break;
            }
          }
        }
        everyTick.run();
        Thread.sleep(TICK_MS);
      }
    }
    endThoseDue(Long.MAX_VALUE);
    for (Fault fault : waiting) {
      String why = reasons.getOrDefault(fault, "the time was over");
      site.recorder().write(new FaultLeftOut(fault.number(), fault.kind().word(), why));
    }
  }

  private void begin(Fault fault, long lengthMs, ClusterView view) throws Exception {
    String detail =
        (fault.victim() == Victim.ANY ? "" : fault.victim().name().toLowerCase() + " ")
            + (fault.amount() == 0 ? "" : fault.amount() + " ms");
    site.recorder()
        .write(
            new FaultBegun(fault.number(), fault.kind().word(), fault.nodesText(), detail.strip()));
    rules.begun(fault);
    begun++;
    String said = actions.begin(fault);
    if (!said.isEmpty()) {
      site.recorder().write(new FaultSaid(fault.number(), said));
    }
    endsMs.put(fault, Math.min(nowMs() + fault.lengthMs(), lengthMs));
    view.forget();
  }

  private void endThoseDue(long nowMs) throws Exception {
    for (Iterator<Map.Entry<Fault, Long>> i = endsMs.entrySet().iterator(); i.hasNext(); ) {
      Map.Entry<Fault, Long> entry = i.next();
      if (entry.getValue() <= nowMs) {
        Fault fault = entry.getKey();
        actions.end(fault);
        rules.ended(fault, nowMs());
        site.recorder().write(new FaultEnded(fault.number(), fault.kind().word()));
        i.remove();
      }
    }
  }

  /** A node that nobody has killed must be there. */
  private void requireAlive() {
    for (int node : cluster.nodes()) {
      boolean killed =
          endsMs.keySet().stream()
              .filter(fault -> fault.kind().isDeath())
              .anyMatch(fault -> fault.kind().isOfAll() || fault.nodes().contains(node));
      if (!killed && !cluster.isRunning(node)) {
        throw new AssertionError("node " + node + " has ended by itself");
      }
    }
  }

  /** The fault on whom it looks for; as it was drawn if that can't be told now. */
  private Fault aim(Admin admin, Fault drawn) throws Exception {
    return switch (drawn.victim()) {
      case ANY -> drawn;
      case LEADER -> {
        List<TopicPartition> partitions = site.topics().partitions();
        TopicPartition partition = partitions.get(random.nextInt(partitions.size()));
        yield Clients.leader(admin, partition).map(drawn::on).orElse(drawn);
      }
      case CONTROLLER -> controller(admin).map(drawn::on).orElse(drawn);
    };
  }

  private static Optional<Integer> controller(Admin admin) throws InterruptedException {
    try {
      return Optional.of(admin.describeMetadataQuorum().quorumInfo().get().leaderId())
          .filter(id -> id > 0);
    } catch (ExecutionException e) {
      return Optional.empty();
    }
  }
}
