package dev.vitrine.broker.group;

import dev.vitrine.broker.group.assignor.ServerAssignors;
import dev.vitrine.config.ConsumerGroupTerms;
import dev.vitrine.config.GroupSettings;
import dev.vitrine.metadata.ImageChange;
import dev.vitrine.metadata.MetadataImage;
import dev.vitrine.protocol.Errors;
import dev.vitrine.protocol.Uuid;
import dev.vitrine.protocol.message.ConsumerGroupHeartbeatRequest;
import dev.vitrine.protocol.message.ConsumerGroupHeartbeatResponse;
import dev.vitrine.protocol.message.HeartbeatRequest;
import dev.vitrine.protocol.message.JoinGroupRequest;
import dev.vitrine.protocol.message.JoinGroupRequest.JoinGroupRequestProtocol;
import dev.vitrine.protocol.message.JoinGroupResponse;
import dev.vitrine.protocol.message.LeaveGroupRequest.MemberIdentity;
import dev.vitrine.protocol.message.LeaveGroupResponse;
import dev.vitrine.protocol.message.OffsetCommitRequest;
import dev.vitrine.protocol.message.OffsetCommitRequest.OffsetCommitRequestPartition;
import dev.vitrine.protocol.message.OffsetCommitRequest.OffsetCommitRequestTopic;
import dev.vitrine.protocol.message.OffsetFetchRequest.OffsetFetchRequestGroup;
import dev.vitrine.protocol.message.OffsetFetchRequest.OffsetFetchRequestTopics;
import dev.vitrine.protocol.message.OffsetFetchResponse.OffsetFetchResponseGroup;
import dev.vitrine.protocol.message.PartitionRecord;
import dev.vitrine.protocol.message.RemoveTopicRecord;
import dev.vitrine.protocol.message.SyncGroupRequest;
import dev.vitrine.protocol.message.SyncGroupRequest.SyncGroupRequestAssignment;
import dev.vitrine.protocol.message.SyncGroupResponse;
import dev.vitrine.protocol.message.TopicRecord;
import dev.vitrine.sim.SimShard;
import dev.vitrine.sim.SimWorld;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

/** One coordinator on a fake log in simulated time, and short ways to send it requests. */
final class GroupHarness {
  static final String GROUP = "g";
  static final Uuid TOPIC_ID = new Uuid(7, 7);
  static final int SESSION_MS = 10_000;
  static final int REBALANCE_MS = 30_000;
  static final int INITIAL_DELAY_MS = 3_000;

  final SimWorld world;
  final SimShard shard;
  final FakeLog log = new FakeLog();
  final ShardCoordinators coordinators;
  short joinVersion = 9;
  int maxSize = Integer.MAX_VALUE;

  /** What brokers know of the cluster. */
  MetadataImage cluster = MetadataImage.EMPTY;

  /** What holds for every consumer group. */
  ConsumerGroupTerms terms = new ConsumerGroupTerms(SESSION_MS, 3_000, 0);

  GroupHarness() {
    this(1, Integer.MAX_VALUE);
  }

  GroupHarness(long seed, int maxSize) {
    this(seed, maxSize, GroupSettings.Migration.BIDIRECTIONAL);
  }

  GroupHarness(long seed, int maxSize, GroupSettings.Migration migration) {
    world = new SimWorld(seed);
    shard = world.newShard("shard");
    GroupSettings settings =
        new GroupSettings(
            6_000,
            1_800_000,
            INITIAL_DELAY_MS,
            maxSize,
            new GroupSettings.Consumer(
                true, maxSize, List.of("uniform", "range"), migration, 600_000),
            new GroupSettings.Offsets(
                4096, 5_000, 1 << 20, 7 * 24 * 3_600_000L, 600_000L, 0, 1, 1, 1 << 20));
    coordinators =
        new ShardCoordinators(
            new CoordinatorContext(
                shard, settings, () -> cluster, id -> terms, ServerAssignors.all()));
    lead(0);
  }

  /** Becomes leader in the epoch, and has loaded the log when this returns. */
  void lead(int epoch) {
    log.leaderEpoch = epoch;
    shard.run(() -> coordinators.roleChanged(log, true, epoch));
    world.runUntil(
        () -> coordinator().availability() != Errors.COORDINATOR_LOAD_IN_PROGRESS, 10_000);
  }

  void resign() {
    shard.run(() -> coordinators.roleChanged(log, false, log.leaderEpoch + 1));
  }

  PartitionCoordinator coordinator() {
    return coordinators.all().iterator().next();
  }

