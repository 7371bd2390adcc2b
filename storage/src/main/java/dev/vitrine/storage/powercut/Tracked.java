package dev.vitrine.storage.powercut;

/**
 * A file or a folder, whatever its name is by now. Its id is never given twice, its inode may be:
 * by the system, once nothing refers to it any more.
 */
abstract sealed class Tracked permits TrackedFile, TrackedFolder {
  final long id;

  /** As the system numbers it; 0 while that is not known. */
  long inode;

  /** How many durable names it has, and names on their way to be. */
  int pins;

  /** Whether it has a name now. */
  boolean named;

  Tracked(long id, long inode) {
    this.id = id;
    this.inode = inode;
  }
}
