package dev.vitrine.broker.quota;

import dev.vitrine.config.QuotaSettings;
import dev.vitrine.metadata.SecurityImage;
import dev.vitrine.quota.QuotaRules;
import dev.vitrine.quota.QuotaRules.Match;
import dev.vitrine.quota.QuotaSensors;
import dev.vitrine.quota.QuotaType;
import dev.vitrine.seam.Shard;
import java.util.function.IntConsumer;

/**
 * The quotas of one broker's clients. A quota is for the whole broker, but its client's connections
 * are on any shard: so all counting is the owner's, one shard, and the others hand it what a
 * request has cost and get the throttle time back as a task. That is exact and has no lock; shares
 * for each shard would stop a client that uses one of them too early. It costs a hop, and only for
 * a client that has a limit. Where nobody has one, all that is left is {@link #isActive}, a look at
 * a field.
 *
 * <p>Rules are set on the quorum loop and read by all.
 */
public final class BrokerQuotas {
  static final double PERCENT_A_NANO = 100.0 / 1_000_000_000;

  private final Shard owner;
  private final QuotaSettings.Windows windows;

  /** The owner's. */
  private final QuotaSensors sensors;

  private volatile QuotaRules rules = QuotaRules.NONE;

  /**
   * What one request has cost.
   *
   * @param traffic {@link QuotaType#PRODUCE} or {@link QuotaType#FETCH}; null for other requests
   * @param bytes of that traffic
   * @param nanos of a thread; negative if the time is not to be counted
   */
  public record Cost(String user, String clientId, QuotaType traffic, long bytes, long nanos) {}

  public BrokerQuotas(Shard owner, QuotaSettings.Windows windows) {
    this.owner = owner;
    this.windows = windows;
    this.sensors = new QuotaSensors(windows.windows(), windows.windowMs());
  }

  /** On the quorum loop. */
  public void set(SecurityImage image) {
    QuotaRules all = QuotaRules.of(image);
    boolean ours =
        all.limits(QuotaType.PRODUCE)
            || all.limits(QuotaType.FETCH)
            || all.limits(QuotaType.REQUEST);
    rules = ours ? all : QuotaRules.NONE;
  }

  /** Whether anybody has a limit. */
  public boolean isActive() {
    return rules != QuotaRules.NONE;
  }

  /** The most that a consumer may be given at once: what it may have within all windows but one. */
  public int mostFetched(String user, String clientId) {
    Match match = rules.match(QuotaType.FETCH, user, clientId);
    return match == null
        ? Integer.MAX_VALUE
        : (int) (match.limit() * (windows.windows() - 1) * (windows.windowMs() / 1000));
  }

  /**
   * Counts a request that is about to be answered. A fetch that is over its quota is not given its
   * records, and so they are not counted.
   *
   * @param throttleMs gets the time to hold the client back on the asker's shard: from within this
   *     call, unless another shard has to count
   */
  public void charge(Cost cost, Shard asker, IntConsumer throttleMs) {
    QuotaRules now = rules;
    Match traffic = cost.traffic == null ? null : now.match(cost.traffic, cost.user, cost.clientId);
    Match time = cost.nanos < 0 ? null : now.match(QuotaType.REQUEST, cost.user, cost.clientId);
    if (traffic == null && time == null) {
      throttleMs.accept(0);
    } else if (owner == asker) {
      throttleMs.accept(count(cost, traffic, time));
    } else {
      owner.execute(
          () -> {
            int ms = count(cost, traffic, time);
            asker.execute(() -> throttleMs.accept(ms));
          });
    }
  }

  private int count(Cost cost, Match traffic, Match time) {
    long nowMs = owner.ticks();
    int forTime = sensors.record(QuotaType.REQUEST, time, cost.nanos * PERCENT_A_NANO, nowMs);
    int forTraffic = sensors.record(cost.traffic, traffic, cost.bytes, nowMs);
    int most = Math.max(forTime, forTraffic);
    if (most > 0 && cost.traffic == QuotaType.FETCH) {
      sensors.unrecord(cost.traffic, traffic, cost.bytes, nowMs);
    }
    return most;
  }
}
