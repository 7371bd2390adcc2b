package dev.vitrine.config;

import java.time.Duration;
import java.time.format.DateTimeParseException;

/**
 * Where a share group begins: {@code earliest}, {@code latest}, {@code by_duration:PT1H} (KIP-932).
 */
final class OffsetReset {
  private static final String BY_DURATION = "by_duration:";

  private OffsetReset() {}

  static final ConfigRule RULE =
      (name, value) -> {
        if (!isValid((String) value)) {
          throw ConfigException.invalidValue(
              name,
              value,
              "Invalid value `"
                  + value
                  + "` for configuration "
                  + name
                  + ". The value must be either 'earliest', 'latest' or of the format"
                  + " 'by_duration:<PnDTnHnMn.nS>'.");
        }
      };

  private static boolean isValid(String value) {
    if (!value.startsWith(BY_DURATION)) {
      return value.equals("earliest") || value.equals("latest");
    }
    try {
      return !Duration.parse(value.substring(BY_DURATION.length())).isNegative();
    } catch (DateTimeParseException notADuration) {
      return false;
    }
  }
}
