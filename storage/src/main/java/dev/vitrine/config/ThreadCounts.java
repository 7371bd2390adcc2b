package dev.vitrine.config;

import java.util.List;

/**
 * How far numbers of threads may be changed while a broker runs (KIP-226): to half and to double,
 * as Kafka does, for which they mean something. Pure.
 */
final class ThreadCounts {
  private static final List<String> POOLS =
      List.of(
          "num.io.threads",
          "num.replica.fetchers",
          "num.recovery.threads.per.data.dir",
          "background.threads",
          "num.network.threads");

  private ThreadCounts() {}

  /**
   * @throws ConfigException if a number goes too far in one step
   */
  static void validate(KafkaConfig now, KafkaConfig next) {
    for (String name : POOLS) {
      int before = now.values().int32(name);
      int after = next.values().int32(name);
      String failed = "Dynamic thread count update validation failed for " + name + "=" + after;
      if (after < before / 2) {
        throw invalid(failed + ", value should be at least half the current value " + before);
      }
      if (after > before * 2L) {
        throw invalid(
            failed + ", value should not be greater than double the current value " + before);
      }
    }
    int before = now.values().int32("log.cleaner.threads");
    int after = next.values().int32("log.cleaner.threads");
    if (after < 1 && before > 0) {
      throw invalid("Log cleaner threads should be at least 1");
    }
    if (after < before / 2) {
      throw invalid(
          "Log cleaner threads cannot be reduced to less than half the current value " + before);
    }
    if (after > Math.max(1, before) * 2L) { // 0 is what the file may say; it must lead out of it
      throw invalid(
          "Log cleaner threads cannot be increased to more than double the current value "
              + before);
    }
  }

  private static ConfigException invalid(String why) {
    return ConfigException.invalidValue(
        "Invalid dynamic configuration",
        "org.apache.kafka.common.config.ConfigException: " + why,
        null);
  }
}
