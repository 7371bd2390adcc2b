package dev.vitrine.broker.group;

import dev.vitrine.broker.group.ClassicMember.Identity;
import dev.vitrine.broker.group.ClassicMember.Terms;
import dev.vitrine.broker.group.ConsumerMember.Classic;
import dev.vitrine.broker.group.ConsumerMember.Current;
import dev.vitrine.broker.group.ConsumerMember.Profile;
import dev.vitrine.broker.group.ConsumerMember.State;
import dev.vitrine.config.GroupSettings;
import dev.vitrine.metadata.MetadataImage;
import dev.vitrine.protocol.Errors;
import dev.vitrine.protocol.MalformedMessageException;
import dev.vitrine.protocol.Uuid;
import dev.vitrine.protocol.message.ConsumerProtocolAssignment;
import dev.vitrine.protocol.message.ConsumerProtocolSubscription;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Turns a classic group of consumers into one of the consumer protocol when its first such member
 * joins, and back when the last one leaves, while its members go on ({@code
 * group.consumer.migration.policy}, KIP-848). Belongs to the coordinator.
 */
final class GroupConversion {
  private static final Logger LOG = LoggerFactory.getLogger(GroupConversion.class);

  private final PartitionCoordinator coordinator;
  private final LiveGroups groups;
  private final ClassicRebalance rebalance;
  private final GroupSettings settings;

  GroupConversion(PartitionCoordinator coordinator, LiveGroups groups, ClassicRebalance rebalance) {
    this.coordinator = coordinator;
    this.groups = groups;
    this.rebalance = rebalance;
    this.settings = coordinator.context().settings();
  }

  // ---- to the consumer protocol

  /**
   * Adds what makes the classic group one of the consumer protocol.
   *
   * @throws GroupException if it may not become one
   */
  void upgrade(ClassicGroup classic, ConsumerDraft draft) {
    if (!classic.isEmpty()) {
      checkUpgrade(classic);
    }
    draft.add(GroupRecords.groupTombstone(classic.groupId()));
    if (classic.isEmpty()) {
      return;
    }
    List<ConsumerMember> members = members(classic, draft.around().cluster());
    String id = classic.groupId();
    members.forEach(m -> draft.add(ConsumerGroupRecords.member(id, m)));
    draft.add(ConsumerGroupRecords.group(id, classic.generation(), draft.metadataHash()));
    for (ConsumerMember m : members) {
      draft.add(ConsumerGroupRecords.target(id, m.memberId(), ownedBy(m)));
    }
    draft.add(ConsumerGroupRecords.targetEpoch(id, classic.generation(), 0));
    members.forEach(m -> draft.add(ConsumerGroupRecords.current(id, m)));
    LOG.info("[Group {}] becomes a consumer group, with {} members", id, members.size());
  }

  private void checkUpgrade(ClassicGroup classic) {
    if (!settings.consumer().migration().upgrades()) {
      throw refused(classic, "online upgrade is disabled.");
    }
    if (!classic.isOfConsumers()) {
      throw refused(classic, "the group does not use the consumer embedded protocol.");
    }
    if (classic.size() > settings.consumer().maxSize()) {
      throw refused(classic, "the group size exceeds the consumer group maximum size.");
    }
  }

  private static GroupException refused(ClassicGroup classic, String why) {
    LOG.info("[Group {}] cannot become a consumer group: {}", classic.groupId(), why);
    return new GroupException(
        Errors.GROUP_ID_NOT_FOUND,
        "Cannot upgrade classic group " + classic.groupId() + " to consumer group because " + why);
  }

  private List<ConsumerMember> members(ClassicGroup classic, MetadataImage cluster) {
    List<ConsumerMember> members = new ArrayList<>();
    try {
      for (ClassicMember m : classic.members()) {
        members.add(member(classic, m, cluster));
      }
    } catch (MalformedMessageException e) {
      throw refused(classic, "the embedded consumer protocol is malformed.");
    }
    return members;
  }

