package dev.vitrine.config;

/**
 * Over what time the quotas of clients are measured.
 *
 * @param clients what is produced, fetched and asked of a broker, and the rates of connections
 * @param mutations what the controller is to change
 */
public record QuotaSettings(Windows clients, Windows mutations) {
  /**
   * @param windows of the past that are looked at
   * @param windowMs the length of one, in milliseconds
   */
  public record Windows(int windows, long windowMs) {}

  static QuotaSettings of(ConfigValues v) {
    return new QuotaSettings(windows(v, "quota.window"), windows(v, "controller.quota.window"));
  }

  private static Windows windows(ConfigValues v, String prefix) {
    return new Windows(v.int32(prefix + ".num"), v.int32(prefix + ".size.seconds") * 1000L);
  }
}
