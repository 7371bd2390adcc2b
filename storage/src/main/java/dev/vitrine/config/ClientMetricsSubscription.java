package dev.vitrine.config;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * Which metrics are wanted of which clients (KIP-714). Immutable.
 *
 * @param metrics prefixes of their names; {@code *} is all
 * @param match what each of these properties of a client must look like, as a whole
 */
public record ClientMetricsSubscription(
    String name, List<String> metrics, int intervalMs, Map<String, Pattern> match) {

  /**
   * @param overrides what was set, and is valid: see {@link ClientMetricsConfigs#validate}
   */
  public static ClientMetricsSubscription of(String name, Map<String, String> overrides) {
    ConfigValues values = ConfigValues.parse(ClientMetricsKeys.TABLE, overrides);
    Map<String, Pattern> match = new TreeMap<>();
    for (String one : values.list("match")) {
      String[] nameAndPattern = one.split("=");
      match.put(nameAndPattern[0].trim(), Pattern.compile(nameAndPattern[1].trim()));
    }
    return new ClientMetricsSubscription(
        name, List.copyOf(values.list("metrics")), values.int32("interval.ms"), match);
  }

  /**
   * @param client its properties; one that is not known is missing
   */
  public boolean isFor(Map<String, String> client) {
    return match.entrySet().stream()
        .allMatch(
            e ->
                client.get(e.getKey()) != null
                    && e.getValue().matcher(client.get(e.getKey())).matches());
  }
}
