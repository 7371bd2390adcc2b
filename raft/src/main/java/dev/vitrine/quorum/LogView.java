package dev.vitrine.quorum;

/** What the core may know of the log. Answers from memory. */
interface LogView {
  /**
   * The first offset that is there: 0, or the end of the snapshot that replaced what was before.
   */
  long startOffset();

  /** One past the last record. */
  long endOffset();

  /** The epoch of the last record; 0 for an empty log. */
  int lastEpoch();

  /**
   * The largest epoch of the log that is not above {@code epoch}, and where it ends. If all are
   * above it, that epoch itself ends at the start of the log.
   */
  OffsetAndEpoch endOffsetForEpoch(int epoch);

  /** The latest snapshot, or null. */
  OffsetAndEpoch latestSnapshotId();

  /** The oldest snapshot that is kept, or null. If the log starts above 0, it starts at its end. */
  OffsetAndEpoch earliestSnapshotId();

  /** Bytes of the snapshot; -1 if there is none of this id. */
  long snapshotSize(OffsetAndEpoch id);

  /** The voters that the log and its snapshot name; changes with the log. */
  VoterHistory voters();

  default OffsetAndEpoch end() {
    return new OffsetAndEpoch(endOffset(), lastEpoch());
  }
}
