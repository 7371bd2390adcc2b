package dev.vitrine.compat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * How long a cluster of three nodes takes no writes after one of them is killed, for Vitrine and
 * Apache Kafka in the same way. A benchmark, run by {@code compat-tests/failover}: it asserts
 * nothing. One line for each round on standard error, one table at the end on standard output.
 */
public final class FailoverFigures {
  private static final String USAGE =
      """
      usage: compat-tests/failover [--target vitrine,kafka] [--partitions 12,1200]
                                   [--cases leader,leader-controller,controller] [--rounds 10]
        leader             kill a node that leads a third of the partitions, not the active controller
        leader-controller  kill the active controller, which leads a third of the partitions
        controller         kill the active controller, from which all leaderships were moved before
      """;

  /** What is killed in a round, and which partitions are watched. */
  enum Case {
    LEADER("a leader that is not the active controller"),
    LEADER_CONTROLLER("a leader that is the active controller"),
    CONTROLLER("the active controller, which leads nothing");

    final String text;

    Case(String text) {
      this.text = text;
    }

    static Case of(String name) {
      return valueOf(name.toUpperCase(Locale.ROOT).replace('-', '_'));
    }
  }

  private record Row(Case what, int partitions) {}

  private final Map<String, List<String>> options =
      new LinkedHashMap<>(
          Map.of(
              "--target", List.of("vitrine", "kafka"),
              "--partitions", List.of("12", "1200"),
              "--cases", List.of("leader", "leader-controller", "controller"),
              "--rounds", List.of("10")));

  private final Map<Row, Map<String, FailoverTimes>> table = new LinkedHashMap<>();

  private FailoverFigures() {}

  public static void main(String[] args) throws Exception {
    FailoverFigures figures = new FailoverFigures();
    if (!figures.parse(args)) {
      System.err.print(USAGE);
      System.exit(2);
    }
    figures.measure();
    System.out.print(figures.print());
    System.exit(0);
  }

  private boolean parse(String[] args) {
    if (args.length % 2 != 0) {
      return false;
    }
    for (int i = 0; i < args.length; i += 2) {
      if (options.replace(args[i], List.of(args[i + 1].split(","))) == null) {
        return false;
      }
    }
    try {
      options.get("--cases").forEach(Case::of);
      Stream.of("--partitions", "--rounds")
          .flatMap(o -> options.get(o).stream())
          .forEach(Integer::parseInt);
      return List.of("vitrine", "kafka").containsAll(options.get("--target"));
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  private void measure() throws Exception {
    int rounds = Integer.parseInt(options.get("--rounds").get(0));
    for (String target : options.get("--target")) {
      System.setProperty("target", target);
      for (String partitions : options.get("--partitions")) {
        int count = Integer.parseInt(partitions);
        try (FailoverRounds cluster = new FailoverRounds(count)) {
          for (String name : options.get("--cases")) {
            Case what = Case.of(name);
            FailoverTimes times = new FailoverTimes();
            for (int round = 1; round <= rounds; round++) {
              times.add(cluster.round(what));
              System.err.printf(
                  "%s, %d partitions, %s, round %d: %s%n",
                  target, count, name, round, times.last());
            }
            table
                .computeIfAbsent(new Row(what, count), r -> new LinkedHashMap<>())
                .put(target, times);
          }
        }
      }
    }
  }

  private String print() {
    List<String> targets = options.get("--target");
    List<String> lines = new ArrayList<>();
    lines.add("| killed | partitions | " + String.join(" | ", targets) + " |");
    lines.add("| --- | ---: |" + " ---: |".repeat(targets.size()));
    table.forEach(
        (row, byTarget) ->
            lines.add(
                "| %s | %,d | %s |"
                    .formatted(
                        row.what.text,
                        row.partitions,
                        targets.stream()
                            .map(t -> byTarget.containsKey(t) ? byTarget.get(t).toString() : "-")
                            .collect(Collectors.joining(" | ")))));
    lines.add("");
    lines.add(
        "Seconds from kill -9 until each partition concerned has acknowledged a write (acks=all)"
            + " that was sent after it: median of "
            + options.get("--rounds").get(0)
            + " (least to most).");
    return String.join("\n", lines) + "\n";
  }

  /** The figures of one cell: of each round, the partition that took longest. */
  static final class FailoverTimes {
    private final List<long[]> rounds = new ArrayList<>();

    void add(long[] nanosByPartition) {
      long[] sorted = nanosByPartition.clone();
      Arrays.sort(sorted);
      rounds.add(sorted);
    }

    String last() {
      long[] last = rounds.get(rounds.size() - 1);
      return "%s s for all %d partitions (the first %s, the middle one %s)"
          .formatted(
              seconds(last[last.length - 1]),
              last.length,
              seconds(last[0]),
              seconds(last[last.length / 2]));
    }

    @Override
    public String toString() {
      long[] longest = rounds.stream().mapToLong(r -> r[r.length - 1]).sorted().toArray();
      int n = longest.length;
      long median = (longest[(n - 1) / 2] + longest[n / 2]) / 2;
      return "%s (%s to %s)"
          .formatted(seconds(median), seconds(longest[0]), seconds(longest[n - 1]));
    }

    private static String seconds(long nanos) {
      return String.format(Locale.ROOT, "%.2f", nanos / 1e9);
    }
  }
}
