package dev.vitrine.broker.group.assignor;

import dev.vitrine.protocol.Uuid;
import java.util.Map;
import java.util.Set;

/**
 * Decides which member of a consumer group owns which partition (KIP-848). Has no state: any thread
 * may call it, and it never changes its input.
 */
public interface ServerAssignor {
  /** As members and {@code group.consumer.assignors} name it. */
  String name();

  /**
   * Each partition of each topic that somebody is subscribed to goes to exactly one of its
   * subscribers. Topics without a partition count are passed over, and so is what a member's target
   * holds that it may not have any more.
   *
   * @return the partitions of each topic for each member of the input, in sorted maps and sets; a
   *     topic of which a member has nothing is not there
   */
  Map<String, Map<Uuid, Set<Integer>>> assign(AssignmentInput input);
}
