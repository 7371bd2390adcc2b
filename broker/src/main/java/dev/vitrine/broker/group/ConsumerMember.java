package dev.vitrine.broker.group;

import dev.vitrine.protocol.message.ConsumerGroupCurrentMemberAssignmentValue;
import dev.vitrine.protocol.message.ConsumerGroupMemberMetadataValue;
import dev.vitrine.protocol.message.ConsumerGroupMemberMetadataValue.ClassicMemberMetadata;
import dev.vitrine.protocol.message.ConsumerGroupMemberMetadataValue.ClassicProtocol;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * A member of a consumer group (KIP-848), as its two records have it: what it says of itself, and
 * what it owns. Immutable.
 */
record ConsumerMember(String memberId, Profile profile, Current current) {
  /** Where a member stands on the way to its target assignment. */
  enum State {
    STABLE(0),
    /** It is to give up partitions first. */
    UNREVOKED_PARTITIONS(1),
    /** It waits for partitions that others still own. */
    UNRELEASED_PARTITIONS(2),
    /** Of a later version. */
    UNKNOWN(127);

    final byte value;

    State(int value) {
      this.value = (byte) value;
    }

    static State of(byte value) {
      for (State s : values()) {
        if (s.value == value) {
          return s;
        }
      }
      return UNKNOWN;
    }
  }

  /** A member that uses the classic protocol has this too. */
  record Classic(int sessionTimeoutMs, List<Protocol> protocols) {}

  /**
   * What a member says of itself.
   *
   * @param instanceId of a static member, otherwise null
   * @param rackId may be null
   * @param regex a pattern for topics, empty if it has none; null in older logs
   * @param serverAssignor the one that it wants, or null
   * @param classic null if it uses the consumer protocol
   */
  record Profile(
      String instanceId,
      String rackId,
      String clientId,
      String clientHost,
      SortedSet<String> topics,
      String regex,
      int rebalanceTimeoutMs,
      String serverAssignor,
      Classic classic) {
    static final Profile NONE =
        new Profile(null, null, "", "", Collections.emptySortedSet(), "", -1, null, null);

    static Profile read(ConsumerGroupMemberMetadataValue v) {
      return new Profile(
          v.instanceId(),
          v.rackId(),
          v.clientId(),
          v.clientHost(),
          sorted(v.subscribedTopicNames()),
          v.subscribedTopicRegex(),
          v.rebalanceTimeoutMs(),
          v.serverAssignor(),
          readClassic(v.classicMemberMetadata()));
    }

    private static Classic readClassic(ClassicMemberMetadata v) {
      if (v == null) {
        return null;
      }
      List<Protocol> protocols = new ArrayList<>();
      v.supportedProtocols().forEach(p -> protocols.add(new Protocol(p.name(), p.metadata())));
      return new Classic(v.sessionTimeoutMs(), protocols);
    }

    ConsumerGroupMemberMetadataValue write() {
      return new ConsumerGroupMemberMetadataValue()
          .instanceId(instanceId)
          .rackId(rackId)
          .clientId(clientId)
          .clientHost(clientHost)
          .subscribedTopicNames(new ArrayList<>(topics))
          .subscribedTopicRegex(regex)
          .rebalanceTimeoutMs(rebalanceTimeoutMs)
          .serverAssignor(serverAssignor)
          .classicMemberMetadata(classic == null ? null : write(classic));
    }

    private static ClassicMemberMetadata write(Classic c) {
      List<ClassicProtocol> protocols = new ArrayList<>();
      c.protocols()
          .forEach(p -> protocols.add(new ClassicProtocol().name(p.name()).metadata(p.metadata())));
      return new ClassicMemberMetadata()
          .sessionTimeoutMs(c.sessionTimeoutMs())
          .supportedProtocols(protocols);
    }

    boolean isStatic() {
      return instanceId != null;
    }

    boolean hasRegex() {
      return regex != null && !regex.isEmpty();
    }
  }

  /**
   * What a member owns, as far as the coordinator knows.
   *
   * @param epoch that it is to send; -2 while a static member is away
   * @param previousEpoch that it may still send, if the last answer was lost
   * @param revoking partitions that it is to give up and has not yet
   */
  record Current(
      int epoch,
      int previousEpoch,
      State state,
      PartitionEpochs assigned,
      PartitionEpochs revoking) {
    static final Current NEW =
        new Current(0, -1, State.STABLE, PartitionEpochs.NONE, PartitionEpochs.NONE);

    /** Of one that has left, until it is forgotten. */
    static final Current GONE =
        new Current(-1, -1, State.STABLE, PartitionEpochs.NONE, PartitionEpochs.NONE);

    static Current read(ConsumerGroupCurrentMemberAssignmentValue v) {
      return new Current(
          v.memberEpoch(),
          v.previousMemberEpoch(),
          State.of(v.state()),
          PartitionEpochs.read(v.assignedPartitions(), v.memberEpoch()),
          PartitionEpochs.read(v.partitionsPendingRevocation(), v.memberEpoch()));
    }

    ConsumerGroupCurrentMemberAssignmentValue write() {
      return new ConsumerGroupCurrentMemberAssignmentValue()
          .memberEpoch(epoch)
          .previousMemberEpoch(previousEpoch)
          .state(state.value)
          .assignedPartitions(assigned.write())
          .partitionsPendingRevocation(revoking.write());
    }

    boolean isReconciledTo(int targetEpoch) {
      return state == State.STABLE && epoch == targetEpoch;
    }
  }

  static ConsumerMember of(String memberId) {
    return new ConsumerMember(memberId, Profile.NONE, Current.NEW);
  }

  static SortedSet<String> sorted(Collection<String> names) {
    return Collections.unmodifiableSortedSet(new TreeSet<>(names));
  }

  ConsumerMember with(Profile p) {
    return new ConsumerMember(memberId, p, current);
  }

  ConsumerMember with(Current c) {
    return new ConsumerMember(memberId, profile, c);
  }

  int epoch() {
    return current.epoch;
  }

  boolean isClassic() {
    return profile.classic != null;
  }
}
