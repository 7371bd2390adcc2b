package dev.vitrine.compat.sim;

import dev.vitrine.protocol.Errors;
import dev.vitrine.protocol.message.FindCoordinatorRequest;
import dev.vitrine.protocol.message.FindCoordinatorResponse;
import dev.vitrine.protocol.message.HeartbeatRequest;
import dev.vitrine.protocol.message.HeartbeatResponse;
import dev.vitrine.protocol.message.JoinGroupRequest;
import dev.vitrine.protocol.message.JoinGroupResponse;
import dev.vitrine.protocol.message.OffsetCommitRequest;
import dev.vitrine.protocol.message.OffsetCommitResponse;
import dev.vitrine.protocol.message.OffsetFetchRequest;
import dev.vitrine.protocol.message.OffsetFetchResponse;
import dev.vitrine.protocol.message.SyncGroupRequest;
import dev.vitrine.protocol.message.SyncGroupResponse;
import dev.vitrine.rpc.RpcRequest;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * A member of a classic group that owns some partitions, finds out how far they are committed, and
 * commits one offset more, again and again. What was once acknowledged must be found ever after.
 */
final class SimMember extends SimClient {
  private static final int SESSION_MS = 3_000;

  /** By topic name instead of id, so that an answer speaks for itself. */
  private static final int COMMIT_VERSION = 9;

  private static final Set<Errors> REJOIN =
      Set.of(Errors.REBALANCE_IN_PROGRESS, Errors.ILLEGAL_GENERATION, Errors.UNKNOWN_MEMBER_ID);

  private final String group;
  private int coordinator = -1;
  private String memberId = "";
  private int generation = -1;
  private List<Integer> assigned = List.of();
  private final Map<Integer, Long> known = new TreeMap<>();
  private long lastHeartbeat;
  int commits;
  boolean stopping;

  SimMember(ClusterSim sim, String name, String group) {
    super(sim, name);
    this.group = group;
  }

  @Override
  void begin() {
    ask(
        anyNode(),
        new FindCoordinatorRequest().keyType((byte) 0).coordinatorKeys(List.of(group)),
        FindCoordinatorResponse.class,
        r -> {
          FindCoordinatorResponse.Coordinator c = r.coordinators().get(0);
          Errors error = Errors.forCode(c.errorCode());
          if (error == Errors.NONE) {
            coordinator = c.nodeId();
            join();
          } else {
            retriable(error, "for the coordinator");
            later(this::begin);
          }
        },
        () -> later(this::begin));
  }

  /** Any refusal: from the start, as a new member if this one is not known. */
  private void again(Errors error, String where) {
    if (!REJOIN.contains(error)) {
      retriable(error, where);
      later(this::begin);
      return;
    }
    if (error == Errors.UNKNOWN_MEMBER_ID) {
      memberId = "";
    }
    later(this::join);
  }

  private void join() {
    JoinGroupRequest request =
        new JoinGroupRequest()
            .groupId(group)
            .memberId(memberId)
            .sessionTimeoutMs(SESSION_MS)
            .rebalanceTimeoutMs(SESSION_MS)
            .protocolType("consumer")
            .protocols(
                List.of(
                    new JoinGroupRequest.JoinGroupRequestProtocol()
                        .name("own")
                        .metadata(new byte[1])));
    ask(
        node(coordinator),
        request,
        JoinGroupResponse.class,
        r -> {
          Errors error = Errors.forCode(r.errorCode());
          if (error == Errors.MEMBER_ID_REQUIRED) {
            memberId = r.memberId();
            join();
          } else if (error == Errors.NONE) {
            memberId = r.memberId();
            generation = r.generationId();
            sync(r);
          } else {
            again(error, "for a join");
          }
        },
        () -> later(this::begin));
  }

