package dev.vitrine.quorum;

/**
 * A place in the log: an end offset (exclusive) and the epoch of the record before it. Of two logs
 * the one that is greater by this order is the more up to date. Also the id of a snapshot.
 */
public record OffsetAndEpoch(long offset, int epoch) implements Comparable<OffsetAndEpoch> {
  /** The snapshot that {@code format} writes: what the first leader puts into the empty log. */
  public static final OffsetAndEpoch BOOTSTRAP = new OffsetAndEpoch(0, 0);

  @Override
  public int compareTo(OffsetAndEpoch o) {
    int c = Integer.compare(epoch, o.epoch);
    return c != 0 ? c : Long.compare(offset, o.offset);
  }
}
