package dev.vitrine.broker.observe;

import java.util.Arrays;

/**
 * How often which values came, in buckets that are an eighth of a power of two wide: a quantile is
 * off by at most a sixteenth. Belongs to one shard, which records; others see copies. Recording
 * never allocates.
 *
 * <p>A class of its own rather than HdrHistogram: that keeps six thousand counters for the same
 * range at its lowest precision, for each API and each stage of a request.
 */
public final class Histogram {
  /** Below it, each value has its own bucket. */
  private static final int EXACT = 16;

  private static final int EXACT_BITS = 4;
  private static final int PARTS_BITS = 3;
  private static final int PARTS = 1 << PARTS_BITS;
  private static final int MAX_BITS = 36;
  private static final int BUCKETS = EXACT + (MAX_BITS - EXACT_BITS + 1) * PARTS;

  private final long[] counts;
  private long count;
  private double sum;

  public Histogram() {
    this(new long[BUCKETS], 0, 0);
  }

  private Histogram(long[] counts, long count, double sum) {
    this.counts = counts;
    this.count = count;
    this.sum = sum;
  }

  /**
   * @param value what is below 0 counts as 0
   */
  public void record(long value) {
    long v = Math.max(0, value);
    counts[bucket(v)]++;
    count++;
    sum += v;
  }

  private static int bucket(long v) {
    if (v < EXACT) {
      return (int) v;
    }
    int bits = 63 - Long.numberOfLeadingZeros(v);
    if (bits > MAX_BITS) {
      return BUCKETS - 1;
    }
    int part = (int) (v >>> (bits - PARTS_BITS)) & (PARTS - 1);
    return EXACT + (bits - EXACT_BITS) * PARTS + part;
  }

  /** The middle of a bucket. */
  private static double valueOf(int bucket) {
    if (bucket < EXACT) {
      return bucket;
    }
    int bits = (bucket - EXACT) / PARTS + EXACT_BITS;
    int part = (bucket - EXACT) % PARTS;
    double width = 1L << (bits - PARTS_BITS);
    return (1L << bits) + part * width + width / 2;
  }

  public long count() {
    return count;
  }

  public double sum() {
    return sum;
  }

  public Histogram copy() {
    return new Histogram(counts.clone(), count, sum);
  }

  /** Counts what the other has counted, too. */
  public void add(Histogram other) {
    for (int i = 0; i < BUCKETS; i++) {
      counts[i] += other.counts[i];
    }
    count += other.count;
    sum += other.sum;
  }

  /** What has been recorded since {@code earlier}, a copy of this one as it was. */
  public Histogram since(Histogram earlier) {
    long[] newer = new long[BUCKETS];
    Arrays.setAll(newer, i -> counts[i] - earlier.counts[i]);
    return new Histogram(newer, count - earlier.count, sum - earlier.sum);
  }

  /**
   * A value that {@code q} of those recorded don't exceed; not a number if there are none.
   *
   * @param q from 0 to 1
   */
  public double quantile(double q) {
    long rank = (long) Math.ceil(q * count);
    long seen = 0;
    for (int i = 0; i < BUCKETS; i++) {
      seen += counts[i];
      if (seen >= rank && seen > 0) {
        return valueOf(i);
      }
    }
    return Double.NaN;
  }
}
