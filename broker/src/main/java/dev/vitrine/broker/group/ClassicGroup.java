package dev.vitrine.broker.group;

import dev.vitrine.broker.group.ClassicMember.Identity;
import dev.vitrine.broker.group.ClassicMember.Terms;
import dev.vitrine.protocol.Errors;
import dev.vitrine.protocol.message.DescribeGroupsResponse.DescribedGroup;
import dev.vitrine.protocol.message.DescribeGroupsResponse.DescribedGroupMember;
import dev.vitrine.protocol.message.GroupMetadataValue;
import dev.vitrine.protocol.message.JoinGroupResponse;
import dev.vitrine.protocol.message.JoinGroupResponse.JoinGroupResponseMember;
import dev.vitrine.protocol.message.OffsetCommitRequest;
import dev.vitrine.protocol.message.SyncGroupResponse;
import dev.vitrine.seam.Shard;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A group of the classic protocol: its members, and where it stands in their rebalance. What of it
 * must survive is in the {@link GroupImage}; this is the rest, made anew by each new leader.
 * Belongs to the coordinator's shard. It holds state and answers those who wait; when what happens
 * is decided by {@link ClassicRebalance} and the classes of the requests.
 *
 * <pre>
 *            join                    all have joined, or time is up          leader's sync is stored
 *   Empty ─────────► PreparingRebalance ─────────► CompletingRebalance ─────────► Stable
 *     ▲                │  ▲   ▲                        │ join, leave, death         │
 *     └────────────────┘  │   └────────────────────────┘                            │
 *      nobody is left     └─────────────────────────────────────────────────────────┘
 * </pre>
 */
final class ClassicGroup implements Group {
  private static final Logger LOG = LoggerFactory.getLogger(ClassicGroup.class);

  /** The protocol type of consumers; others are opaque. */
  static final String CONSUMER = "consumer";

  enum State {
    EMPTY("Empty"),
    PREPARING_REBALANCE("PreparingRebalance"),
    COMPLETING_REBALANCE("CompletingRebalance"),
    STABLE("Stable"),
    DEAD("Dead");

    final String text;

    State(String text) {
      this.text = text;
    }
  }

  private final String groupId;
  private final Shard shard;

  /** The end of the join phase, and of the wait for syncs. */
  final Deadline joinPhase;

  final Deadline syncPhase;

  private State state = State.EMPTY;
  private State previous = State.DEAD;
  private long stateTimestamp;
  private String protocolType;
  private String protocolName;
  private int generation;
  private String leaderId;
  private final Map<String, ClassicMember> members = new LinkedHashMap<>();
  private final Map<String, String> staticMembers = new LinkedHashMap<>();

  /** Those that have been given a member id and are to join with it. */
  private final Map<String, Deadline> pendingJoins = new LinkedHashMap<>();

  private final Set<String> pendingSyncs = new TreeSet<>();

  /** Null if it is not known. */
  private Set<String> subscribedTopics;

  /** Since the initial delay was set, so that it is to be longer. */
  boolean newMemberAdded;

  ClassicGroup(String groupId, Shard shard) {
    this.groupId = groupId;
    this.shard = shard;
    this.joinPhase = new Deadline(shard);
    this.syncPhase = new Deadline(shard);
    this.stateTimestamp = shard.now();
  }

  /** A group as the log has it. */
  static ClassicGroup load(String groupId, GroupMetadataValue v, Shard shard) {
    ClassicGroup g = new ClassicGroup(groupId, shard);
    g.state = v.members().isEmpty() ? State.EMPTY : State.STABLE;
    g.generation = v.generation();
    g.protocolType = v.protocolType().isEmpty() ? null : v.protocolType();
    g.protocolName = v.protocol();
    g.leaderId = v.leader();
    g.stateTimestamp = v.currentStateTimestamp();
    for (GroupMetadataValue.MemberMetadata m : v.members()) {
      String protocol = v.protocol() == null ? "" : v.protocol();
      int rebalanceTimeout = m.rebalanceTimeout() == -1 ? m.sessionTimeout() : m.rebalanceTimeout();
      ClassicMember member =
          new ClassicMember(
              new Identity(m.memberId(), m.groupInstanceId(), m.clientId(), m.clientHost()),
              new Terms(
                  rebalanceTimeout,
                  m.sessionTimeout(),
                  List.of(new Protocol(protocol, m.subscription()))),
              new Deadline(shard));
      member.assignment = m.assignment();
      g.put(member);
    }
    g.subscribedTopics = g.computeSubscribedTopics();
    return g;
  }