  private ConsumerMember member(ClassicGroup group, ClassicMember m, MetadataImage cluster) {
    Map<Uuid, Set<Integer>> assigned = Map.of();
    if (m.assignment.length > 0) {
      ConsumerProtocolAssignment a = ConsumerProtocol.assignment(m.assignment);
      if (a.userData() != null && a.userData().length > 0) {
        throw refused(
            group,
            "an unsupported custom assignor is in use. Please refer to the documentation or switch"
                + " to a default assignor before re-attempting the upgrade.");
      }
      assigned = ConsumerProtocol.assigned(a, cluster);
    }
    // All protocols of a consumer say the same of its topics; one may not have been chosen yet.
    byte[] metadata =
        group.protocolName() == null
            ? m.terms.protocols().get(0).metadata()
            : m.metadata(group.protocolName());
    ConsumerProtocolSubscription s = ConsumerProtocol.subscription(metadata);
    Profile profile =
        new Profile(
            m.groupInstanceId(),
            s.rackId() == null || s.rackId().isEmpty() ? null : s.rackId(),
            m.clientId(),
            m.clientHost(),
            ConsumerMember.sorted(s.topics()),
            "",
            m.rebalanceTimeoutMs(),
            null,
            new Classic(m.sessionTimeoutMs(), m.terms.protocols()));
    int epoch = group.generation();
    Current current =
        new Current(
            epoch, epoch, State.STABLE, PartitionEpochs.of(assigned, epoch), PartitionEpochs.NONE);
    return new ConsumerMember(m.memberId(), profile, current);
  }

  private static TargetAssignment ownedBy(ConsumerMember m) {
    Map<Uuid, Set<Integer>> owned = new TreeMap<>();
    m.current().assigned().byTopic().forEach((topic, p) -> owned.put(topic, p.keySet()));
    return TargetAssignment.of(owned);
  }

  // ---- to the classic protocol

  /** Whether only members of the classic protocol, and at least one of them, would remain. */
  boolean canDowngrade(ConsumerGroupView view, Collection<ConsumerMember> leaving) {
    int classic = view.classicMembers();
    for (ConsumerMember m : leaving) {
      classic -= m.isClassic() ? 1 : 0;
    }
    int remaining = view.image().members().size() - leaving.size();
    return !leaving.isEmpty()
        && remaining > 0
        && classic == remaining
        && settings.consumer().migration().downgrades()
        && remaining <= settings.maxSize();
  }

  /** Whether a member of the classic protocol takes the place of the last one of the other. */
  boolean canDowngrade(ConsumerGroupView view, ConsumerMember replaced) {
    int members = view.image().members().size();
    return !replaced.isClassic()
        && view.classicMembers() == members - 1
        && settings.consumer().migration().downgrades()
        && members <= settings.maxSize();
  }

  /**
   * The group without those who leave, who were the last of the consumer protocol. The others are
   * to join again.
   *
   * @return whether it could be written
   */
  boolean downgrade(
      ConsumerDraft draft, Collection<ConsumerMember> leaving, Consumer<Errors> done) {
    List<String> gone = leaving.stream().map(ConsumerMember::memberId).toList();
    return downgrade(draft, gone, "members of the consumer protocol have left", done);
  }

  /**
   * @param leaving ids of members that are not taken over
   * @param reason why its members are to join again; null if they need not
   */
  boolean downgrade(
      ConsumerDraft draft, Collection<String> leaving, String reason, Consumer<Errors> done) {
    ConsumerGroupImage image = draft.image();
    MetadataImage cluster = draft.around().cluster();
    List<ClassicMember> members = new ArrayList<>();
    for (ConsumerMember m : image.members().values()) {
      if (!leaving.contains(m.memberId())) {
        members.add(member(m));
      }
    }
    ClassicGroup classic =
        ClassicGroup.converted(
            draft.groupId(), image.epochs().group(), members, coordinator.context().shard());
    Map<String, byte[]> assignments = new HashMap<>();
    for (ClassicMember m : members) {
      m.assignment = assignment(classic, m, image.target(m.memberId()), cluster);
      assignments.put(m.memberId(), m.assignment);
    }
    ConsumerFence.delete(draft);
    List<CoordinatorRecord> records = new ArrayList<>(draft.records());
    records.add(GroupRecords.group(classic, assignments));
    if (!coordinator.append(records, done)) {
      return false;
    }
    groups.replace(classic);
    LOG.info(
        "[Group {}] becomes a classic group, with {} members", draft.groupId(), members.size());
    members.forEach(m -> rebalance.heard(classic, m));
    if (reason != null) {
      rebalance.prepare(classic, reason);
    }
    return true;
  }

  private ClassicMember member(ConsumerMember m) {
    Profile p = m.profile();
    return new ClassicMember(
        new Identity(m.memberId(), p.instanceId(), p.clientId(), p.clientHost()),
        new Terms(p.rebalanceTimeoutMs(), p.classic().sessionTimeoutMs(), p.classic().protocols()),
        new Deadline(coordinator.context().shard()));
  }

  private static byte[] assignment(
      ClassicGroup group, ClassicMember m, TargetAssignment target, MetadataImage cluster) {
    short version = ConsumerProtocol.version(m.metadata(group.protocolName()));
    return ConsumerProtocol.write(target.partitions(), cluster, version);
  }
}
