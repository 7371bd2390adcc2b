package dev.vitrine.quorum;

import dev.vitrine.protocol.Uuid;

/**
 * A replica of the metadata log: a node and the directory that it keeps the log in, {@link
 * Uuid#ZERO} where that is not known (KIP-853).
 */
record ReplicaKey(int id, Uuid directoryId) implements Comparable<ReplicaKey> {
  boolean hasDirectory() {
    return !directoryId.equals(Uuid.ZERO);
  }

  @Override
  public int compareTo(ReplicaKey o) {
    int c = Integer.compare(id, o.id);
    return c != 0 ? c : directoryId.compareTo(o.directoryId);
  }

  @Override
  public String toString() {
    return hasDirectory() ? id + " (directory " + directoryId + ")" : Integer.toString(id);
  }
}