  ConsumerGroup consumerGroup() {
    return coordinator().groups().consumer(GROUP);
  }

  ClassicGroup group() {
    return coordinator().groups().classic(GROUP);
  }

  /** The high watermark reaches the end of the log. */
  void commit() {
    log.commitAll();
    shard.run(() -> coordinator().highWatermarkMoved());
  }

  void runFor(long ms) {
    world.runFor(ms);
  }

  <T> Answer<T> ask(Consumer<Answer<T>> request, Consumer<Errors> refused) {
    Answer<T> answer = new Answer<>();
    shard.run(
        () ->
            coordinators.serve(
                0,
                new GroupRouter.Service() {
                  @Override
                  public void serve(LiveGroups groups) {
                    request.accept(answer);
                  }

                  @Override
                  public void refuse(Errors error) {
                    refused.accept(error);
                    answer.refused = error;
                  }
                }));
    return answer;
  }

  /** An answer that may come later. */
  static final class Answer<T> implements Consumer<T> {
    private T value;
    Errors refused;

    @Override
    public void accept(T v) {
      if (value != null) {
        throw new AssertionError("a second answer: " + v);
      }
      value = v;
    }

    boolean isThere() {
      return value != null || refused != null;
    }

    T get() {
      if (value == null) {
        throw new AssertionError("no answer");
      }
      return value;
    }
  }

  LiveGroups groups() {
    return coordinator().groups();
  }

  static JoinGroupRequest joinRequest(String memberId, String instanceId, String... protocols) {
    List<JoinGroupRequestProtocol> list = new ArrayList<>();
    for (String p : protocols) {
      // name, or name=metadata
      int at = p.indexOf('=');
      list.add(
          new JoinGroupRequestProtocol()
              .name(at < 0 ? p : p.substring(0, at))
              .metadata((at < 0 ? "" : p.substring(at + 1)).getBytes()));
    }
    return new JoinGroupRequest()
        .groupId(GROUP)
        .memberId(memberId)
        .groupInstanceId(instanceId)
        .protocolType("test")
        .sessionTimeoutMs(SESSION_MS)
        .rebalanceTimeoutMs(REBALANCE_MS)
        .protocols(list);
  }

  Answer<JoinGroupResponse> join(String memberId, String instanceId, String... protocols) {
    return join(joinRequest(memberId, instanceId, protocols));
  }

  Answer<JoinGroupResponse> join(JoinGroupRequest request) {
    Caller caller = new Caller("client", "/127.0.0.1", joinVersion);
    return ask(a -> groups().join().join(caller, request, a), e -> {});
  }

  /** A dynamic member's two joins. */
  Answer<JoinGroupResponse> joinAnew(String... protocols) {
    String id = join("", null, protocols).get().memberId();
    return join(id, null, protocols);
  }

  Answer<SyncGroupResponse> sync(JoinGroupResponse j, Map<String, String> assignments) {
    return sync(j.memberId(), j.generationId(), assignments);
  }

  Answer<SyncGroupResponse> sync(String memberId, int generation, Map<String, String> assigned) {
    SyncGroupRequest r =
        new SyncGroupRequest().groupId(GROUP).memberId(memberId).generationId(generation);
    assigned.forEach(
        (m, a) ->
            r.assignments()
                .add(new SyncGroupRequestAssignment().memberId(m).assignment(a.getBytes())));
    return ask(a -> groups().sync().sync(r, a), e -> {});
  }

  Errors heartbeat(String memberId, int generation) {
    return heartbeat(memberId, null, generation);
  }

  Errors heartbeat(String memberId, String instanceId, int generation) {
    AtomicReference<Errors> refused = new AtomicReference<>();
    Answer<Errors> answer =
        ask(
            a ->
                a.accept(
                    groups()
                        .sync()
                        .heartbeat(
                            new HeartbeatRequest()
                                .groupId(GROUP)
                                .memberId(memberId)
                                .groupInstanceId(instanceId)
                                .generationId(generation))),
            refused::set);
    return refused.get() != null ? refused.get() : answer.get();
  }

  Answer<LeaveGroupResponse> leave(String memberId, String instanceId) {
    return ask(
        a ->
            groups()
                .leave()
                .leave(
                    GROUP,
                    List.of(new MemberIdentity().memberId(memberId).groupInstanceId(instanceId)),
                    a),
        e -> {});
  }

  /** Answers with the error of the partition, or of the whole. */
  Answer<Errors> commitOffset(String memberId, int generation, long offset) {
    return commitOffset(memberId, generation, offset, (short) 9);
  }

