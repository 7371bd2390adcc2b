package dev.vitrine.broker.group;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import dev.vitrine.broker.group.GroupHarness.Answer;
import dev.vitrine.protocol.Errors;
import dev.vitrine.protocol.TopicPartition;
import dev.vitrine.protocol.Uuid;
import dev.vitrine.protocol.message.JoinGroupResponse;
import dev.vitrine.protocol.message.OffsetFetchResponse.OffsetFetchResponseGroup;
import org.junit.jupiter.api.Test;

/** Offsets: committed, read, expired, lost with a leader and loaded by the next. */
class OffsetsTest {
  private static final long WEEK = 7 * 24 * 3_600_000L;

  private final GroupHarness h = new GroupHarness();

  @Test
  void consumersWithoutGroupCommitAndRead() {
    assertEquals(-1, h.fetchOffset());
    assertEquals(Errors.NONE, h.commitOffset("", -1, 5).get());
    assertEquals(5, h.fetchOffset());
    assertEquals("", h.group().protocolTypeOrEmpty());
  }

  @Test
  void onlyWhatIsCommittedIsTold() {
    h.commitOffset("", -1, 5);
    h.log.commitsAtOnce = false;
    Answer<Errors> second = h.commitOffset("", -1, 6);
    assertFalse(second.isThere());
    assertEquals(5, h.fetchOffset());
    Answer<OffsetFetchResponseGroup> stable = h.fetchOffsets(true);
    assertFalse(stable.isThere());
    h.commit();
    assertEquals(Errors.NONE, second.get());
    assertEquals(6, h.fetchOffset());
    assertEquals(6, stable.get().topics().get(0).partitions().get(0).committedOffset());
  }

  @Test
  void lateCommitIsAnErrorAndStillCounts() {
    h.log.commitsAtOnce = false;
    Answer<Errors> a = h.commitOffset("", -1, 6);
    h.runFor(5_100);
    assertEquals(Errors.COORDINATOR_NOT_AVAILABLE, a.get());
    assertEquals(-1, h.fetchOffset());
    h.commit();
    assertEquals(6, h.fetchOffset());
  }

  @Test
  void membersAreChecked() {
    assertEquals(Errors.GROUP_ID_NOT_FOUND, h.commitOffset("m", 1, 5).get());
    assertEquals(Errors.ILLEGAL_GENERATION, h.commitOffset("m", 1, 5, (short) 8).get());
    JoinGroupResponse m = h.stable(1).get(0);
    assertEquals(Errors.NONE, h.commitOffset(m.memberId(), 1, 5).get());
    assertEquals(Errors.ILLEGAL_GENERATION, h.commitOffset(m.memberId(), 2, 5).get());
    assertEquals(Errors.UNKNOWN_MEMBER_ID, h.commitOffset("other", 1, 5).get());
    assertEquals(Errors.UNKNOWN_MEMBER_ID, h.commitOffset("", -1, 5).get());
    h.joinAnew("range");
    assertEquals(Errors.NONE, h.commitOffset(m.memberId(), 1, 6).get());
    h.join(m.memberId(), null, "range");
    assertEquals(Errors.REBALANCE_IN_PROGRESS, h.commitOffset(m.memberId(), 2, 7).get());
  }

  @Test
  void leaderThatResignsAnswersAllWhoWait() {
    JoinGroupResponse m = h.stable(1).get(0);
    Answer<JoinGroupResponse> join = h.joinAnew("range");
    h.log.commitsAtOnce = false;
    Answer<Errors> commit = h.commitOffset(m.memberId(), 1, 5);
    h.resign();
    assertEquals(Errors.NOT_COORDINATOR, commit.get());
    assertEquals(Errors.NOT_COORDINATOR, Errors.forCode(join.get().errorCode()));
    assertEquals(Errors.NOT_COORDINATOR, h.heartbeat(m.memberId(), 1));
  }

  @Test
  void nextLeaderHasWhatWasCommitted() {
    JoinGroupResponse m = h.stable(2).get(0);
    h.commitOffset(m.memberId(), 1, 5);
    GroupImage before = h.coordinator().committed();
    h.log.commitsAtOnce = false;
    h.commitOffset(m.memberId(), 1, 6);
    h.log.loseUncommitted();
    h.lead(1);
    assertEquals(before, h.coordinator().committed());
    assertEquals(before, h.coordinator().tip());
    assertEquals(5, h.fetchOffset());
    assertEquals(Errors.NONE, h.heartbeat(m.memberId(), 1));
    assertEquals("Stable", h.group().stateName());
    assertEquals(2, h.group().size());
  }

  /** Its high watermark may be behind the one that its predecessor acknowledged by. */
  @Test
  void nextLeaderTellsNoOffsetBeforeItKnowsWhatIsCommitted() {
    h.commitOffset("", -1, 5);
    h.log.commitsAtOnce = false;
    h.commitOffset("", -1, 6);
    h.lead(1);
    Answer<OffsetFetchResponseGroup> answer = h.fetchOffsets(false);
    assertFalse(answer.isThere());
    h.commit();
    assertEquals(6, answer.get().topics().get(0).partitions().get(0).committedOffset());
    assertEquals(6, h.fetchOffset());
  }

  @Test
  void membersThatDoNotComeToTheNextLeaderAreRemoved() {
    h.stable(2);
    h.lead(1);
    h.runFor(60_000);
    assertEquals("Empty", h.group().stateName());
  }

  @Test
  void offsetsExpireWithTheirGroup() {
    JoinGroupResponse m = h.stable(1).get(0);
    h.commitOffset(m.memberId(), 1, 5);
    h.leave(m.memberId(), null);
    h.runFor(WEEK - 3_600_000);
    assertEquals(5, h.fetchOffset());
    h.runFor(2 * 3_600_000);
    assertEquals(-1, h.fetchOffset());
    assertNull(h.group());
    h.lead(1);
    assertNull(h.group());
  }

  @Test
  void offsetsOfDeletedTopicsGo() {
    h.commitOffset("", -1, 5);
    h.shard.run(() -> h.coordinators.topicDeleted("t", new Uuid(8, 8)));
    h.runFor(10);
    assertEquals(5, h.fetchOffset());
    h.shard.run(() -> h.coordinators.topicDeleted("t", GroupHarness.TOPIC_ID));
    h.runFor(10);
    assertEquals(-1, h.fetchOffset());
  }

  @Test
  void transactionsCountWhenTheyCommit() {
    CommittedOffset o = new CommittedOffset(9, -1, "", 1, -1, Uuid.ZERO);
    TopicPartition p = new TopicPartition("t", 0);
    GroupImage open = GroupImage.EMPTY.withOpen(4, GroupRecords.offset("g", p, o));
    assertNull(open.offset("g", p));
    assertEquals(true, open.isUnstable("g", p));
    assertEquals(GroupImage.EMPTY, open.withEnd(4, false));
    assertNotNull(open.withEnd(4, true).offset("g", p));
  }
}
