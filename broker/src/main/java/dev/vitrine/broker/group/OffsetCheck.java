package dev.vitrine.broker.group;

import dev.vitrine.protocol.Uuid;

/** Whether a member that may commit may do so for a partition. */
interface OffsetCheck {
  /** For all of them. */
  OffsetCheck ANY = (topic, topicId, partition) -> {};

  /**
   * @throws GroupException if not; then the whole commit is refused
   */
  void check(String topic, Uuid topicId, int partition);
}
