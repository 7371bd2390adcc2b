package dev.vitrine.compat.chaos;

import dev.vitrine.compat.chaos.Event.Acknowledged;
import dev.vitrine.compat.chaos.Event.CommitSent;
import dev.vitrine.compat.chaos.Event.Done;
import dev.vitrine.compat.chaos.Event.ElectionAsked;
import dev.vitrine.compat.chaos.Event.EndTold;
import dev.vitrine.compat.chaos.Event.Failed;
import dev.vitrine.compat.chaos.Event.FaultBegun;
import dev.vitrine.compat.chaos.Event.FaultLeftOut;
import dev.vitrine.compat.chaos.Event.OnDisk;
import dev.vitrine.compat.chaos.Event.Polled;
import dev.vitrine.compat.chaos.Event.ReadWhole;
import dev.vitrine.compat.chaos.Event.ReaderStarted;
import dev.vitrine.compat.chaos.Event.Recovered;
import dev.vitrine.compat.chaos.Event.Run;
import dev.vitrine.compat.chaos.Event.Sent;
import dev.vitrine.compat.chaos.Event.TopicAsked;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.common.TopicPartition;

/** What a history comes to, as text. Computed from the history alone, so that it can be again. */
final class ChaosReport {
  private static final int SHOWN = 5;

  private final RunHistory history;
  private final Map<Check, List<String>> anomalies;

  ChaosReport(RunHistory history) {
    this.history = history;
    this.anomalies = Checker.check(history);
  }

  int countAnomalies() {
    return anomalies.values().stream().mapToInt(List::size).sum();
  }

  int countFaults() {
    return history.all(FaultBegun.class).size();
  }

  /**
   * The first of each kind.
   *
   * @param always only of those that are anomalies even where records may have been lost
   */
  List<String> examples(boolean always) {
    List<String> examples = new ArrayList<>();
    anomalies.forEach(
        (check, cases) ->
            cases.stream()
                .filter(text -> check.isAlways() || !always)
                .limit(SHOWN)
                .forEach(text -> examples.add(check.anomaly() + ": " + text)));
    return examples;
  }

  /** One line, for those who run everything. */
  String line() {
    Run run = run();
    return "chaos: %s: %d faults, %d records acknowledged, %d anomalies; longest gap between acknowledgements of a partition %d ms; seed %d"
        .formatted(
            run.target(),
            countFaults(),
            history.acknowledged().size(),
            countAnomalies(),
            longestGapMs(),
            run.seed());
  }

  private Run run() {
    return history.all(Run.class).stream().findFirst().orElse(new Run("unknown", 0, ""));
  }

  String table() {
    Run run = run();
    StringBuilder text = new StringBuilder();
    text.append("target %s, seed %d, %s%n".formatted(run.target(), run.seed(), run.settings()));
    section(text, "operations", operations());
    section(text, "faults", faults());
    Map<String, Long> found = new LinkedHashMap<>();
    anomalies.forEach((check, cases) -> found.put(check.anomaly(), (long) cases.size()));
    section(text, "anomalies", found);
    Map<String, Long> times = new LinkedHashMap<>();
    times.put("longest gap between acknowledgements of a partition, ms", longestGapMs());
    for (Recovered recovered : history.all(Recovered.class)) {
      times.put("after the faults, ms until " + recovered.what(), recovered.ms());
    }
    section(text, "times", times);
    examples(false).forEach(example -> text.append(example).append(System.lineSeparator()));
    return text.toString();
  }

  private static void section(StringBuilder text, String title, Map<String, Long> lines) {
    text.append(title).append(System.lineSeparator());
    lines.forEach((name, count) -> text.append("  %-64s %9d%n".formatted(name, count)));
  }

  private Map<String, Long> operations() {
    Map<String, Long> counts = new LinkedHashMap<>();
    counts.put("records sent", (long) history.all(Sent.class).size());
    counts.put("- acknowledged", (long) history.all(Acknowledged.class).size());
    counts.put("- refused", count(RunHistory.Outcome.FAILED));
    counts.put("- nobody can tell", count(RunHistory.Outcome.UNKNOWN));
    counts.put("polls with records", (long) history.all(Polled.class).size());
    counts.put(
        "- records read",
        history.all(Polled.class).stream().mapToLong(p -> p.items().size()).sum());
    counts.put("end offsets told", (long) history.all(EndTold.class).size());
    counts.put(
        "members that joined the group",
        history.all(ReaderStarted.class).stream().filter(r -> !r.group().isEmpty()).count());
    counts.put("offsets committed", doneOf(CommitSent.class));
    counts.put("topics made or grown", doneOf(TopicAsked.class));
    counts.put("preferred leaders elected", doneOf(ElectionAsked.class));
    counts.put("calls that failed", (long) history.all(Failed.class).size());
    counts.put("partitions read whole in the end", (long) history.all(ReadWhole.class).size());
    counts.put("replicas compared on disk", (long) history.all(OnDisk.class).size());
    return counts;
  }

  private long count(RunHistory.Outcome outcome) {
    return history.writes().stream().filter(write -> write.outcome() == outcome).count();
  }

  private long doneOf(Class<? extends Event> kind) {
    return history.all(Done.class).stream()
        .filter(done -> kind.isInstance(history.event(done.call())))
        .count();
  }

  private Map<String, Long> faults() {
    Map<String, Long> counts = new TreeMap<>();
    for (FaultBegun fault : history.all(FaultBegun.class)) {
      counts.merge(fault.kind(), 1L, Long::sum);
    }
    counts.put("(left out)", (long) history.all(FaultLeftOut.class).size());
    return counts;
  }

  /** Between two acknowledgements of one partition, whoever got them. */
  long longestGapMs() {
    Map<TopicPartition, Long> last = new HashMap<>();
    long longest = 0;
    for (Timed timed : history.events()) {
      if (timed.event() instanceof Acknowledged told
          && history.event(told.call()) instanceof Sent sent) {
        Long before = last.put(sent.partition(), timed.atMicros());
        longest = Math.max(longest, before == null ? 0 : timed.atMicros() - before);
      }
    }
    return longest / 1_000;
  }
}
