package dev.vitrine.broker.group;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.vitrine.broker.group.ClassicGroup.State;
import dev.vitrine.broker.group.GroupHarness.Answer;
import dev.vitrine.protocol.Errors;
import dev.vitrine.protocol.message.GroupMetadataValue;
import dev.vitrine.protocol.message.JoinGroupResponse;
import dev.vitrine.protocol.message.LeaveGroupResponse;
import dev.vitrine.protocol.message.SyncGroupResponse;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Joins, syncs, heartbeats, leaves and time, request by request. */
class ClassicGroupTest {
  private final GroupHarness h = new GroupHarness();

  private static void assertError(Errors expected, short code) {
    assertEquals(expected, Errors.forCode(code));
  }

  @Test
  void newMemberIsGivenItsIdFirst() {
    JoinGroupResponse first = h.join("", null, "range").get();
    assertError(Errors.MEMBER_ID_REQUIRED, first.errorCode());
    assertTrue(first.memberId().startsWith("client-"));
    assertEquals("client-".length() + 36, first.memberId().length());
    Answer<JoinGroupResponse> second = h.join(first.memberId(), null, "range");
    assertFalse(second.isThere());
    h.runFor(GroupHarness.INITIAL_DELAY_MS + 10);
    JoinGroupResponse joined = second.get();
    assertError(Errors.NONE, joined.errorCode());
    assertEquals(1, joined.generationId());
    assertEquals("range", joined.protocolName());
    assertEquals("test", joined.protocolType());
    assertEquals(joined.memberId(), joined.leader());
    assertEquals(1, joined.members().size());
  }

  @Test
  void oldClientsJoinAtOnce() {
    h.joinVersion = 3;
    Answer<JoinGroupResponse> a = h.join("", null, "range");
    h.runFor(GroupHarness.INITIAL_DELAY_MS + 10);
    assertError(Errors.NONE, a.get().errorCode());
  }

  @Test
  void initialDelayGrowsWithEachNewMember() {
    Answer<JoinGroupResponse> a = h.joinAnew("range");
    h.runFor(2_000);
    Answer<JoinGroupResponse> b = h.joinAnew("range");
    h.runFor(1_500);
    assertFalse(a.isThere());
    h.runFor(3_000);
    assertEquals(1, a.get().generationId());
    assertEquals(a.get().memberId(), b.get().leader());
    assertEquals(2, a.get().members().size());
    assertEquals(0, b.get().members().size());
  }

  @Test
  void assignmentGoesToAllOnceItIsCommitted() {
    Answer<JoinGroupResponse> a = h.joinAnew("range");
    Answer<JoinGroupResponse> b = h.joinAnew("range");
    h.runFor(7_000);
    h.log.commitsAtOnce = false;
    Answer<SyncGroupResponse> sb = h.sync(b.get(), Map.of());
    Answer<SyncGroupResponse> sa =
        h.sync(a.get(), Map.of(a.get().memberId(), "A", b.get().memberId(), "B"));
    assertFalse(sa.isThere());
    assertFalse(sb.isThere());
    assertEquals(State.COMPLETING_REBALANCE, h.group().state());
    h.commit();
    assertArrayEquals("A".getBytes(), sa.get().assignment());
    assertArrayEquals("B".getBytes(), sb.get().assignment());
    assertEquals("range", sb.get().protocolName());
    assertEquals(State.STABLE, h.group().state());
    GroupMetadataValue v = h.coordinator().committed().groups().get(GroupHarness.GROUP);
    assertEquals(2, v.members().size());
    assertEquals(1, v.generation());
    assertEquals("/127.0.0.1", v.members().get(0).clientHost());
  }

  @Test
  void assignmentThatIsNotCommittedInTimeIsAnError() {
    Answer<JoinGroupResponse> a = h.joinAnew("range");
    h.runFor(7_000);
    h.log.commitsAtOnce = false;
    Answer<SyncGroupResponse> s = h.sync(a.get(), Map.of(a.get().memberId(), "A"));
    h.runFor(5_100);
    assertError(Errors.COORDINATOR_NOT_AVAILABLE, s.get().errorCode());
    assertEquals(State.PREPARING_REBALANCE, h.group().state());
  }

