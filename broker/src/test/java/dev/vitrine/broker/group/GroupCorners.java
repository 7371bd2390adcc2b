package dev.vitrine.broker.group;

import static dev.vitrine.broker.group.GroupTranscript.assign;
import static dev.vitrine.broker.group.GroupTranscript.describe;
import static dev.vitrine.broker.group.GroupTranscript.fetch;
import static dev.vitrine.broker.group.GroupTranscript.heartbeat;
import static dev.vitrine.broker.group.GroupTranscript.join;
import static dev.vitrine.broker.group.GroupTranscript.joinWith;
import static dev.vitrine.broker.group.GroupTranscript.leave;
import static dev.vitrine.broker.group.GroupTranscript.offsetDelete;
import static dev.vitrine.broker.group.GroupTranscript.sync;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.message.DeleteGroupsRequestData;
import org.apache.kafka.common.message.DescribeGroupsResponseData;
import org.apache.kafka.common.message.HeartbeatResponseData;
import org.apache.kafka.common.message.JoinGroupRequestData;
import org.apache.kafka.common.message.JoinGroupResponseData;
import org.apache.kafka.common.message.LeaveGroupRequestData;
import org.apache.kafka.common.message.ListGroupsRequestData;
import org.apache.kafka.common.message.OffsetCommitRequestData;
import org.apache.kafka.common.message.OffsetDeleteRequestData;
import org.apache.kafka.common.message.OffsetFetchRequestData;
import org.apache.kafka.common.protocol.ApiMessage;

/**
 * Two more conversations, about what is rare: full groups, members that are late, that come twice
 * or back, and offsets that expire. The broker allows {@link #MAX_SIZE} members and sessions of
 * half a second.
 */
final class GroupCorners {
  /** What the broker's configuration must have. */
  static final Map<String, String> CONFIG =
      Map.of("group.max.size", "3", "group.min.session.timeout.ms", "500");

  static final Map<String, String> EXPIRY_CONFIG =
      Map.of("offsets.retention.check.interval.ms", "100");

  private static final int SHORT_MS = 1_000;
  private static final int REBALANCE_IN_PROGRESS = 27;

  private final GroupTranscript t;

  GroupCorners(GroupTranscript transcript) {
    this.t = transcript;
  }

  /** Port of an Apache Kafka, and {@code expiry} for the second conversation. */
  public static void main(String[] args) throws IOException, InterruptedException {
    int port = Integer.parseInt(args[0]);
    GroupCorners c = new GroupCorners(new GroupTranscript(port, GroupTranscript.makeTopics(port)));
    (args.length > 1 ? c.runExpiry() : c.run()).forEach(System.out::println);
  }

  List<String> run() throws IOException, InterruptedException {
    fullGroup();
    pendingMembers();
    requestsTwice();
    lateMembers();
    staticCorners();
    staticInRebalance();
    leaves();
    commits();
    otherTypes();
    return t.lines();
  }

  /** About offsets that expire. */
  List<String> runExpiry() throws IOException, InterruptedException {
    expiry();
    return t.lines();
  }

  // ---- short ways

  private JoinGroupResponseData joined(ApiMessage answer) {
    return (JoinGroupResponseData) answer;
  }

  /** A dynamic member alone in its group, stable in generation 1. */
  private String alone(JoinGroupRequestData join) throws IOException {
    String id = joined(t.ask("gets its id", join, 9)).memberId();
    t.ask("joins", join.setMemberId(id), 9);
    t.ask("syncs", assign(sync(join.groupId(), id, 1), id), 3);
    return id;
  }

  private void awaitRebalance(String group, String memberId, int generation)
      throws IOException, InterruptedException {
    for (int i = 0; i < 1_000; i++) {
      ApiMessage answer = t.quiet(heartbeat(group, memberId, generation), 4);
      if (((HeartbeatResponseData) answer).errorCode() == REBALANCE_IN_PROGRESS) {
        return;
      }
      pause(5);
    }
    throw new IllegalStateException("no rebalance of " + group + ": " + t.lines());
  }

  /** Two requests of two connections come in any order. */
  private void awaitMembers(String group, int count) throws IOException, InterruptedException {
    for (int i = 0; i < 1_000; i++) {
      DescribeGroupsResponseData r = (DescribeGroupsResponseData) t.quiet(describe(group), 5);
      if (r.groups().get(0).members().size() == count) {
        return;
      }
      pause(5);
    }
    throw new IllegalStateException("no " + count + " members of " + group + ": " + t.lines());
  }

