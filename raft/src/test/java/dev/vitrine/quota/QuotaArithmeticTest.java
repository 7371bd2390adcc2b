package dev.vitrine.quota;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.vitrine.quota.QuotaRules.Bucket;
import dev.vitrine.quota.QuotaRules.Match;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.apache.kafka.common.MetricName;
import org.apache.kafka.common.metrics.KafkaMetric;
import org.apache.kafka.common.metrics.MetricConfig;
import org.apache.kafka.common.metrics.Quota;
import org.apache.kafka.common.metrics.QuotaViolationException;
import org.apache.kafka.common.metrics.stats.Rate;
import org.apache.kafka.common.metrics.stats.TokenBucket;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.server.quota.QuotaUtils;
import org.junit.jupiter.api.Test;

/** Rates, tokens and throttle times, beside those of Kafka's own classes. */
class QuotaArithmeticTest {
  private static final MetricName NAME = new MetricName("rate", "group", "", java.util.Map.of());

  private static MetricConfig config(int windows, int seconds, double limit) {
    return new MetricConfig()
        .samples(windows)
        .timeWindow(seconds, TimeUnit.SECONDS)
        .quota(new Quota(limit, true));
  }

  /** Mostly a little time, at times much. */
  private static long pause(Random random, int seconds) {
    return switch (random.nextInt(5)) {
      case 0 -> 0;
      case 1, 2 -> random.nextInt(200);
      case 3 -> random.nextInt(seconds * 1500);
      default -> random.nextInt(seconds * 10_000);
    };
  }

  @Property(tries = 300)
  void ratesAndThrottleTimesAreKafkas(
      @ForAll long seed, @ForAll @IntRange(min = 1, max = 12) int windows) {
    Random random = new Random(seed);
    int seconds = 1 + random.nextInt(3);
    double limit = 1 + random.nextInt(500);
    MetricConfig config = config(windows, seconds, limit);
    Rate theirs = new Rate();
    KafkaMetric metric = new KafkaMetric(new Object(), NAME, theirs, config, Time.SYSTEM);
    QuotaRate ours = new QuotaRate(windows, seconds * 1000L);
    long now = 1_000_000;
    for (int i = 0; i < 200; i++) {
      now += pause(random, seconds);
      double amount = random.nextInt(1000) - 50;
      theirs.record(config, amount, now);
      ours.record(amount, now);
      double rate = theirs.measure(config, now);
      assertEquals(rate, ours.perSecond(now), 1e-6, "after " + i);
      long throttleMs =
          rate <= limit
              ? 0
              : QuotaUtils.throttleTime(new QuotaViolationException(metric, rate, limit), now);
      assertEquals(throttleMs, ours.throttleMs(limit, now), 1, "after " + i);
    }
  }

  @Property(tries = 300)
  void tokensAreKafkas(@ForAll long seed, @ForAll @IntRange(min = 1, max = 12) int windows) {
    Random random = new Random(seed);
    int seconds = 1 + random.nextInt(3);
    MetricConfig config = config(windows, seconds, 0.5 + random.nextInt(20));
    TokenBucket theirs = new TokenBucket();
    dev.vitrine.quota.TokenBucket ours =
        new dev.vitrine.quota.TokenBucket(windows, seconds * 1000L);
    long now = 1_000_000_000;
    for (int i = 0; i < 200; i++) {
      now += pause(random, seconds);
      if (random.nextInt(10) == 0) {
        config.quota(new Quota(0.5 + random.nextInt(20), true));
      }
      double limit = config.quota().bound();
      int amount = random.nextInt(60);
      theirs.record(config, amount, now);
      ours.take(amount, limit, now);
      double left = theirs.measure(config, now);
      assertEquals(left, ours.left(limit, now), 1e-6, "after " + i);
      assertEquals(left < 0 ? Math.round(-left / limit * 1000) : 0, ours.throttleMs(limit, now), 1);
    }
  }

  @Test
  void aStrictQuotaRefusesWhileItIsOverdrawnAndALooseOneLetsWait() {
    QuotaSensors sensors = new QuotaSensors(2, 1000);
    Match match = new Match(new Bucket("u", ""), 5);
    MutationQuota first = MutationQuota.of(sensors, match, true, 0);
    assertTrue(first.take(10), "all that both windows hold");
    assertTrue(first.take(5), "and beyond, since there was no debt yet");
    assertFalse(first.take(1));
    assertEquals(1000, first.throttleMs(0));
    assertEquals(400, first.throttleMs(600), "the time that has passed is taken off");
    assertEquals(0, first.throttleMs(5000));
    assertFalse(MutationQuota.of(sensors, match, true, 999).take(1));
    MutationQuota loose = MutationQuota.of(sensors, match, false, 1000);
    assertTrue(loose.take(5));
    assertTrue(loose.take(5));
    assertEquals(2000, loose.throttleMs(1000));
    assertTrue(MutationQuota.UNLIMITED.take(Integer.MAX_VALUE));
  }

  @Test
  void theTimeOfThreadsIsThrottledForOneWindowAtMost() {
    QuotaSensors sensors = new QuotaSensors(11, 1000);
    Match match = new Match(new Bucket("u", ""), 0.01);
    assertEquals(0, sensors.record(QuotaType.REQUEST, null, 1e9, 0));
    assertEquals(1000, sensors.record(QuotaType.REQUEST, match, 1e9, 0));
    assertEquals(Integer.MAX_VALUE, sensors.record(QuotaType.PRODUCE, match, 1e15, 0));
  }

  @Test
  void whoIsNotHeardOfForAnHourIsForgotten() {
    QuotaSensors sensors = new QuotaSensors(11, 1000);
    for (int i = 0; i < 100; i++) {
      sensors.record(QuotaType.FETCH, new Match(new Bucket("u", "c" + i), 1), 1, i);
    }
    MutationQuota.of(sensors, new Match(new Bucket("u", ""), 1), true, 100).take(1);
    assertEquals(101, sensors.size());
    sensors.record(QuotaType.FETCH, new Match(new Bucket("u", "c5"), 1), 1, 3_600_050);
    assertEquals(52, sensors.size());
    sensors.record(QuotaType.FETCH, new Match(new Bucket("u", "c5"), 1), 1, 3_700_050);
    assertEquals(1, sensors.size());
  }
}
