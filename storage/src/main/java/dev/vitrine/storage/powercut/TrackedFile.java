package dev.vitrine.storage.powercut;

/**
 * A file's content: how much of it is durable. {@link #guarded} is read without a lock; all else is
 * changed under the disk's lock, and only by who holds this file's own.
 */
final class TrackedFile extends Tracked {
  /** Bytes that are durable, from the start. */
  long synced;

  /** How often it was synced; 0 for never. Names the file of its undo records. */
  int epoch;

  /** Bytes from the start that are as they were synced, or are just being synced. */
  volatile long guarded;

  /** Whether there are undo records of this epoch. */
  boolean undone;

  /** Whether there is a hard link to it in the ledger's folder. */
  boolean kept;

  TrackedFile(long id, long inode) {
    super(id, inode);
  }
}