  private static void pause(int ms) throws InterruptedException {
    Thread.sleep(ms);
  }

  private static JoinGroupRequestData brief(JoinGroupRequestData join) {
    return join.setSessionTimeoutMs(SHORT_MS).setRebalanceTimeoutMs(SHORT_MS);
  }

  // ---- the conversation

  private void fullGroup() throws IOException, InterruptedException {
    String a = alone(joinFull("", null));
    String b = joined(t.ask("second gets its id", joinFull("", null), 9)).memberId();
    String c = joined(t.ask("so does a third", joinFull("", null), 9)).memberId();
    String d = joined(t.ask("and a fourth", joinFull("", null), 9)).memberId();
    try (GroupTranscript.Client ca = t.client();
        GroupTranscript.Client cb = t.client();
        GroupTranscript.Client cc = t.client()) {
      cb.send(joinFull(b, null), 9);
      awaitRebalance("full", a, 1);
      cc.send(joinFull(c, null), 9);
      awaitMembers("full", 3);
      ca.send(joinFull(a, null), 9);
      pause(100);
      t.ask("fourth comes while three wait", joinFull(d, null), 9);
      ca.receive("first rejoins");
      cb.receive("second has joined");
      cc.receive("third has joined");
    }
    t.ask("one too many", joinFull("", null), 9);
    t.ask("one too many", joinFull("", null), 3);
    t.ask("one too many, static", joinFull("", "S"), 7);
    t.ask("one too many, unknown member", joinFull("m", null), 9);
    t.ask("three wait for the assignment", describe("full"), 5);
    t.ask("a member may join", joinFull(b, null), 9);
    t.ask("first leaves", leave("full", a, null), 5);
    t.ask("now there is room", joinFull("", null), 9);
  }

  /** Whoever is refused leaves the others waiting until this time is over. */
  private static JoinGroupRequestData joinFull(String memberId, String instance) {
    return join("full", memberId, instance).setRebalanceTimeoutMs(2_000);
  }

  private void pendingMembers() throws IOException, InterruptedException {
    String id = joined(t.ask("gets its id", brief(join("pending", "", null)), 9)).memberId();
    t.ask("pending", describe("pending"), 6);
    t.ask("heartbeats", heartbeat("pending", id, -1), 4);
    t.ask("syncs", sync("pending", id, 0), 3);
    t.ask("with an instance", brief(join("pending", id, "P")), 9);
    t.ask("unknown member", brief(join("pending", "m", null)), 9);
    t.ask("unknown static member", brief(join("pending", "m", "P")), 9);
    pause(2 * SHORT_MS);
    t.ask("too late", brief(join("pending", id, null)), 9);
    String gone = joined(t.ask("another", brief(join("pending", "", null)), 9)).memberId();
    t.ask("leaves before it has joined", leave("pending", gone, null), 5);
    t.ask("and comes", brief(join("pending", gone, null)), 9);
    String third = joined(t.ask("a third", join("pending", "", null), 9)).memberId();
    t.ask(
        "the group is deleted",
        new DeleteGroupsRequestData().setGroupsNames(List.of("pending")),
        2);
    t.ask("and the third comes", join("pending", third, null), 9);

    // The group waits for one that has its id and does not come.
    String a = alone(join("waits", "", null));
    t.ask("gets its id", brief(join("waits", "", null)), 9);
    t.ask("nothing happens", heartbeat("waits", a, 1), 4);
    t.ask("the leader rejoins and waits for it", join("waits", a, null), 9);
    t.ask("alone", describe("waits"), 5);
  }

  private void requestsTwice() throws IOException, InterruptedException {
    String a = alone(join("twice", "", null));
    String b = joined(t.ask("second gets its id", join("twice", "", null), 9)).memberId();
    // To the first of the two Kafka never says anything.
    try (GroupTranscript.Client ca = t.client();
        GroupTranscript.Client first = t.client();
        GroupTranscript.Client second = t.client();
        GroupTranscript.Client third = t.client()) {
      first.send(join("twice", b, null), 9);
      awaitRebalance("twice", a, 1);
      pause(200);
      second.send(join("twice", b, null), 9);
      pause(200);
      ca.send(join("twice", a, null), 9).receive("leader");
      second.receive("its second join");
      t.ask("a third before the sync", join("twice", b, null), 9);
      second.send(sync("twice", b, 2), 3);
      pause(200);
      third.send(sync("twice", b, 2), 3);
      pause(200);
      ca.send(assign(sync("twice", a, 2), b, b, "stranger"), 3).receive("leader, not of itself");
      third.receive("its second sync");
    }
    t.ask("what was assigned", describe("twice"), 5);
    t.ask("sync of the leader again", assign(sync("twice", a, 2), a, b), 3);
    t.ask("what is assigned", describe("twice"), 5);
  }

