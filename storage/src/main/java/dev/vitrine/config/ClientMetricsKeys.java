package dev.vitrine.config;

import static dev.vitrine.config.ConfigRule.anyList;

/** What a subscription to clients' metrics says (KIP-714). */
final class ClientMetricsKeys {
  static final ConfigTable TABLE = table();

  private ClientMetricsKeys() {}

  private static ConfigTable table() {
    ConfigTable.Builder t = new ConfigTable.Builder();
    define(t);
    return t.build();
  }

  private static void define(ConfigTable.Builder t) {
    t.int32("interval.ms", 300_000).doc("How often matching clients push their metrics.");
    t.list("match", "", anyList())
        .doc(
            "Patterns that a client must match: client_id, client_instance_id, client_software_name and more, as key=regex.");
    t.list("metrics", "", anyList())
        .doc("Prefixes of the names of the metrics to push; * is all, none stops the push.");
  }
}
