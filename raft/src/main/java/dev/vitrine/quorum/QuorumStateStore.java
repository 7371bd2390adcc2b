package dev.vitrine.quorum;

/** Where a replica's promises outlive it. */
interface QuorumStateStore {
  /** {@link ElectionState#INITIAL} if nothing was written. */
  ElectionState read();

  /**
   * Durable when it returns; called on a disk worker, one call at a time.
   *
   * @param kraftVersion says in which form
   */
  void write(ElectionState state, short kraftVersion);
}
