package dev.vitrine.broker.observe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class HistogramTest {
  @Test
  void quantilesAreOffByAtMostASixteenth() {
    SplittableRandom random = new SplittableRandom(7);
    Histogram h = new Histogram();
    long[] values = new long[10_000];
    for (int i = 0; i < values.length; i++) {
      values[i] = random.nextLong(1L << random.nextInt(1, 36));
      h.record(values[i]);
    }
    Arrays.sort(values);
    for (double q : new double[] {0.01, 0.5, 0.75, 0.95, 0.99, 0.999, 1}) {
      double real = values[(int) Math.ceil(q * values.length) - 1];
      assertEquals(real, h.quantile(q), real / 16 + 0.5, "quantile " + q);
    }
    assertEquals(values.length, h.count());
    assertEquals(Arrays.stream(values).asDoubleStream().sum(), h.sum(), 1);
  }

  @Test
  void valuesBeyondItsEndsAreCounted() {
    Histogram h = new Histogram();
    h.record(-1);
    h.record(0);
    h.record(Long.MAX_VALUE);
    assertEquals(3, h.count());
    assertEquals(0, h.quantile(0.5));
    assertTrue(h.quantile(1) > 1L << 36);
  }

  @Test
  void whatCameSinceACopy() {
    Histogram h = new Histogram();
    h.record(5);
    Histogram then = h.copy();
    assertTrue(Double.isNaN(h.since(then).quantile(0.5)));
    h.record(9);
    assertEquals(1, h.since(then).count());
    assertEquals(9, h.since(then).quantile(0.5));
    then.add(h.since(then));
    assertEquals(2, then.count());
    assertEquals(14, then.sum());
  }
}
