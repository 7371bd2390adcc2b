package dev.vitrine.broker.group;

import dev.vitrine.protocol.Errors;
import dev.vitrine.protocol.message.GroupMetadataKey;
import dev.vitrine.protocol.message.GroupMetadataValue;
import dev.vitrine.protocol.message.OffsetCommitKey;
import java.util.Collection;
import java.util.Map;
import java.util.TreeMap;

/**
 * The groups of one coordinator as they live: whatever the {@link GroupImage} knows of has one
 * here. Belongs to the coordinator; holds the services that work on them.
 */
final class LiveGroups {
  private final PartitionCoordinator coordinator;
  private final Map<String, Group> groups = new TreeMap<>();

  private final ClassicRebalance rebalance;
  private final ClassicJoin join;
  private final ClassicSync sync;
  private final ClassicLeave leave;
  private final ConsumerGroups consumers;
  private final ClassicInConsumerGroup classicMembers;
  private final OffsetCommits commits;
  private final OffsetReads reads;
  private final GroupAdmin admin;
  private final OffsetExpiry expiry;

  LiveGroups(PartitionCoordinator coordinator) {
    this.coordinator = coordinator;
    this.rebalance = new ClassicRebalance(coordinator);
    GroupConversion conversion = new GroupConversion(coordinator, this, rebalance);
    this.consumers = new ConsumerGroups(coordinator, this, conversion);
    this.classicMembers = new ClassicInConsumerGroup(coordinator, consumers, conversion);
    this.join = new ClassicJoin(coordinator, this, rebalance);
    this.sync = new ClassicSync(coordinator, this, rebalance);
    this.leave = new ClassicLeave(coordinator, this, rebalance);
    this.commits = new OffsetCommits(coordinator, this, rebalance);
    this.reads = new OffsetReads(coordinator, this);
    this.admin = new GroupAdmin(coordinator, this);
    this.expiry = new OffsetExpiry(coordinator, this);
  }

  ClassicJoin join() {
    return join;
  }

  ClassicSync sync() {
    return sync;
  }

  ClassicLeave leave() {
    return leave;
  }

  ConsumerGroups consumers() {
    return consumers;
  }

  /** Members of the classic protocol in consumer groups. */
  ClassicInConsumerGroup classicMembers() {
    return classicMembers;
  }

  OffsetCommits commits() {
    return commits;
  }

  OffsetReads reads() {
    return reads;
  }

  GroupAdmin admin() {
    return admin;
  }

  OffsetExpiry expiry() {
    return expiry;
  }

  /** Null if there is none. */
  Group get(String groupId) {
    return groups.get(groupId);
  }

  /** Null if there is none, or it is of another kind. */
  ClassicGroup classic(String groupId) {
    return groups.get(groupId) instanceof ClassicGroup g ? g : null;
  }

  /** Null if there is none, or it is of another kind. */
  ConsumerGroup consumer(String groupId) {
    return groups.get(groupId) instanceof ConsumerGroup g ? g : null;
  }

  Collection<Group> all() {
    return groups.values();
  }

  ClassicGroup create(String groupId) {
    ClassicGroup g = new ClassicGroup(groupId, coordinator.context().shard());
    groups.put(groupId, g);
    return g;
  }

  /** Instead of the one that was made from the group's record: it knows more. */
  void replace(ClassicGroup group) {
    Group before = groups.put(group.groupId(), group);
    if (before != null) {
      before.close(Errors.NOT_COORDINATOR);
    }
  }

  void remove(Group group) {
    groups.remove(group.groupId(), group);
  }

  /** Makes all that the log knows of; returns how many. */
  int load(GroupImage image) {
    image
        .groups()
        .forEach(
            (id, value) ->
                groups.put(id, ClassicGroup.load(id, value, coordinator.context().shard())));
    image.consumers().keySet().forEach(id -> groups.put(id, new ConsumerGroup(id, coordinator)));
    for (String id : image.offsets().keySet()) {
      if (!groups.containsKey(id)) {
        create(id);
      }
    }
    return groups.size();
  }

  /** The clocks of members and offsets begin to tick. */
  void start() {
    consumers.start();
    for (Group g : groups.values()) {
      if (g instanceof ClassicGroup c) {
        rebalance.start(c);
      } else if (g instanceof ConsumerGroup c) {
        consumers.start(c);
      }
    }
    expiry.start();
  }

  /** A record was appended: groups come and go with what is written of them. */
  void replayed(CoordinatorRecord r) {
    if (r.key() instanceof OffsetCommitKey k && r.value() != null) {
      if (!groups.containsKey(k.group())) {
        create(k.group()); // a consumer that only keeps its offsets here
      }
    } else if (r.key() instanceof GroupMetadataKey k) {
      if (r.value() == null) {
        gone(k.group());
      } else if (!groups.containsKey(k.group())) {
        GroupMetadataValue v = (GroupMetadataValue) r.value();
        groups.put(k.group(), ClassicGroup.load(k.group(), v, coordinator.context().shard()));
      }
    } else if (ConsumerGroupImage.groupOf(r) != null) {
      replayedConsumer(ConsumerGroupImage.groupOf(r));
    }
  }

  private void replayedConsumer(String groupId) {
    boolean there = coordinator.tip().consumers().containsKey(groupId);
    if (there && consumer(groupId) == null) {
      gone(groupId); // it only held offsets
      groups.put(groupId, new ConsumerGroup(groupId, coordinator));
    } else if (!there && consumer(groupId) != null) {
      gone(groupId);
    }
  }

  private void gone(String groupId) {
    Group gone = groups.remove(groupId);
    if (gone != null) {
      gone.close(Errors.UNKNOWN_MEMBER_ID);
    }
  }

  void close(Errors error) {
    expiry.close();
    groups.values().forEach(g -> g.close(error));
    groups.clear();
  }
}
