package dev.vitrine.config;

/**
 * Whether clients' metrics are taken (KIP-714).
 *
 * @param enabled {@code vitrine.client.telemetry}
 * @param maxBytes the largest push
 */
public record TelemetrySettings(boolean enabled, int maxBytes) {
  static TelemetrySettings of(ConfigValues v) {
    return new TelemetrySettings(
        v.bool("vitrine.client.telemetry"), v.int32("telemetry.max.bytes"));
  }
}
