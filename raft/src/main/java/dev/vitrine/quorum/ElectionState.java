package dev.vitrine.quorum;

import dev.vitrine.protocol.Uuid;

/**
 * What a replica must remember of its epoch through a crash, in the {@code quorum-state} file. Ids
 * are -1 where there is nobody.
 */
record ElectionState(int epoch, int leaderId, int votedId, Uuid votedDirectoryId) {
  static final ElectionState INITIAL = new ElectionState(0, -1, -1, Uuid.ZERO);

  ReplicaKey voted() {
    return votedId < 0 ? null : new ReplicaKey(votedId, votedDirectoryId);
  }
}
