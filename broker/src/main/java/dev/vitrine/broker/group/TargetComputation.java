package dev.vitrine.broker.group;

import dev.vitrine.broker.group.assignor.AssignedMember;
import dev.vitrine.broker.group.assignor.AssignmentInput;
import dev.vitrine.broker.group.assignor.ServerAssignor;
import dev.vitrine.metadata.TopicImage;
import dev.vitrine.protocol.Uuid;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/** Lets an assignor compute a group's target, and says what differs from the last one. Pure. */
final class TargetComputation {
  private final ConsumerDraft draft;

  TargetComputation(ConsumerDraft draft) {
    this.draft = draft;
  }

  /** The records of a new target for the group's epoch. */
  List<CoordinatorRecord> records(String assignorName) {
    ConsumerGroupImage image = draft.image();
    ServerAssignor assignor = draft.around().assignors().get(assignorName);
    if (assignor == null) {
      assignor = draft.around().assignors().preferred(); // it is not offered any more
    }
    Map<String, Map<Uuid, Set<Integer>>> assigned = assignor.assign(input());
    List<CoordinatorRecord> records = new ArrayList<>();
    for (String memberId : image.members().keySet()) {
      TargetAssignment target = TargetAssignment.of(assigned.getOrDefault(memberId, Map.of()));
      if (!target.equals(image.targets().get(memberId))) {
        records.add(ConsumerGroupRecords.target(draft.groupId(), memberId, target));
      }
    }
    records.add(
        ConsumerGroupRecords.targetEpoch(
            draft.groupId(), image.epochs().group(), draft.around().now()));
    return records;
  }

  private AssignmentInput input() {
    TreeMap<String, AssignedMember> members = new TreeMap<>();
    TreeMap<Uuid, Integer> counts = new TreeMap<>();
    for (ConsumerMember m : draft.image().members().values()) {
      Set<Uuid> topics = draft.subscribedIds(m);
      members.put(
          m.memberId(),
          new AssignedMember(
              Optional.ofNullable(m.profile().instanceId()),
              Optional.ofNullable(m.profile().rackId()),
              topics,
              draft.image().target(m.memberId()).partitions()));
      for (Uuid topic : topics) {
        TopicImage t = draft.around().cluster().topic(topic);
        counts.put(topic, t.partitionCount());
      }
    }
    return new AssignmentInput(members, counts);
  }
}
