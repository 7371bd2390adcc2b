package dev.vitrine.broker.group;

import dev.vitrine.broker.group.ConsumerMember.Current;
import dev.vitrine.broker.group.ConsumerMember.State;
import dev.vitrine.protocol.Errors;
import dev.vitrine.protocol.Uuid;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * Moves one member a step towards its target (KIP-848): it gives up first, and what it is to have
 * it gets once nobody else has it, so that no partition ever has two owners. Pure.
 *
 * <pre>
 *             has to give up                    has given up
 *   STABLE ───────────────────► UNREVOKED ───────────────────────┐
 *     ▲ ▲                                                        ▼
 *     │ │    all is free                        others still own some of it
 *     │ └──────────────────────── UNRELEASED ◄───────────────────┤
 *     └──────────────────────────────────────────────────────────┘
 * </pre>
 *
 * @param group with the owners of all partitions
 * @param targetEpoch of the target
 * @param subscribed ids of the topics that the member wants; anything else it gives up
 * @param subscriptionChanged whether that may be other topics than before
 * @param owned what the member says that it has; null if it does not say
 */
record Reconciliation(
    ConsumerGroupImage group,
    int targetEpoch,
    TargetAssignment target,
    Set<Uuid> subscribed,
    boolean subscriptionChanged,
    Map<Uuid, Set<Integer>> owned) {

  /**
   * @throws GroupException if the member is in a state that this version does not know
   */
  Current next(Current now) {
    return switch (now.state()) {
      case STABLE -> {
        if (now.epoch() != targetEpoch) {
          yield towardsTarget(now, now.epoch());
        }
        yield subscriptionChanged ? withoutUnsubscribed(now) : now;
      }
      case UNREVOKED_PARTITIONS -> {
        if (!ownsAnyOf(now.revoking())) {
          yield towardsTarget(now, now.epoch());
        }
        yield subscriptionChanged ? withoutUnsubscribed(now) : now;
      }
      case UNRELEASED_PARTITIONS -> towardsTarget(now, now.epoch());
      case UNKNOWN -> {
        if (owned == null || !owned.isEmpty()) {
          throw new GroupException(
              Errors.FENCED_MEMBER_EPOCH,
              "The consumer group member is in a unknown state. "
                  + "The member must abandon all its partitions and rejoin.");
        }
        yield towardsTarget(now, targetEpoch);
      }
    };
  }

  /** One that does not say what it owns may own everything. */
  private boolean ownsAnyOf(PartitionEpochs partitions) {
    if (owned == null) {
      return true;
    }
    for (Map.Entry<Uuid, Set<Integer>> e : owned.entrySet()) {
      for (int p : e.getValue()) {
        if (partitions.contains(e.getKey(), p)) {
          return true;
        }
      }
    }
    return false;
  }

  private Current towardsTarget(Current now, int epoch) {
    PartitionEpochs.Builder kept = new PartitionEpochs.Builder();
    PartitionEpochs.Builder revoked = new PartitionEpochs.Builder();
    now.assigned()
        .forEach((topic, p, since) -> (isWanted(topic, p) ? kept : revoked).put(topic, p, since));
    PartitionEpochs revoking = revoked.build();
    if (!revoking.isEmpty() && ownsAnyOf(revoking)) {
      return new Current(epoch, now.epoch(), State.UNREVOKED_PARTITIONS, kept.build(), revoking);
    }
    boolean waits = false;
    for (Map.Entry<Uuid, Set<Integer>> e : target.partitions().entrySet()) {
      for (int p : e.getValue()) {
        if (!isWanted(e.getKey(), p) || now.assigned().contains(e.getKey(), p)) {
          continue;
        }
        if (isFree(now, e.getKey(), p)) {
          kept.put(e.getKey(), p, targetEpoch);
        } else {
          waits = true;
        }
      }
    }
    State state = waits ? State.UNRELEASED_PARTITIONS : State.STABLE;
    return new Current(targetEpoch, now.epoch(), state, kept.build(), PartitionEpochs.NONE);
  }

  private boolean isWanted(Uuid topic, int partition) {
    return subscribed.contains(topic) && target.of(topic).contains(partition);
  }

  private boolean isFree(Current now, Uuid topic, int partition) {
    return group.owner(topic, partition) == null || now.revoking().contains(topic, partition);
  }

  /** Its target is the same, but it does not want all of that any more. */
  private Current withoutUnsubscribed(Current now) {
    SortedSet<Uuid> gone = new TreeSet<>(now.assigned().byTopic().keySet());
    gone.removeAll(subscribed);
    if (gone.isEmpty()) {
      return now;
    }
    PartitionEpochs.Builder kept = new PartitionEpochs.Builder();
    PartitionEpochs.Builder revoked = new PartitionEpochs.Builder();
    now.revoking().forEach(revoked::put);
    now.assigned()
        .forEach((topic, p, since) -> (gone.contains(topic) ? revoked : kept).put(topic, p, since));
    PartitionEpochs revoking = revoked.build();
    if (ownsAnyOf(revoking)) {
      return new Current(
          now.epoch(), now.epoch(), State.UNREVOKED_PARTITIONS, kept.build(), revoking);
    }
    return new Current(now.epoch(), now.epoch(), now.state(), kept.build(), now.revoking());
  }
}
