package dev.vitrine.config;

import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

/** What a subscription to clients' metrics may say (KIP-714). Pure. */
public final class ClientMetricsConfigs {
  private static final int MIN_INTERVAL_MS = 100;
  private static final int MAX_INTERVAL_MS = 3_600_000;

  private static final List<String> MATCHERS =
      List.of(
          "client_instance_id",
          "client_id",
          "client_software_name",
          "client_software_version",
          "client_source_address",
          "client_source_port");

  private ClientMetricsConfigs() {}

  /**
   * Refuses what Kafka's controller refuses, in its words.
   *
   * @param overrides everything that would be set for the subscription; a value may be null
   * @throws ConfigException if the overrides can't be set
   */
  public static void validate(String name, Map<String, String> overrides) {
    if (name.isEmpty()) {
      throw invalidRequest("Subscription name can't be empty");
    }
    TopicConfigs.requireNoNulls("client metrics", overrides);
    for (String key : overrides.keySet()) {
      if (ClientMetricsKeys.TABLE.key(key) == null) {
        throw invalidRequest("Unknown client metrics configuration: " + key);
      }
    }
    ConfigValues values = ConfigValues.parse(ClientMetricsKeys.TABLE, overrides);
    int interval = values.int32("interval.ms");
    if (interval < MIN_INTERVAL_MS || interval > MAX_INTERVAL_MS) {
      throw invalidRequest(
          "Invalid value "
              + interval
              + " for interval.ms, interval must be between 100 and 3600000 (1 hour)");
    }
    values.list("match").forEach(ClientMetricsConfigs::checkMatch);
  }

  private static void checkMatch(String match) {
    String[] nameAndPattern = match.split("=");
    boolean legal =
        nameAndPattern.length == 2
            && MATCHERS.contains(nameAndPattern[0].trim())
            && isPattern(nameAndPattern[1].trim());
    if (!legal) {
      throw new ConfigException("Illegal client matching pattern: " + match);
    }
  }

  private static boolean isPattern(String text) {
    try {
      Pattern.compile(text);
      return true;
    } catch (PatternSyntaxException notAPattern) {
      return false;
    }
  }

  private static ConfigException invalidRequest(String message) {
    return new ConfigException(ConfigException.Kind.INVALID_REQUEST, message);
  }
}
