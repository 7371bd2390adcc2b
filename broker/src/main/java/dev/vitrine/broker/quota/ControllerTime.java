package dev.vitrine.broker.quota;

import dev.vitrine.config.QuotaSettings;
import dev.vitrine.metadata.MetadataImage;
import dev.vitrine.metadata.SecurityImage;
import dev.vitrine.quota.QuotaRules;
import dev.vitrine.quota.QuotaSensors;
import dev.vitrine.quota.QuotaType;

/**
 * The quota of time that clients' requests take of a controller (KIP-124), whether they came by a
 * broker or not: a broker does not count what it passes on. On the quorum loop.
 */
public final class ControllerTime {
  private final QuotaSensors sensors;
  private SecurityImage known = MetadataImage.EMPTY.security();
  private QuotaRules rules = QuotaRules.NONE;

  public ControllerTime(QuotaSettings.Windows windows) {
    sensors = new QuotaSensors(windows.windows(), windows.windowMs());
  }

  /** Whether anybody has a limit. */
  public boolean isLimited(SecurityImage image) {
    if (image != known) {
      known = image;
      rules = QuotaRules.of(image);
    }
    return rules.limits(QuotaType.REQUEST);
  }

  /**
   * @return for how many milliseconds the client is to be held back
   */
  public int charge(String principal, String clientId, long nanos, long nowMs) {
    String user = QuotaRules.userOf(principal);
    return sensors.record(
        QuotaType.REQUEST,
        rules.match(QuotaType.REQUEST, user, clientId),
        nanos * BrokerQuotas.PERCENT_A_NANO,
        nowMs);
  }
}