  /** A stable group of consumers that was one of the consumer protocol until now. */
  static ClassicGroup converted(
      String groupId, int generation, List<ClassicMember> members, Shard shard) {
    ClassicGroup g = new ClassicGroup(groupId, shard);
    g.state = State.STABLE;
    g.generation = generation;
    g.protocolType = CONSUMER;
    members.forEach(g::add);
    g.protocolName = g.selectProtocol();
    g.subscribedTopics = g.computeSubscribedTopics();
    return g;
  }

  // ---- what it is

  @Override
  public String groupId() {
    return groupId;
  }

  @Override
  public String type() {
    return "classic";
  }

  @Override
  public String stateName() {
    return state.text;
  }

  @Override
  public boolean isEmpty() {
    return members.isEmpty();
  }

  boolean is(State s) {
    return state == s;
  }

  State state() {
    return state;
  }

  State previousState() {
    return previous;
  }

  /** When it came into this state, milliseconds since 1970; -1 if an old log does not say. */
  long stateTimestamp() {
    return stateTimestamp;
  }

  int generation() {
    return generation;
  }

  /** Null if there is none. */
  String leaderId() {
    return leaderId;
  }

  boolean isLeader(String memberId) {
    return memberId.equals(leaderId);
  }

  /** Null until somebody has joined. */
  String protocolType() {
    return protocolType;
  }

  @Override
  public String protocolTypeOrEmpty() {
    return protocolType == null ? "" : protocolType;
  }

  /** Null unless members have agreed on one. */
  String protocolName() {
    return protocolName;
  }

  void transitionTo(State next) {
    previous = state;
    state = next;
    stateTimestamp = shard.now();
  }

  // ---- members

  Collection<ClassicMember> members() {
    return members.values();
  }

  int size() {
    return members.size();
  }

  boolean has(String memberId) {
    return members.containsKey(memberId);
  }

  ClassicMember member(String memberId) {
    return members.get(memberId);
  }

  /** The member id of a static member, or null. */
  String staticMemberId(String groupInstanceId) {
    return staticMembers.get(groupInstanceId);
  }

  long staticMemberCount() {
    return staticMembers.size();
  }

  int awaitingJoin() {
    int n = 0;
    for (ClassicMember m : members.values()) {
      n += m.isAwaitingJoin() ? 1 : 0;
    }
    return n;
  }

  void add(ClassicMember m) {
    put(m);
    if (leaderId == null) {
      leaderId = m.memberId();
    }
    Deadline pending = pendingJoins.remove(m.memberId());
    if (pending != null) {
      pending.cancel();
    }
  }

  private void put(ClassicMember m) {
    members.put(m.memberId(), m);
    if (m.isStatic()) {
      staticMembers.put(m.groupInstanceId(), m.memberId());
    }
  }

  /** The first members decide what kind of group it is. */
  void protocolType(String type) {
    protocolType = type;
  }

  /** Removes a member, or one that was to join; a request of it that waits is answered. */
  void remove(String memberId) {
    Deadline pending = pendingJoins.remove(memberId);
    if (pending != null) {
      pending.cancel();
    }
    pendingSyncs.remove(memberId);
    ClassicMember m = members.remove(memberId);
    if (m == null) {
      return;
    }
    m.session.cancel();
    if (m.isStatic()) {
      staticMembers.remove(m.groupInstanceId(), memberId);
    }
    if (memberId.equals(leaderId)) {
      leaderId = members.isEmpty() ? null : members.keySet().iterator().next();
    }
    failJoin(m, "", Errors.UNKNOWN_MEMBER_ID);
    failSync(m, Errors.UNKNOWN_MEMBER_ID);
  }

