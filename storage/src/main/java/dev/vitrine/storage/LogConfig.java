package dev.vitrine.storage;

/**
 * The settings of a topic that its logs need, by Kafka's names; immutable. Times in milliseconds,
 * sizes in bytes; -1 means no limit where Kafka says so.
 *
 * @param segmentBytes segment.bytes
 * @param segmentMs segment.ms
 * @param segmentJitterMs segment.jitter.ms
 * @param segmentIndexBytes segment.index.bytes
 * @param indexIntervalBytes index.interval.bytes
 * @param retentionMs retention.ms
 * @param retentionBytes retention.bytes
 * @param compact cleanup.policy has compact
 * @param delete cleanup.policy has delete
 * @param maxMessageBytes max.message.bytes
 * @param flushMessages flush.messages
 * @param flushMs flush.ms
 * @param fileDeleteDelayMs file.delete.delay.ms
 * @param deleteRetentionMs delete.retention.ms
 * @param minCompactionLagMs min.compaction.lag.ms
 * @param maxCompactionLagMs max.compaction.lag.ms
 * @param minCleanableDirtyRatio min.cleanable.dirty.ratio
 * @param producerIdExpirationMs producer.id.expiration.ms, of the broker
 */
public record LogConfig(
    int segmentBytes,
    long segmentMs,
    long segmentJitterMs,
    int segmentIndexBytes,
    int indexIntervalBytes,
    long retentionMs,
    long retentionBytes,
    boolean compact,
    boolean delete,
    int maxMessageBytes,
    long flushMessages,
    long flushMs,
    long fileDeleteDelayMs,
    long deleteRetentionMs,
    long minCompactionLagMs,
    long maxCompactionLagMs,
    double minCleanableDirtyRatio,
    long producerIdExpirationMs) {
  /** Kafka's defaults. */
  public static final LogConfig DEFAULT = new Builder().build();

  public static Builder builder() {
    return new Builder();
  }

  /** Starts from Kafka's defaults. */
  public static final class Builder {
    private int segmentBytes = 1 << 30;
    private long segmentMs = 7 * 24 * 3_600_000L;
    private long segmentJitterMs;
    private int segmentIndexBytes = 10 << 20;
    private int indexIntervalBytes = 4096;
    private long retentionMs = 7 * 24 * 3_600_000L;
    private long retentionBytes = -1;
    private boolean compact;
    private boolean delete = true;
    private int maxMessageBytes = (1 << 20) + 12;
    private long flushMessages = Long.MAX_VALUE;
    private long flushMs = Long.MAX_VALUE;
    private long fileDeleteDelayMs = 60_000;
    private long deleteRetentionMs = 24 * 3_600_000L;
    private long minCompactionLagMs;
    private long maxCompactionLagMs = Long.MAX_VALUE;
    private double minCleanableDirtyRatio = 0.5;
    private long producerIdExpirationMs = 24 * 3_600_000L;

    public Builder segmentBytes(int v) {
      segmentBytes = v;
      return this;
    }

    public Builder segmentMs(long v) {
      segmentMs = v;
      return this;
    }

    public Builder segmentJitterMs(long v) {
      segmentJitterMs = v;
      return this;
    }

    public Builder segmentIndexBytes(int v) {
      segmentIndexBytes = v;
      return this;
    }

    public Builder indexIntervalBytes(int v) {
      indexIntervalBytes = v;
      return this;
    }

    public Builder retentionMs(long v) {
      retentionMs = v;
      return this;
    }

    public Builder retentionBytes(long v) {
      retentionBytes = v;
      return this;
    }

    /** cleanup.policy; neither means that nothing is ever deleted. */
    public Builder cleanupPolicy(boolean compact, boolean delete) {
      this.compact = compact;
      this.delete = delete;
      return this;
    }

    public Builder maxMessageBytes(int v) {
      maxMessageBytes = v;
      return this;
    }

    public Builder flushMessages(long v) {
      flushMessages = v;
      return this;
    }

    public Builder flushMs(long v) {
      flushMs = v;
      return this;
    }

    public Builder fileDeleteDelayMs(long v) {
      fileDeleteDelayMs = v;
      return this;
    }

    public Builder deleteRetentionMs(long v) {
      deleteRetentionMs = v;
      return this;
    }

    public Builder minCompactionLagMs(long v) {
      minCompactionLagMs = v;
      return this;
    }

    public Builder maxCompactionLagMs(long v) {
      maxCompactionLagMs = v;
      return this;
    }

    public Builder minCleanableDirtyRatio(double v) {
      minCleanableDirtyRatio = v;
      return this;
    }

    public Builder producerIdExpirationMs(long v) {
      producerIdExpirationMs = v;
      return this;
    }

    public LogConfig build() {
      return new LogConfig(
          segmentBytes,
          segmentMs,
          segmentJitterMs,
          segmentIndexBytes,
          indexIntervalBytes,
          retentionMs,
          retentionBytes,
          compact,
          delete,
          maxMessageBytes,
          flushMessages,
          flushMs,
          fileDeleteDelayMs,
          deleteRetentionMs,
          minCompactionLagMs,
          maxCompactionLagMs,
          minCleanableDirtyRatio,
          producerIdExpirationMs);
    }
  }
}