  private void lateMembers() throws IOException, InterruptedException {
    JoinGroupRequestData first = join("late", "", null).setRebalanceTimeoutMs(SHORT_MS);
    String a = alone(first);
    String b = joined(t.ask("second gets its id", brief(join("late", "", null)), 9)).memberId();
    t.ask("joins, and the first does not", brief(join("late", b, null)), 9);
    t.ask("first is out", heartbeat("late", a, 1), 4);
    t.ask("first commits", t.with(GroupTranscript.commit("late", a, 1), "t", 0, 1, ""), 9);
    t.ask("without the first", describe("late"), 5);
    pause(3 * SHORT_MS);
    t.ask("second has not synced", describe("late"), 5);
    t.ask("second is out", heartbeat("late", b, 2), 4);
    String c = alone2("late", 4);
    pause(3 * SHORT_MS);
    t.ask("third has fallen silent", heartbeat("late", c, 4), 4);
    t.ask("empty", describe("late"), 5);
  }

  /** As {@link #alone} with a short session, in a group that has had members. */
  private String alone2(String group, int generation) throws IOException {
    String id = joined(t.ask("gets its id", brief(join(group, "", null)), 9)).memberId();
    JoinGroupResponseData j = joined(t.ask("joins", brief(join(group, id, null)), 9));
    t.ask("syncs", assign(sync(group, id, j.generationId()), id), 3);
    return id;
  }

  private void staticCorners() throws IOException, InterruptedException {
    JoinGroupResponseData a = joined(t.ask("static", join("fixed", "", "A"), 9));
    t.ask("syncs", assign(sync("fixed", a.memberId(), 1), a.memberId()), 3);
    t.ask("without its instance", heartbeat("fixed", a.memberId(), 1), 4);
    t.ask("rejoins without its instance", join("fixed", a.memberId(), null), 9);
    t.ask("unknown id, known instance", join("fixed", "m", "A"), 9);
    t.ask("unknown id, unknown instance", join("fixed", "m", "B"), 9);
    t.ask("known id, unknown instance", join("fixed", a.memberId(), "B"), 9);
    t.ask("unknown instance", sync("fixed", a.memberId(), 1).setGroupInstanceId("B"), 3);
    t.ask(
        "unknown instance commits",
        t.with(
            GroupTranscript.commit("fixed", a.memberId(), 1).setGroupInstanceId("B"),
            "t",
            0,
            1,
            ""),
        9);
    t.ask(
        "only an instance commits",
        t.with(GroupTranscript.commit("fixed", "", -1).setGroupInstanceId("A"), "t", 0, 1, ""),
        9);
    t.ask("stable", describe("fixed"), 5);
    JoinGroupRequestData other = join("fixed", "", "A");
    other.protocols().iterator().next().setMetadata(new byte[] {0, 1, 0, 0, 0, 0, -1, -1, -1, -1});
    JoinGroupResponseData back = joined(t.ask("returns with other topics", other, 9));
    t.ask("stable", describe("fixed"), 5);
    t.ask("syncs", sync("fixed", back.memberId(), back.generationId()), 3);
    JoinGroupRequestData sticky = joinWith("fixed", "sticky").setGroupInstanceId("A");
    t.ask("returns with another protocol", sticky, 9);
    t.ask("after that", describe("fixed"), 5);
    t.ask("leaves", leave("fixed", "", "A"), 4);
    t.ask("empty", describe("fixed"), 5);
    t.ask("old id, empty group", join("fixed", back.memberId(), "A"), 9);
  }