  /** A static member came back: it gets a new id, and who still uses the old one is fenced. */
  ClassicMember replaceStatic(ClassicMember old, String newMemberId) {
    old.session.cancel();
    failJoin(old, old.memberId(), Errors.FENCED_INSTANCE_ID);
    failSync(old, Errors.FENCED_INSTANCE_ID);
    ClassicMember m =
        new ClassicMember(old.identity().withMemberId(newMemberId), old.terms, new Deadline(shard));
    m.assignment = old.assignment;
    members.remove(old.memberId());
    pendingSyncs.remove(old.memberId());
    put(m);
    if (old.memberId().equals(leaderId)) {
      leaderId = newMemberId;
    }
    return m;
  }

  /**
   * @throws GroupException unless this is a member, and the one that its instance id belongs to
   */
  void check(String memberId, String groupInstanceId) {
    if (groupInstanceId != null) {
      String known = staticMembers.get(groupInstanceId);
      if (known == null) {
        throw new GroupException(Errors.UNKNOWN_MEMBER_ID);
      }
      if (!known.equals(memberId)) {
        LOG.info(
            "[Group {}] Request of member {} is fenced: static member {} has member id {}",
            groupId,
            memberId,
            groupInstanceId,
            known);
        throw new GroupException(Errors.FENCED_INSTANCE_ID);
      }
    }
    if (!members.containsKey(memberId)) {
      throw new GroupException(Errors.UNKNOWN_MEMBER_ID);
    }
  }

  boolean isPendingJoin(String memberId) {
    return pendingJoins.containsKey(memberId);
  }

  boolean hasPendingJoins() {
    return !pendingJoins.isEmpty();
  }

  Deadline addPendingJoin(String memberId) {
    Deadline expiry = new Deadline(shard);
    pendingJoins.put(memberId, expiry);
    return expiry;
  }

  Set<String> pendingSyncs() {
    return pendingSyncs;
  }

  // ---- the rebalance

  boolean canRebalance() {
    return state == State.EMPTY || state == State.STABLE || state == State.COMPLETING_REBALANCE;
  }

  boolean haveAllJoined() {
    return pendingJoins.isEmpty() && awaitingJoin() == members.size();
  }

  int rebalanceTimeoutMs() {
    int most = 0;
    for (ClassicMember m : members.values()) {
      most = Math.max(most, m.rebalanceTimeoutMs());
    }
    return most;
  }

  /** Whether the leader takes part, or another has become leader in its place. */
  boolean electJoinedLeader() {
    if (leaderId == null) {
      return false;
    }
    ClassicMember leader = members.get(leaderId);
    if (leader != null && leader.isAwaitingJoin()) {
      return true;
    }
    for (ClassicMember m : members.values()) {
      if (m.isAwaitingJoin()) {
        LOG.info(
            "[Group {}] Leader {} has not rejoined; {} leads now", groupId, leaderId, m.memberId());
        leaderId = m.memberId();
        return true;
      }
    }
    return false;
  }

  void nextGeneration() {
    generation++;
    pendingSyncs.clear();
    if (members.isEmpty()) {
      protocolName = null;
      subscribedTopics = computeSubscribedTopics();
      transitionTo(State.EMPTY);
    } else {
      protocolName = selectProtocol();
      subscribedTopics = computeSubscribedTopics();
      transitionTo(State.COMPLETING_REBALANCE);
    }
  }

  /** Whether a member with these protocols could be among the others. */
  boolean supports(String type, List<Protocol> protocols) {
    if (state == State.EMPTY) {
      return !type.isEmpty() && !protocols.isEmpty();
    }
    if (!type.equals(protocolType)) {
      return false;
    }
    for (Protocol p : protocols) {
      if (isSupportedByAll(p.name())) {
        return true;
      }
    }
    return false;
  }

