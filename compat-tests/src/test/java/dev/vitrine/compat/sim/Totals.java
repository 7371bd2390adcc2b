package dev.vitrine.compat.sim;

import java.util.Map;
import java.util.TreeMap;

/** What many runs have exercised, for one line at the end. Any thread. */
final class Totals {
  private final Map<String, Long> sums = new TreeMap<>();
  private final Map<String, Long> topologies = new TreeMap<>();
  private long runs;
  private long records;
  private long acknowledged;
  private long leaderships;

  synchronized void add(ClusterSim sim) {
    runs++;
    records += sim.history.records();
    acknowledged += sim.acknowledged();
    leaderships += sim.history.leaderships();
    sim.faults.counts().forEach((f, n) -> sums.merge(word(f.name()), (long) n, Long::sum));
    sim.admin.counts.forEach((c, n) -> sums.merge("chore " + word(c.name()), (long) n, Long::sum));
    StringBuilder topology = new StringBuilder();
    for (Plan.Machine m : sim.plan.machines) {
      topology.append(m.broker() ? m.controller() ? 'n' : 'b' : 'c');
    }
    topology.append(sim.plan.elr ? " elr" : "");
    topologies.merge(topology.toString(), 1L, Long::sum);
  }

  private static String word(String name) {
    return name.toLowerCase(java.util.Locale.ROOT).replace('_', ' ');
  }

  synchronized long runs() {
    return runs;
  }

  synchronized long records() {
    return records;
  }

  synchronized long leaderships() {
    return leaderships;
  }

  @Override
  public synchronized String toString() {
    StringBuilder s = new StringBuilder();
    s.append(runs).append(" seeds: ").append(records).append(" committed records, ");
    s.append(acknowledged).append(" acknowledged to idempotent producers, ");
    s.append(leaderships).append(" leaderships; faults and chores ").append(sums);
    s.append("; nodes ").append(topologies);
    return s.toString();
  }
}