  private void staticInRebalance() throws IOException, InterruptedException {
    JoinGroupResponseData a = joined(t.ask("static", join("moving", "", "A"), 9));
    t.ask("another waits", assign(sync("moving", a.memberId(), 1), a.memberId()), 3);
    try (GroupTranscript.Client ca = t.client();
        GroupTranscript.Client cb = t.client();
        GroupTranscript.Client again = t.client()) {
      cb.send(join("moving", "", "B"), 9);
      awaitRebalance("moving", a.memberId(), 1);
      pause(200);
      again.send(join("moving", "", "B"), 9);
      cb.receive("joins and is replaced");
      pause(200);
      t.ask("returns while others join", describe("moving"), 5);
      ca.send(join("moving", "", "A"), 9);
      JoinGroupResponseData leader = joined(ca.receive("the leader returns"));
      JoinGroupResponseData b = joined(again.receive("the one that replaced"));
      t.ask("old id of the leader", heartbeat("moving", a.memberId(), 1), 4);
      cb.send(sync("moving", b.memberId(), 2).setGroupInstanceId("B"), 3);
      pause(200);
      again.send(join("moving", "", "B"), 9);
      cb.receive("syncs and is replaced");
      t.ask("the leader hears", heartbeat("moving", leader.memberId(), 2), 4);
      ca.send(join("moving", leader.memberId(), "A"), 9).receive("leader");
      again.receive("the one that replaced");
    }
    t.ask("generation 3", describe("moving"), 5);
  }

  private static LeaveGroupRequestData leaveAll(String group, String... idsAndInstances) {
    List<LeaveGroupRequestData.MemberIdentity> members = new ArrayList<>();
    for (int i = 0; i < idsAndInstances.length; i += 2) {
      members.add(
          new LeaveGroupRequestData.MemberIdentity()
              .setMemberId(idsAndInstances[i])
              .setGroupInstanceId(idsAndInstances[i + 1]));
    }
    return new LeaveGroupRequestData().setGroupId(group).setMembers(members);
  }

  private void leaves() throws IOException, InterruptedException {
    JoinGroupResponseData a = joined(t.ask("static", join("leaves", "", "A"), 9));
    t.ask("syncs", assign(sync("leaves", a.memberId(), 1), a.memberId()), 3);
    t.ask("no instance, no id", leaveAll("leaves", "", null), 5);
    t.ask("wrong id", leaveAll("leaves", "m", "A"), 3);
    t.ask("wrong instance", leaveAll("leaves", a.memberId(), "B"), 4);
    t.ask(
        "some of them, one twice",
        leaveAll("leaves", "m", null, "", "B", a.memberId(), null, a.memberId(), "A"),
        5);
    t.ask("empty", describe("leaves"), 5);
    t.ask("again", leaveAll("leaves", a.memberId(), "A"), 5);
    t.ask("heartbeat", heartbeat("leaves", a.memberId(), 1), 4);
    t.ask("sync", sync("leaves", a.memberId(), 1), 3);
  }

  private OffsetCommitRequestData commit(
      String group, String memberId, int generation, long offset) {
    return t.with(GroupTranscript.commit(group, memberId, generation), "t", 0, offset, "");
  }

  private void commits() throws IOException, InterruptedException {
    String a = alone(join("commits", "", null));
    t.ask("negative offset", commit("commits", a, 1, -1), 9);
    t.ask("very negative offset", commit("commits", a, 1, -5), 9);
    t.ask("read", fetch("commits", "t", 0), 5);
    t.ask("highest offset", commit("commits", a, 1, Long.MAX_VALUE), 9);
    OffsetCommitRequestData twice = commit("commits", a, 1, 7);
    t.ask("a partition twice", t.with(twice, "t", 0, 8, "second"), 9);
    t.ask("read", fetch("commits", "t", 0), 5);
    t.ask("long", t.with(GroupTranscript.commit("commits", a, 1), "t", 0, 9, "ä".repeat(4096)), 9);
    t.ask(
        "too long, and another",
        t.with(
            t.with(GroupTranscript.commit("commits", a, 1), "t", 0, 9, "ä".repeat(4097)),
            "t",
            1,
            9,
            "short"),
        9);
    t.ask("negative generation", commit("commits", a, -1, 10), 9);
    t.ask("generation, no member", commit("commits", "", 1, 10), 9);
    t.ask("no topic to delete", offsetDelete("commits", "t"), 0);
    t.ask("leaves", leave("commits", a, null), 5);
    t.ask("by the one that left", commit("commits", a, 1, 11), 9);
    t.ask("by the one that left, as an admin", commit("commits", a, -1, 12), 9);
    t.ask("by an admin", commit("commits", "", -1, 13), 9);
    t.ask("by an instance", commit("commits", "", -1, 14).setGroupInstanceId("A"), 9);
    t.ask("read", fetch("commits", "t", 0), 5);
    t.ask("to delete, twice", offsetDelete("commits", "t", 0, 0, 1), 0);
    t.ask("read", fetch("commits", null), 5);
    t.ask("a topic to delete twice", and(offsetDelete("commits", "t", 0), "t", 1), 0);
    t.ask("one of them not there", and(offsetDelete("commits", "t", 7), "t", 1), 0);
    t.ask("not there, in the end", and(offsetDelete("commits", "t", 0), "t", 7), 0);
    OffsetFetchRequestData read = fetch("commits", "t", 0, 0);
    read.setTopics(List.of(read.topics().get(0), read.topics().get(0)));
    t.ask("a topic read twice", read, 5);
  }