  private boolean isSupportedByAll(String protocol) {
    for (ClassicMember m : members.values()) {
      boolean has = false;
      for (Protocol p : m.terms.protocols()) {
        has |= p.name().equals(protocol);
      }
      if (!has) {
        return false;
      }
    }
    return true;
  }

  /** Each member votes for the first of its protocols that all can do. */
  String selectProtocol() {
    Map<String, Integer> votes = new LinkedHashMap<>();
    for (ClassicMember m : members.values()) {
      for (Protocol p : m.terms.protocols()) {
        if (votes.containsKey(p.name()) || isSupportedByAll(p.name())) {
          votes.merge(p.name(), 1, Integer::sum);
          break;
        }
      }
    }
    String best = null;
    for (Map.Entry<String, Integer> e : votes.entrySet()) {
      if (best == null || e.getValue() > votes.get(best)) {
        best = e.getKey();
      }
    }
    if (best == null) {
      throw new IllegalStateException(groupId + ": the members have no protocol in common");
    }
    return best;
  }

  boolean isOfConsumers() {
    return CONSUMER.equals(protocolType);
  }

  private Set<String> computeSubscribedTopics() {
    if (!isOfConsumers() || (!members.isEmpty() && protocolName == null)) {
      return null;
    }
    Set<String> all = new TreeSet<>();
    for (ClassicMember m : members.values()) {
      Set<String> topics = ConsumerSubscription.topics(m.metadata(protocolName));
      if (topics == null) {
        LOG.warn("[Group {}] Cannot read the subscription of {}", groupId, m.memberId());
        return null;
      }
      all.addAll(topics);
    }
    return all;
  }

  // ---- who waits

  /** Takes over what a member says in a new join, which waits from now on. */
  void update(ClassicMember m, Terms terms, Consumer<JoinGroupResponse> join) {
    m.terms = terms;
    // The request before this one came on a connection that the client has given up.
    failJoin(m, m.memberId(), Errors.REBALANCE_IN_PROGRESS);
    m.join = join;
  }

  boolean answerJoin(ClassicMember m, JoinGroupResponse answer) {
    Consumer<JoinGroupResponse> waiting = m.join;
    if (waiting == null) {
      return false;
    }
    m.join = null;
    waiting.accept(answer);
    return true;
  }

  void failJoin(ClassicMember m, String memberId, Errors error) {
    answerJoin(m, joinError(memberId, error));
  }

  /** Answers all who wait: they are to join again. */
  void interrupt() {
    for (ClassicMember m : members.values()) {
      failJoin(m, m.memberId(), Errors.REBALANCE_IN_PROGRESS);
      failSync(m, Errors.REBALANCE_IN_PROGRESS);
    }
  }

  static JoinGroupResponse joinError(String memberId, Errors error) {
    return new JoinGroupResponse().memberId(memberId).errorCode(error.code()).protocolName(null);
  }

  boolean answerSync(ClassicMember m, SyncGroupResponse answer) {
    Consumer<SyncGroupResponse> waiting = m.sync;
    if (waiting == null) {
      return false;
    }
    m.sync = null;
    waiting.accept(answer);
    return true;
  }

  boolean failSync(ClassicMember m, Errors error) {
    return answerSync(m, new SyncGroupResponse().errorCode(error.code()));
  }

  /** What a member is told that has joined this generation. */
  JoinGroupResponse joined(String memberId, String leader, boolean withMembers) {
    return new JoinGroupResponse()
        .memberId(memberId)
        .generationId(generation)
        .protocolType(protocolType)
        .protocolName(protocolName)
        .leader(leader)
        .members(withMembers ? joinedMembers() : new ArrayList<>());
  }

  private List<JoinGroupResponseMember> joinedMembers() {
    List<JoinGroupResponseMember> list = new ArrayList<>();
    for (ClassicMember m : members.values()) {
      list.add(
          new JoinGroupResponseMember()
              .memberId(m.memberId())
              .groupInstanceId(m.groupInstanceId())
              .metadata(m.metadata(protocolName)));
    }
    return list;
  }

  SyncGroupResponse synced(ClassicMember m) {
    return new SyncGroupResponse()
        .protocolType(protocolType)
        .protocolName(protocolName)
        .assignment(m.assignment);
  }

