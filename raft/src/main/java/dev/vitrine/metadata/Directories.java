package dev.vitrine.metadata;

import dev.vitrine.protocol.Uuid;
import java.util.Collections;
import java.util.List;

/** The directory ids that name no directory (KIP-858), and what a replica list starts with. */
public final class Directories {
  /** Not known: the partition comes from a time before directories were recorded. */
  public static final Uuid MIGRATING = Uuid.ZERO;

  /** The broker has not chosen one yet. */
  public static final Uuid UNASSIGNED = new Uuid(0, 1);

  /** The broker cannot say which, but it is one that failed. */
  public static final Uuid LOST = new Uuid(0, 2);

  private Directories() {}

  /** Whether a broker has said where the replica lies, or that this has failed. */
  public static boolean isKnown(Uuid directory) {
    return !directory.equals(MIGRATING) && !directory.equals(UNASSIGNED);
  }

  /** As many {@link #UNASSIGNED} as there are replicas. */
  public static List<Uuid> unassigned(int replicas) {
    return Collections.nCopies(replicas, UNASSIGNED);
  }
}
