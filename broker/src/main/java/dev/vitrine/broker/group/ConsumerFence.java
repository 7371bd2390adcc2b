package dev.vitrine.broker.group;

import java.util.Collection;
import java.util.Map;
import java.util.TreeMap;

/** Takes members out of a consumer group: they leave, or have fallen silent. Pure. */
final class ConsumerFence {
  private ConsumerFence() {}

  static void fence(ConsumerDraft draft, Collection<ConsumerMember> members) {
    if (members.isEmpty()) {
      return;
    }
    ConsumerMembership membership = new ConsumerMembership(draft);
    Map<String, Integer> left = new TreeMap<>(draft.view().regexSubscribers());
    int remaining = draft.image().members().size() - members.size();
    for (ConsumerMember m : members) {
      membership.remove(m.memberId());
    }
    for (ConsumerMember m : members) {
      if (m.profile().hasRegex() && left.merge(m.profile().regex(), -1, Integer::sum) == 0) {
        draft.add(ConsumerGroupRecords.regexTombstone(draft.groupId(), m.profile().regex()));
      }
    }
    draft.nextEpoch(draft.metadataHash());
    if (remaining == 0) {
      // Nobody is there to compute it for.
      draft.add(
          ConsumerGroupRecords.targetEpoch(draft.groupId(), draft.image().epochs().group(), 0));
    }
  }

  /** A static member leaves for a while: it keeps what it has until its session ends. */
  static void leaveForNow(ConsumerDraft draft, ConsumerMember m) {
    ConsumerMember.Current c = m.current();
    ConsumerMember away =
        m.with(
            new ConsumerMember.Current(
                ConsumerMembership.STATIC_LEAVE_EPOCH,
                c.previousEpoch(),
                c.state(),
                c.assigned().withEpochZero(),
                PartitionEpochs.NONE));
    draft.add(ConsumerGroupRecords.current(draft.groupId(), away));
  }

  /** All of a group without members. */
  static void delete(ConsumerDraft draft) {
    String id = draft.groupId();
    ConsumerGroupImage image = draft.image();
    image.members().keySet().forEach(m -> draft.add(ConsumerGroupRecords.currentTombstone(id, m)));
    image.members().keySet().forEach(m -> draft.add(ConsumerGroupRecords.targetTombstone(id, m)));
    draft.add(ConsumerGroupRecords.targetEpochTombstone(id));
    image.members().keySet().forEach(m -> draft.add(ConsumerGroupRecords.memberTombstone(id, m)));
    image.regexes().keySet().forEach(r -> draft.add(ConsumerGroupRecords.regexTombstone(id, r)));
    draft.add(ConsumerGroupRecords.partitionMetadataTombstone(id));
    draft.add(ConsumerGroupRecords.groupTombstone(id));
  }
}