  @Override
  public void close(Errors error) {
    joinPhase.cancel();
    syncPhase.cancel();
    pendingJoins.values().forEach(Deadline::cancel);
    for (ClassicMember m : members.values()) {
      m.session.cancel();
      failJoin(m, m.memberId(), error);
      failSync(m, error);
    }
  }

  // ---- offsets, and those who list and delete

  @Override
  public OffsetCheck checkOffsetCommit(OffsetCommitRequest request, short version) {
    checkOffsetCommit(
        request.memberId(), request.groupInstanceId(), request.generationIdOrMemberEpoch());
    return OffsetCheck.ANY;
  }

  private void checkOffsetCommit(String memberId, String groupInstanceId, int committing) {
    if (state == State.DEAD) {
      throw new GroupException(Errors.COORDINATOR_NOT_AVAILABLE);
    }
    if (committing < 0 && state == State.EMPTY) {
      return; // from an admin client, or a consumer that does without group management
    }
    if (committing >= 0 || !memberId.isEmpty() || groupInstanceId != null) {
      check(memberId, groupInstanceId);
      if (committing != generation) {
        throw new GroupException(Errors.ILLEGAL_GENERATION);
      }
    } else if (state != State.EMPTY) {
      throw new GroupException(Errors.UNKNOWN_MEMBER_ID);
    }
    if (state == State.COMPLETING_REBALANCE) {
      throw new GroupException(Errors.REBALANCE_IN_PROGRESS);
    }
  }

  @Override
  public void checkOffsetDelete() {
    if (state == State.DEAD) {
      throw new GroupException(Errors.GROUP_ID_NOT_FOUND);
    }
    if (state != State.EMPTY && !isOfConsumers()) {
      throw new GroupException(Errors.NON_EMPTY_GROUP);
    }
  }

  @Override
  public void checkDelete() {
    if (state == State.DEAD) {
      throw new GroupException(Errors.GROUP_ID_NOT_FOUND);
    }
    if (state != State.EMPTY) {
      throw new GroupException(Errors.NON_EMPTY_GROUP);
    }
  }

  @Override
  public boolean isSubscribedTo(String topic) {
    return subscribedTopics != null ? subscribedTopics.contains(topic) : isOfConsumers();
  }

  @Override
  public boolean isExpired(CommittedOffset offset, long now, long retentionMs) {
    long since;
    if (protocolType == null) {
      since = offset.commitTimestamp(); // a consumer that only keeps its offsets here
    } else if (state == State.EMPTY) {
      since = stateTimestamp == -1 ? offset.commitTimestamp() : stateTimestamp;
    } else if (isOfConsumers() && subscribedTopics != null && state == State.STABLE) {
      since = offset.commitTimestamp();
    } else {
      return false;
    }
    return offset.expireTimestamp() != -1
        ? now >= offset.expireTimestamp()
        : now - since >= retentionMs;
  }

  @Override
  public boolean isCommitted() {
    return true;
  }

  @Override
  public List<CoordinatorRecord> tombstones() {
    return List.of(GroupRecords.groupTombstone(groupId));
  }

  DescribedGroup describe() {
    boolean stable = state == State.STABLE;
    List<DescribedGroupMember> described = new ArrayList<>();
    for (ClassicMember m : members.values()) {
      described.add(
          new DescribedGroupMember()
              .memberId(m.memberId())
              .groupInstanceId(m.groupInstanceId())
              .clientId(m.clientId())
              .clientHost(m.clientHost())
              .memberMetadata(stable ? m.metadata(protocolName) : ClassicMember.NO_ASSIGNMENT)
              .memberAssignment(m.assignment));
    }
    return new DescribedGroup()
        .groupId(groupId)
        .groupState(state.text)
        .protocolType(protocolTypeOrEmpty())
        .protocolData(stable && protocolName != null ? protocolName : "")
        .members(described);
  }

  @Override
  public String toString() {
    return groupId + " (" + state.text + ", generation " + generation + ")";
  }
}
