package dev.vitrine.storage;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Which segments a log no longer needs: those before its start offset and, where cleanup.policy has
 * delete, the oldest ones beyond retention.bytes and retention.ms. Only what is below the high
 * watermark goes.
 */
final class Retention {
  private static final Logger LOG = LoggerFactory.getLogger(Retention.class);

  private interface Rule {
    /** Why the segment goes, or null. */
    String reason(Segment s, long nextBaseOffset);
  }

  private final Log log;
  private final long highWatermark;
  private final long nowMs;

  Retention(Log log, long highWatermark, long nowMs) {
    this.log = log;
    this.highWatermark = highWatermark;
    this.nowMs = nowMs;
  }

  /** Deletes what may go; returns how many segments. */
  int run() {
    int deleted = delete(this::beforeStart);
    LogConfig config = log.config();
    if (config.delete()) {
      if (config.retentionBytes() >= 0) {
        long[] excess = {log.size() - config.retentionBytes()};
        deleted += delete((s, next) -> beyondSize(s, excess));
      }
      if (config.retentionMs() >= 0) {
        deleted += delete((s, next) -> tooOld(s, config.retentionMs()));
      }
    }
    return deleted;
  }

  private String beforeStart(Segment s, long nextBaseOffset) {
    return nextBaseOffset >= 0 && nextBaseOffset <= log.logStartOffset()
        ? "the log starts at offset " + log.logStartOffset()
        : null;
  }

  private static String beyondSize(Segment s, long[] excess) {
    if (excess[0] - s.size() < 0) {
      return null;
    }
    excess[0] -= s.size();
    return "retention.bytes is exceeded";
  }

  private String tooOld(Segment s, long retentionMs) {
    long largest = s.largestTimestamp();
    return nowMs - largest > retentionMs
        ? "retention.ms has passed since its latest record of " + largest
        : null;
  }

  private int delete(Rule rule) {
    SegmentList segments = log.segments();
    int n = 0;
    while (n < segments.count()) {
      Segment s = segments.get(n);
      boolean last = n == segments.count() - 1;
      long next = last ? log.logEndOffset() : segments.get(n + 1).baseOffset();
      if (highWatermark < next || last && s.size() == 0) {
        break;
      }
      String reason = rule.reason(s, last ? -1 : next);
      if (reason == null) {
        break;
      }
      LOG.info("{}: deleting {}: {}", log.partition(), s, reason);
      n++;
    }
    if (n > 0) {
      log.dropOldest(n);
    }
    return n;
  }
}