  @Test
  void tooFewReplicasAreAnError() {
    Answer<JoinGroupResponse> a = h.joinAnew("range");
    h.runFor(7_000);
    h.log.refusal = Errors.NOT_ENOUGH_REPLICAS;
    Answer<SyncGroupResponse> s = h.sync(a.get(), Map.of());
    assertError(Errors.COORDINATOR_NOT_AVAILABLE, s.get().errorCode());
  }

  @Test
  void newGroupThatCannotBeStoredIsForgotten() {
    h.log.refusal = Errors.NOT_ENOUGH_REPLICAS;
    h.joinVersion = 3;
    Answer<JoinGroupResponse> a = h.join("", null, "range");
    assertError(Errors.COORDINATOR_NOT_AVAILABLE, a.get().errorCode());
    assertNull(h.group());
    h.log.refusal = Errors.NONE;
    Answer<JoinGroupResponse> b = h.join("", null, "range");
    h.runFor(3_100);
    assertError(Errors.NONE, b.get().errorCode());
  }

  @Test
  void rebalanceWaitsForAllMembersAndTellsThemByHeartbeat() {
    List<JoinGroupResponse> m = h.stable(2);
    assertEquals(Errors.NONE, h.heartbeat(m.get(1).memberId(), 1));
    Answer<JoinGroupResponse> c = h.joinAnew("range");
    assertEquals(Errors.REBALANCE_IN_PROGRESS, h.heartbeat(m.get(0).memberId(), 1));
    Answer<JoinGroupResponse> a = h.join(m.get(0).memberId(), null, "range");
    assertFalse(a.isThere());
    Answer<JoinGroupResponse> b = h.join(m.get(1).memberId(), null, "range");
    assertEquals(2, a.get().generationId());
    assertEquals(3, a.get().members().size());
    assertEquals(2, b.get().generationId());
    assertEquals(m.get(0).memberId(), c.get().leader());
    assertEquals(Errors.ILLEGAL_GENERATION, h.heartbeat(m.get(0).memberId(), 1));
  }

  @Test
  void rebalanceTimeoutRemovesThoseWhoDoNotRejoin() {
    List<JoinGroupResponse> m = h.stable(2);
    Answer<JoinGroupResponse> a = h.join(m.get(0).memberId(), null, "range");
    for (int i = 0; i < 4; i++) {
      h.runFor(8_000);
      h.heartbeat(m.get(1).memberId(), 1);
    }
    assertEquals(2, a.get().generationId());
    assertEquals(1, a.get().members().size());
    assertEquals(Errors.UNKNOWN_MEMBER_ID, h.heartbeat(m.get(1).memberId(), 2));
  }

  @Test
  void silenceRemovesAMember() {
    List<JoinGroupResponse> m = h.stable(2);
    h.runFor(6_000);
    h.heartbeat(m.get(0).memberId(), 1);
    h.runFor(5_000);
    assertEquals(Errors.REBALANCE_IN_PROGRESS, h.heartbeat(m.get(0).memberId(), 1));
    Answer<JoinGroupResponse> a = h.join(m.get(0).memberId(), null, "range");
    assertEquals(1, a.get().members().size());
  }

  @Test
  void aGroupWhoseMembersAllFallSilentIsEmpty() {
    h.stable(2);
    h.runFor(60_000);
    assertEquals(State.EMPTY, h.group().state());
    assertEquals(2, h.group().generation());
    GroupMetadataValue v = h.coordinator().committed().groups().get(GroupHarness.GROUP);
    assertEquals(0, v.members().size());
    assertEquals(2, v.generation());
    assertEquals("test", v.protocolType());
  }

