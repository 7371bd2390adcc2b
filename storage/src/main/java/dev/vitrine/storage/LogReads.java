package dev.vitrine.storage;

/**
 * Finds what is read of a {@link Log}: the batches of an offset, the record of a time. Belongs to
 * its log's owner.
 */
final class LogReads {
  private final Log log;

  LogReads(Log log) {
    this.log = log;
  }

  LogSlice read(long offset, int maxBytes, long limitOffset, boolean minOneBatch) {
    long end = log.logEndOffset();
    if (offset > end || offset < log.logStartOffset()) {
      return LogSlice.OUT_OF_RANGE;
    }
    if (offset >= limitOffset || offset == end) {
      return LogSlice.EMPTY;
    }
    for (int i = log.segments().floor(offset); i >= 0 && i < log.segments().count(); i++) {
      Segment s = log.segments().get(i);
      Segment.Found found = s.size() == 0 ? null : s.find(offset);
      if (found != null) {
        return slice(s, found, positionOf(limitOffset, i), maxBytes, minOneBatch);
      }
      // Compaction has emptied what was there: go on in the next one.
    }
    return LogSlice.EMPTY;
  }

  private static LogSlice slice(
      Segment s, Segment.Found found, int limit, int maxBytes, boolean minOneBatch) {
    int available = limit - found.position();
    int wanted = minOneBatch ? Math.max(maxBytes, found.size()) : Math.max(0, maxBytes);
    int length = Math.min(available, wanted);
    if (length <= 0) {
      return LogSlice.EMPTY;
    }
    FileRecords records = new FileRecords(s.use(), found.position(), length);
    return new LogSlice(records, s.baseOffset(), found.position(), false, length < found.size());
  }

  /** Up to where in this segment a reader with this limit may read. */
  private int positionOf(long limitOffset, int segment) {
    Segment s = log.segments().get(segment);
    boolean beyond =
        segment + 1 < log.segments().count()
            ? limitOffset >= log.segments().get(segment + 1).baseOffset()
            : limitOffset >= log.logEndOffset();
    if (beyond) {
      return s.size();
    }
    if (limitOffset <= s.baseOffset()) {
      return 0;
    }
    Segment.Found at = s.find(limitOffset);
    return at == null ? s.size() : at.position();
  }

  OffsetAndTimestamp offsetForTimestamp(long timestamp) {
    for (Segment s : log.segments().all()) {
      if (s.size() > 0 && s.latest().timestamp() >= timestamp) {
        int from = s.positionBefore(timestamp, log.logStartOffset());
        OffsetAndTimestamp found =
            new TimestampSearch(s.use(), from, s.size(), timestamp, log.logStartOffset()).call();
        if (found != OffsetAndTimestamp.NONE) {
          return found;
        }
        // All that is late enough is before the log start offset: Kafka gives up here.
      }
    }
    return OffsetAndTimestamp.NONE;
  }

  OffsetAndTimestamp maxTimestamp() {
    Segment best = null;
    for (Segment s : log.segments().all()) {
      if (s.size() > 0
          && s.latest().timestamp() >= 0
          && (best == null || s.latest().timestamp() > best.latest().timestamp())) {
        best = s;
      }
    }
    if (best == null) {
      return OffsetAndTimestamp.NONE;
    }
    Segment.Found batch = best.find(best.latest().offset());
    int from = batch == null ? 0 : batch.position();
    return new TimestampSearch(
            best.use(), from, best.size(), best.latest().timestamp(), log.logStartOffset())
        .call();
  }
}