  Answer<Errors> commitOffset(String memberId, int generation, long offset, short version) {
    OffsetCommitRequestTopic t = new OffsetCommitRequestTopic().name("t").topicId(TOPIC_ID);
    t.partitions()
        .add(
            new OffsetCommitRequestPartition()
                .partitionIndex(0)
                .committedOffset(offset)
                .committedMetadata("m" + offset));
    OffsetCommitRequest r =
        new OffsetCommitRequest()
            .groupId(GROUP)
            .memberId(memberId)
            .generationIdOrMemberEpoch(generation);
    return ask(
        a ->
            groups()
                .commits()
                .commit(
                    r,
                    version,
                    List.of(t),
                    (error, response) ->
                        a.accept(
                            error != Errors.NONE
                                ? error
                                : Errors.forCode(
                                    response.topics().get(0).partitions().get(0).errorCode()))),
        e -> {});
  }

  /** The committed offset of t-0, -1 if none. */
  long fetchOffset() {
    Answer<OffsetFetchResponseGroup> a = fetchOffsets(false);
    return a.get().topics().get(0).partitions().get(0).committedOffset();
  }

  Answer<OffsetFetchResponseGroup> fetchOffsets(boolean stable) {
    OffsetFetchRequestGroup r =
        new OffsetFetchRequestGroup()
            .groupId(GROUP)
            .topics(List.of(new OffsetFetchRequestTopics().name("t").partitionIndexes(List.of(0))));
    return ask(a -> groups().reads().fetch(r, stable, a), e -> {});
  }

  // ---- the consumer protocol

  static ConsumerGroupHeartbeatRequest enter(String memberId, String... topics) {
    return beat(memberId, 0)
        .rebalanceTimeoutMs(REBALANCE_MS)
        .subscribedTopicNames(new ArrayList<>(List.of(topics)))
        .topicPartitions(new ArrayList<>());
  }

  static ConsumerGroupHeartbeatRequest beat(String memberId, int epoch) {
    return new ConsumerGroupHeartbeatRequest().groupId(GROUP).memberId(memberId).memberEpoch(epoch);
  }

  /** As one who owns these partitions of {@link #TOPIC_ID}. */
  static ConsumerGroupHeartbeatRequest owning(
      ConsumerGroupHeartbeatRequest r, Integer... partitions) {
    List<ConsumerGroupHeartbeatRequest.TopicPartitions> topics = new ArrayList<>();
    if (partitions.length > 0) {
      topics.add(
          new ConsumerGroupHeartbeatRequest.TopicPartitions()
              .topicId(TOPIC_ID)
              .partitions(new ArrayList<>(List.of(partitions))));
    }
    return r.topicPartitions(topics);
  }

  Answer<ConsumerGroupHeartbeatResponse> send(ConsumerGroupHeartbeatRequest r) {
    Caller caller = new Caller("client", "/127.0.0.1", (short) 1);
    return ask(a -> groups().consumers().heartbeat(caller, r, a), e -> {});
  }

  /** The topic has so many partitions from now on; none is that it is gone. */
  void topic(String name, Uuid id, int partitions) {
    MetadataImage before = cluster;
    MetadataImage after = before;
    if (after.topic(id) != null) {
      after = after.apply(new RemoveTopicRecord().topicId(id));
    }
    if (partitions > 0) {
      after = after.apply(new TopicRecord().name(name).topicId(id));
      for (int p = 0; p < partitions; p++) {
        after =
            after.apply(
                new PartitionRecord()
                    .topicId(id)
                    .partitionId(p)
                    .replicas(List.of(1))
                    .isr(List.of(1))
                    .leader(1)
                    .directories(List.of(new Uuid(1, 1))));
      }
    }
    cluster = after.at(before.offset() + 1, 1);
    ImageChange change = ImageChange.between(before, cluster);
    shard.run(() -> coordinators.metadataChanged(change));
  }

  /** A stable group of so many dynamic members, the leader first. */
  List<JoinGroupResponse> stable(int members) {
    List<Answer<JoinGroupResponse>> joins = new ArrayList<>();
    for (int i = 0; i < members; i++) {
      joins.add(joinAnew("range"));
    }
    runFor(2 * INITIAL_DELAY_MS + 100);
    List<JoinGroupResponse> joined = new ArrayList<>();
    joins.forEach(j -> joined.add(j.get()));
    for (int i = members - 1; i >= 0; i--) {
      JoinGroupResponse j = joined.get(i);
      sync(j, Map.of(j.memberId(), "a" + i));
    }
    return joined;
  }
}