  @Test
  void memberThatDoesNotUseItsIdIsForgotten() {
    String id = h.join("", null, "range").get().memberId();
    assertTrue(h.group().isPendingJoin(id));
    h.runFor(GroupHarness.SESSION_MS + 10);
    assertFalse(h.group().isPendingJoin(id));
    assertError(Errors.UNKNOWN_MEMBER_ID, h.join(id, null, "range").get().errorCode());
  }

  @Test
  void memberThatDoesNotSyncIsRemoved() {
    Answer<JoinGroupResponse> a = h.joinAnew("range");
    Answer<JoinGroupResponse> b = h.joinAnew("range");
    h.runFor(6_100);
    Answer<SyncGroupResponse> sa = h.sync(a.get(), Map.of());
    assertTrue(sa.isThere());
    for (int i = 0; i < 4; i++) {
      h.runFor(7_900);
      h.heartbeat(a.get().memberId(), 1);
      h.heartbeat(b.get().memberId(), 1);
    }
    assertFalse(h.group().has(b.get().memberId()));
    assertEquals(State.PREPARING_REBALANCE, h.group().state());
  }

  @Test
  void lastMemberThatLeavesEmptiesTheGroup() {
    JoinGroupResponse m = h.stable(1).get(0);
    h.log.commitsAtOnce = false;
    Answer<LeaveGroupResponse> left = h.leave(m.memberId(), null);
    assertFalse(left.isThere());
    h.commit();
    assertError(Errors.NONE, left.get().members().get(0).errorCode());
    assertEquals(State.EMPTY, h.group().state());
    assertError(
        Errors.UNKNOWN_MEMBER_ID, h.leave("other", null).get().members().get(0).errorCode());
  }

  @Test
  void protocolsMustFit() {
    JoinGroupResponse m = h.stable(1).get(0);
    assertError(Errors.INCONSISTENT_GROUP_PROTOCOL, h.join("", null, "sticky").get().errorCode());
    assertError(
        Errors.INCONSISTENT_GROUP_PROTOCOL,
        h.join(GroupHarness.joinRequest("", null, "range").protocolType("connect"))
            .get()
            .errorCode());
    assertError(
        Errors.INCONSISTENT_GROUP_PROTOCOL, h.join(m.memberId(), null, "sticky").get().errorCode());
  }

  @Test
  void protocolIsTheOneThatMostPreferAndAllKnow() {
    Answer<JoinGroupResponse> a = h.joinAnew("x", "y");
    h.joinAnew("y", "x");
    h.joinAnew("z", "y", "x");
    h.runFor(10_000);
    assertEquals("y", a.get().protocolName());
  }

  @Test
  void followerThatRejoinsUnchangedDisturbsNobody() {
    List<JoinGroupResponse> m = h.stable(2);
    JoinGroupResponse again = h.join(m.get(1).memberId(), null, "range").get();
    assertEquals(1, again.generationId());
    assertEquals(State.STABLE, h.group().state());
    assertFalse(h.join(m.get(1).memberId(), null, "range=new").isThere());
    assertEquals(State.PREPARING_REBALANCE, h.group().state());
  }

  @Test
  void leaderThatRejoinsStartsARebalance() {
    List<JoinGroupResponse> m = h.stable(2);
    assertFalse(h.join(m.get(0).memberId(), null, "range").isThere());
    assertEquals(State.PREPARING_REBALANCE, h.group().state());
    Answer<SyncGroupResponse> s = h.sync(m.get(1), Map.of());
    assertError(Errors.REBALANCE_IN_PROGRESS, s.get().errorCode());
  }

  @Test
  void anotherLeadsWhenTheLeaderIsNotThere() {
    List<JoinGroupResponse> m = h.stable(3);
    h.leave(m.get(0).memberId(), null);
    Answer<JoinGroupResponse> b = h.join(m.get(1).memberId(), null, "range");
    Answer<JoinGroupResponse> c = h.join(m.get(2).memberId(), null, "range");
    assertEquals(m.get(1).memberId(), c.get().leader());
    assertEquals(2, b.get().members().size());
  }

