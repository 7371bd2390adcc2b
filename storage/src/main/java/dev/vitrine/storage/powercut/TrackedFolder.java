package dev.vitrine.storage.powercut;

import java.util.TreeMap;
import java.util.TreeSet;

/**
 * A folder: the names in it now, and those that a power cut would leave. Changed under the disk's
 * lock; its monitor is held by who syncs it.
 */
final class TrackedFolder extends Tracked {
  final TreeMap<String, Tracked> now = new TreeMap<>();
  final TreeMap<String, Tracked> durable = new TreeMap<>();

  /** The names that may differ between the two. */
  TreeSet<String> changed = new TreeSet<>();

  /** Whether the ledger knows it. */
  boolean written;

  TrackedFolder(long id, long inode) {
    super(id, inode);
  }
}
