package dev.vitrine.compat.sim;

/** What may go wrong in a simulated cluster; a seed draws which of these do, and how often. */
enum Fault {
  /** A process is killed and starts again later. */
  KILL,
  KILL_ALL,
  /** A process stands still, its connections stay. */
  PAUSE,
  /** A clean stop. */
  STOP,
  /** A machine loses what it had not synced, where others have what was acknowledged. */
  POWER,
  /** Silence between two hosts until all is mended; what was under way comes then. */
  CUT,
  ONE_WAY_CUT,
  /** A machine is cut off from all others, or a broker from all brokers. */
  ISOLATE,
  /** Silence between two hosts for a while. */
  CLOG,
  /** Bytes between two hosts are lost for a while. */
  LOSE,
  /** A connection breaks. */
  BREAK,
  /** A wall clock jumps, forth or back. */
  CLOCK,
  /** A disk takes its time. */
  SLOW_DISK,
  /**
   * A disk has no more room for a while, so that the node ends; where power fails, syncs may too.
   */
  FULL_DISK
}
