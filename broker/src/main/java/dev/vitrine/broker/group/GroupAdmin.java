package dev.vitrine.broker.group;

import dev.vitrine.protocol.Errors;
import dev.vitrine.protocol.message.ConsumerGroupDescribeResponse;
import dev.vitrine.protocol.message.DescribeGroupsResponse.DescribedGroup;
import dev.vitrine.protocol.message.ListGroupsRequest;
import dev.vitrine.protocol.message.ListGroupsResponse.ListedGroup;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** ListGroups, DescribeGroups and DeleteGroups for one coordinator, to which it belongs. */
final class GroupAdmin {
  /** From here on a group that is not there is an error; before, it is dead (KIP-1043). */
  private static final int NOT_FOUND_VERSION = 6;

  private final PartitionCoordinator coordinator;
  private final LiveGroups groups;

  GroupAdmin(PartitionCoordinator coordinator, LiveGroups groups) {
    this.coordinator = coordinator;
    this.groups = groups;
  }

  void list(ListGroupsRequest request, List<ListedGroup> to) {
    for (Group g : groups.all()) {
      if (g.isCommitted()
          && isWanted(g.stateName(), request.statesFilter())
          && isWanted(g.type(), request.typesFilter())) {
        to.add(
            new ListedGroup()
                .groupId(g.groupId())
                .protocolType(g.protocolTypeOrEmpty())
                .groupState(g.stateName())
                .groupType(g.type()));
      }
    }
  }

  private static boolean isWanted(String text, List<String> filter) {
    return filter.isEmpty() || filter.stream().anyMatch(text::equalsIgnoreCase);
  }

  DescribedGroup describe(String groupId, short version) {
    Group group = groups.get(groupId);
    if (group instanceof ClassicGroup classic) {
      return classic.describe();
    }
    DescribedGroup none =
        new DescribedGroup().groupId(groupId).groupState(ClassicGroup.State.DEAD.text);
    return version < NOT_FOUND_VERSION
        ? none
        : none.errorCode(Errors.GROUP_ID_NOT_FOUND.code())
            .errorMessage(
                group == null || !group.isCommitted()
                    ? "Group " + groupId + " not found."
                    : "Group " + groupId + " is not a classic group.");
  }

  ConsumerGroupDescribeResponse.DescribedGroup describeConsumer(String groupId) {
    Group group = groups.get(groupId);
    CoordinatorContext context = coordinator.context();
    ConsumerGroupView view = group instanceof ConsumerGroup c ? c.committed() : null;
    if (view != null) {
      return ConsumerGroupDescription.of(
          groupId, view, context.assignors().preferred().name(), context.image().get());
    }
    return new ConsumerGroupDescribeResponse.DescribedGroup()
        .groupId(groupId)
        .errorCode(Errors.GROUP_ID_NOT_FOUND.code())
        .errorMessage(
            "Group "
                + groupId
                + (group instanceof ClassicGroup ? " is not a consumer group." : " not found."));
  }

  void delete(String groupId, Consumer<Errors> done) {
    Group group = groups.get(groupId);
    try {
      if (group == null) {
        throw new GroupException(Errors.GROUP_ID_NOT_FOUND);
      }
      group.checkDelete();
    } catch (GroupException e) {
      done.accept(e.error());
      return;
    }
    List<CoordinatorRecord> records = new ArrayList<>();
    coordinator
        .tip()
        .offsetsOf(groupId)
        .keySet()
        .forEach(p -> records.add(GroupRecords.offsetTombstone(groupId, p)));
    records.addAll(group.tombstones());
    coordinator.append(records, done);
  }
}
