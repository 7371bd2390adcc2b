package dev.vitrine.compat.chaos;

import dev.vitrine.compat.Target;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;

/**
 * What a run is, from system properties.
 *
 * @param seconds how long faults begin, {@code chaos.seconds}
 * @param seed of the faults, the loads and the cluster's configuration, {@code chaos.seed}; drawn
 *     if it is not given
 * @param nodes {@code chaos.nodes}, 3 unless given
 * @param perSecond how many records each of the writers sends, {@code chaos.rate}
 * @param faults kinds that were asked for, {@code chaos.faults} with commas; empty for all that
 *     must lose nothing
 */
record ChaosSettings(int seconds, long seed, int nodes, int perSecond, List<FaultKind> faults) {
  static ChaosSettings fromProperties() {
    long seed = Long.getLong("chaos.seed", new SplittableRandom().nextLong(1_000_000));
    List<FaultKind> faults =
        Arrays.stream(System.getProperty("chaos.faults", "").split(","))
            .filter(word -> !word.isBlank())
            .map(ChaosSettings::kind)
            .toList();
    return new ChaosSettings(
        Integer.getInteger("chaos.seconds", 20),
        seed,
        Integer.getInteger("chaos.nodes", 3),
        Integer.getInteger("chaos.rate", 50),
        faults);
  }

  private static FaultKind kind(String word) {
    return FaultKind.named(word.strip())
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "-Dchaos.faults: %s is none of %s"
                        .formatted(
                            word,
                            Arrays.stream(FaultKind.values()).map(FaultKind::word).toList())));
  }

  /** Those of the faults that this cluster can have. */
  List<FaultKind> kinds(FaultActions actions) {
    return wanted().stream().filter(actions::can).toList();
  }

  List<FaultKind> wanted() {
    return faults.isEmpty() ? FaultKind.SAFE : faults;
  }

  /** Whether a loss of what was acknowledged is only reported. */
  boolean mayLose() {
    return faults.contains(FaultKind.POWER_CUT_ALL);
  }

  /** The brokers' configuration, drawn: what makes segments roll and replicas fall out. */
  Map<String, String> brokerConfig(SplittableRandom random) {
    Map<String, String> config = new TreeMap<>();
    config.put("log.segment.bytes", String.valueOf(pick(random, 1_048_576, 2_097_152, 67_108_864)));
    config.put("replica.lag.time.max.ms", String.valueOf(pick(random, 4_000, 10_000, 30_000)));
    config.put("auto.create.topics.enable", "false");
    int shards = pick(random, 1, 3);
    if (Target.isVitrine()) {
      config.put("vitrine.faults", "true");
      config.put("vitrine.writeback.ms", String.valueOf(pick(random, 300, 5_000, 30_000)));
      config.put("vitrine.shards", String.valueOf(Integer.getInteger("chaos.shards", shards)));
    }
    return config;
  }

  /** What a writer's configuration differs in from the client's defaults, drawn. */
  static Map<String, Object> writerConfig(SplittableRandom random) {
    Map<String, Object> config = new TreeMap<>();
    config.put("max.in.flight.requests.per.connection", pick(random, 1, 5, 5));
    config.put("linger.ms", pick(random, 0, 5, 50));
    config.put("delivery.timeout.ms", pick(random, 12_000, 120_000, 300_000));
    config.put("request.timeout.ms", pick(random, 5_000, 10_000, 10_000));
    config.put("compression.type", pick(random, "none", "gzip", "snappy", "lz4", "zstd"));
    return config;
  }

  /** The same for the members of a group. */
  static Map<String, Object> memberConfig(SplittableRandom random) {
    Map<String, Object> config = new TreeMap<>();
    config.put("session.timeout.ms", pick(random, 6_000, 10_000, 20_000));
    config.put("metadata.max.age.ms", 3_000); // topics grow
    config.put("heartbeat.interval.ms", 1_000);
    config.put(
        "partition.assignment.strategy",
        "org.apache.kafka.clients.consumer."
            + pick(random, "RangeAssignor", "RoundRobinAssignor", "CooperativeStickyAssignor"));
    return config;
  }

  @SafeVarargs
  private static <T> T pick(SplittableRandom random, T... choices) {
    return choices[random.nextInt(choices.length)];
  }
}