  private void sync(JoinGroupResponse joined) {
    SyncGroupRequest request =
        new SyncGroupRequest()
            .groupId(group)
            .memberId(memberId)
            .generationId(generation)
            .protocolType("consumer")
            .protocolName("own");
    if (joined.leader().equals(memberId)) {
      int n = joined.members().size();
      for (int i = 0; i < n; i++) {
        byte[] own = new byte[0];
        for (int p = i; p < sim.plan.partitions; p += n) {
          own = java.util.Arrays.copyOf(own, own.length + 1);
          own[own.length - 1] = (byte) p;
        }
        request
            .assignments()
            .add(
                new SyncGroupRequest.SyncGroupRequestAssignment()
                    .memberId(joined.members().get(i).memberId())
                    .assignment(own));
      }
    }
    ask(
        node(coordinator),
        request,
        SyncGroupResponse.class,
        r -> {
          Errors error = Errors.forCode(r.errorCode());
          if (error == Errors.NONE) {
            assigned = new ArrayList<>();
            for (byte p : r.assignment()) {
              assigned.add((int) p);
            }
            fetchOffsets();
          } else {
            again(error, "for a sync");
          }
        },
        () -> later(this::begin));
  }

  private void fetchOffsets() {
    if (assigned.isEmpty()) {
      work();
      return;
    }
    Map<Integer, Long> before = sim.acknowledgedCommits(group);
    int asked = coordinator;
    boolean trusted = isLatest(asked);
    OffsetFetchRequest request =
        new OffsetFetchRequest()
            .requireStable(shard.random().nextBoolean())
            .groups(
                List.of(
                    new OffsetFetchRequest.OffsetFetchRequestGroup()
                        .groupId(group)
                        .memberId(null)
                        .topics(
                            List.of(
                                new OffsetFetchRequest.OffsetFetchRequestTopics()
                                    .name(ClusterSim.TOPIC)
                                    .partitionIndexes(assigned)))));
    ask(
        node(coordinator),
        RpcRequest.of(request).upTo(COMMIT_VERSION),
        OffsetFetchResponse.class,
        r -> {
          var g = r.groups().get(0);
          Errors error = Errors.forCode(g.errorCode());
          if (error != Errors.NONE) {
            again(error, "for offsets");
            return;
          }
          for (var p : g.topics().get(0).partitions()) {
            // Who no longer coordinates and has not heard of it may be behind, as in Kafka.
            sim.check(
                !(trusted && isLatest(asked))
                    || p.committedOffset() >= before.getOrDefault(p.partitionIndex(), -1L),
                null,
                name
                    + " finds "
                    + p.committedOffset()
                    + " committed for "
                    + p.partitionIndex()
                    + " where "
                    + before
                    + " was acknowledged");
            known.put(p.partitionIndex(), p.committedOffset());
          }
          work();
        },
        () -> later(this::begin));
  }

  private boolean isLatest(int node) {
    return sim.coordinator(group) == node;
  }

  /** In a stable generation: a heartbeat or a commit. */
  private void work() {
    if (stopping || assigned.isEmpty() || shard.ticks() - lastHeartbeat > SESSION_MS / 6) {
      heartbeat();
    } else {
      commit(assigned.get(shard.random().nextInt(assigned.size())));
    }
  }

  private void workLater() {
    shard.schedule(20 + shard.random().nextInt(150), this::work);
  }

  private void heartbeat() {
    lastHeartbeat = shard.ticks();
    ask(
        node(coordinator),
        new HeartbeatRequest().groupId(group).memberId(memberId).generationId(generation),
        HeartbeatResponse.class,
        r -> {
          Errors error = Errors.forCode(r.errorCode());
          if (error == Errors.NONE) {
            workLater();
          } else {
            again(error, "for a heartbeat");
          }
        },
        () -> later(this::begin));
  }

  private void commit(int partition) {
    long offset = known.get(partition) + 1;
    OffsetCommitRequest request =
        new OffsetCommitRequest()
            .groupId(group)
            .memberId(memberId)
            .generationIdOrMemberEpoch(generation)
            .topics(
                new ArrayList<>(
                    Collections.singletonList(
                        new OffsetCommitRequest.OffsetCommitRequestTopic()
                            .name(ClusterSim.TOPIC)
                            .partitions(
                                List.of(
                                    new OffsetCommitRequest.OffsetCommitRequestPartition()
                                        .partitionIndex(partition)
                                        .committedOffset(offset))))));
    ask(
        node(coordinator),
        RpcRequest.of(request).upTo(COMMIT_VERSION),
        OffsetCommitResponse.class,
        r -> {
          Errors error = Errors.forCode(r.topics().get(0).partitions().get(0).errorCode());
          if (error == Errors.NONE) {
            known.put(partition, offset);
            commits++;
            sim.committed(group, partition, offset);
            workLater();
          } else {
            again(error, "for a commit");
          }
        },
        () -> later(this::begin));
  }
}