  private static OffsetDeleteRequestData and(
      OffsetDeleteRequestData r, String topic, int partition) {
    r.topics().mustAdd(offsetDelete("", topic, partition).topics().iterator().next().duplicate());
    return r;
  }

  private void otherTypes() throws IOException, InterruptedException {
    JoinGroupRequestData connect = join("connect", "", null).setProtocolType("connect");
    String a = alone(connect);
    t.ask("commit", commit("connect", a, 1, 3), 9);
    t.ask("delete its offset", offsetDelete("connect", "t", 0), 0);
    t.ask("describe", describe("connect"), 6);
    t.ask("list", new ListGroupsRequestData().setStatesFilter(List.of("STABLE")), 5);
    t.ask("list dead", new ListGroupsRequestData().setStatesFilter(List.of("Dead", "Empty")), 5);
    t.ask("leaves", leave("connect", a, null), 5);
    t.ask("a consumer comes", join("connect", "", null).setProtocolType("consumer"), 3);
    t.ask("describe", describe("connect"), 6);

    JoinGroupRequestData garbled = join("garbled", "", null);
    garbled.protocols().iterator().next().setMetadata(new byte[] {7});
    String b = alone(garbled);
    t.ask("commit", commit("garbled", b, 1, 3), 9);
    t.ask("delete its offset", offsetDelete("garbled", "t", 0), 0);

    String c = alone(join("partly", "", null));
    t.ask("commit", t.with(commit("partly", c, 1, 3), "t", 1, 4, ""), 9);
    t.ask("a pending member", join("partly", "", null), 9);
    t.ask("subscribed", offsetDelete("partly", "t", 0), 0);
  }

  /** As {@link #alone}, but without a time in which the group has no members and may go. */
  private String aloneOld(JoinGroupRequestData join) throws IOException {
    String id = joined(t.ask("joins", join, 3)).memberId();
    t.ask("syncs", assign(sync(join.groupId(), id, 1), id), 3);
    return id;
  }

  /** Only old clients say themselves when an offset is to expire. */
  private OffsetCommitRequestData expiring(String group, String memberId, int generation) {
    return commit(group, memberId, generation, 5).setRetentionTimeMs(1);
  }

  private void expiry() throws IOException, InterruptedException {
    t.ask("of nobody", expiring("x-simple", "", -1), 4);
    t.ask("of nobody, one stays", t.with(expiring("x-mixed", "", -1), "t", 1, 6, ""), 4);
    t.ask(
        "of nobody, one stays",
        t.with(GroupTranscript.commit("x-mixed", "", -1), "t", 1, 6, ""),
        9);
    String subscribed = aloneOld(join("x-subscribed", "", null));
    t.ask("subscribed", expiring("x-subscribed", subscribed, 1), 4);
    JoinGroupRequestData other = join("x-other", "", null);
    other.protocols().iterator().next().setMetadata(new byte[] {0, 1, 0, 0, 0, 0, -1, -1, -1, -1});
    String unsubscribed = aloneOld(other);
    t.ask("not subscribed", expiring("x-other", unsubscribed, 1), 4);
    String worker = aloneOld(join("x-connect", "", null).setProtocolType("connect"));
    t.ask("no consumer", expiring("x-connect", worker, 1), 4);
    String gone = aloneOld(join("x-empty", "", null));
    t.ask("will leave", expiring("x-empty", gone, 1), 4);
    t.ask("leaves", leave("x-empty", gone, null), 5);
    String waiting = aloneOld(join("x-moving", "", null));
    t.ask("rebalancing", expiring("x-moving", waiting, 1), 4);
    String pending = joined(t.ask("another", join("x-moving", "", null), 9)).memberId();
    try (GroupTranscript.Client c = t.client()) {
      c.send(join("x-moving", pending, null), 9);
      awaitRebalance("x-moving", waiting, 1);
      pause(1_500);
      for (String group :
          List.of("x-simple", "x-mixed", "x-subscribed", "x-other", "x-connect", "x-empty")) {
        t.ask("what is left", fetch(group, null), 5);
        t.ask("of the group", describe(group), 6);
      }
      t.ask("what is left", fetch("x-moving", null), 5);
    }
  }
}