  @Test
  void maxSizeIsKept() {
    GroupHarness small = new GroupHarness(1, 2);
    small.stable(2);
    JoinGroupResponse r = small.join("", null, "range").get();
    assertError(Errors.GROUP_MAX_SIZE_REACHED, r.errorCode());
    assertEquals("", r.memberId());
  }

  @Test
  void syncIsChecked() {
    JoinGroupResponse m = h.stable(1).get(0);
    assertError(Errors.UNKNOWN_MEMBER_ID, h.sync("other", 1, Map.of()).get().errorCode());
    assertError(Errors.ILLEGAL_GENERATION, h.sync(m.memberId(), 2, Map.of()).get().errorCode());
    assertArrayEquals("a0".getBytes(), h.sync(m, Map.of()).get().assignment());
  }

  // ---- static members

  private Answer<JoinGroupResponse> joinStatic(String instance) {
    return h.join("", instance, "range");
  }

  @Test
  void staticMemberTakesItsPlaceAgainWithoutRebalance() {
    Answer<JoinGroupResponse> a = joinStatic("A");
    Answer<JoinGroupResponse> b = joinStatic("B");
    h.runFor(7_000);
    h.sync(b.get(), Map.of());
    h.sync(a.get(), Map.of(a.get().memberId(), "1", b.get().memberId(), "2"));
    JoinGroupResponse again = joinStatic("B").get();
    assertEquals(1, again.generationId());
    assertNotEquals(b.get().memberId(), again.memberId());
    assertEquals(State.STABLE, h.group().state());
    assertArrayEquals("2".getBytes(), h.sync(again, Map.of()).get().assignment());
    assertEquals(Errors.FENCED_INSTANCE_ID, h.heartbeat(b.get().memberId(), "B", 1));
    assertEquals(Errors.UNKNOWN_MEMBER_ID, h.heartbeat(b.get().memberId(), 1));
    assertEquals(Errors.NONE, h.heartbeat(again.memberId(), "B", 1));

    JoinGroupResponse leader = joinStatic("A").get();
    assertTrue(leader.skipAssignment());
    assertEquals(leader.memberId(), leader.leader());
    assertEquals(2, leader.members().size());
    h.joinVersion = 8;
    JoinGroupResponse old = joinStatic("A").get();
    assertFalse(old.skipAssignment());
    assertEquals(leader.memberId(), old.leader());
    assertNotEquals(old.memberId(), old.leader());
  }

  @Test
  void whoUsesTheOldIdOfAStaticMemberIsFenced() {
    Answer<JoinGroupResponse> a = joinStatic("A");
    Answer<JoinGroupResponse> second = joinStatic("A");
    assertError(Errors.FENCED_INSTANCE_ID, a.get().errorCode());
    h.runFor(7_000);
    assertError(Errors.NONE, second.get().errorCode());
    assertError(
        Errors.FENCED_INSTANCE_ID, h.join(a.get().memberId(), "A", "range").get().errorCode());
    assertError(
        Errors.UNKNOWN_MEMBER_ID, h.join(a.get().memberId(), "Z", "range").get().errorCode());
    LeaveGroupResponse left = h.leave("", "A").get();
    assertError(Errors.NONE, left.members().get(0).errorCode());
    assertEquals("A", left.members().get(0).groupInstanceId());
  }

  @Test
  void staticMemberWhoseNewIdCannotBeStoredKeepsTheOld() {
    Answer<JoinGroupResponse> a = joinStatic("A");
    h.runFor(7_000);
    h.sync(a.get(), Map.of(a.get().memberId(), "1"));
    h.log.refusal = Errors.NOT_ENOUGH_REPLICAS;
    assertError(Errors.COORDINATOR_NOT_AVAILABLE, joinStatic("A").get().errorCode());
    h.log.refusal = Errors.NONE;
    assertEquals(Errors.NONE, h.heartbeat(a.get().memberId(), "A", 1));
  }
}
