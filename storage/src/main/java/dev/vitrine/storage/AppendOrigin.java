package dev.vitrine.storage;

/** Where appended batches come from: decides which checks they pass. */
public enum AppendOrigin {
  /** A Produce request: sequences are checked, duplicates found. */
  CLIENT,
  /** A coordinator or the controller of this node: transaction markers and records of its own. */
  COORDINATOR,
  /** A fetch from the leader, which has checked everything: all is taken as it is. */
  REPLICATION
}
