package dev.vitrine.broker.partition;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.vitrine.protocol.Errors;
import dev.vitrine.sim.SimWorld;
import dev.vitrine.storage.EpochEnd;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** One replica as leader and follower, on simulated time and disk. */
class PartitionTest {
  private static final long PATIENCE_MS = 1_000;
  private final SimWorld world = new SimWorld(1);
  private final Replica one = new Replica(world, 1, 2);

  private Errors outcome(int i) {
    return one.outcomes.get(i).error();
  }

  // ---- the high watermark and the in-sync set

  @Test
  void recordsAreCommittedOnceAllInSyncHaveThem() {
    one.lead(1, 0, 0, List.of(1, 2, 3));
    one.append(-1, PATIENCE_MS, "a", "b");
    assertEquals(0, one.partition.highWatermark());
    one.fetchAs(2, 2);
    assertEquals(0, one.partition.highWatermark());
    assertTrue(one.outcomes.isEmpty());
    one.fetchAs(3, 1);
    assertEquals(1, one.partition.highWatermark());
    one.fetchAs(3, 2);
    assertEquals(2, one.partition.highWatermark());
    assertEquals(Errors.NONE, outcome(0));
  }

  @Test
  void acksOfOneWaitForNobody() {
    one.lead(1, 0, 0, List.of(1, 2, 3));
    one.append(1, PATIENCE_MS, "a");
    assertEquals(Errors.NONE, outcome(0));
    assertEquals(0, one.outcomes.get(0).baseOffset());
    assertEquals(0, one.partition.highWatermark());
  }

  @Test
  void appendThatIsNotCommittedInTimeIsToldSo() {
    one.lead(1, 0, 0, List.of(1, 2, 3));
    one.append(-1, 100, "a");
    one.append(-1, 10_000, "b");
    world.runFor(200);
    assertEquals(1, one.outcomes.size());
    assertEquals(Errors.REQUEST_TIMED_OUT, outcome(0));
    one.fetchAs(2, 2);
    one.fetchAs(3, 2);
    assertEquals(Errors.NONE, outcome(1));
    assertEquals(2, one.partition.highWatermark());
  }

  @Test
  void tooFewInSyncRefuseAcksOfAll() {
    one.lead(1, 0, 0, List.of(1));
    one.append(-1, PATIENCE_MS, "a");
    assertEquals(Errors.NOT_ENOUGH_REPLICAS, outcome(0));
    assertEquals(0, one.partition.logEndOffset());
    one.append(1, PATIENCE_MS, "a");
    assertEquals(Errors.NONE, outcome(1));
    assertEquals(0, one.partition.highWatermark(), "nothing is committed by too few");
  }

  @Test
  void committedOnTooFewIsToldAfterTheAppend() {
    one.lead(1, 0, 0, List.of(1, 2));
    one.append(-1, 60_000, "a");
    world.runFor(Replica.MAX_LAG_MS + 1);
    one.partition.checkLaggards();
    assertEquals(List.of(1), one.proposedIsr());
    one.fetchAs(2, 1); // committed, as far as anybody knows
    one.accept();
    assertEquals(Errors.NONE, outcome(0));
    assertEquals(1, one.partition.highWatermark());
  }

  @Test
  void highWatermarkStandsStillBelowMinInSync() {
    one.lead(1, 0, 0, List.of(1, 2, 3));
    one.append(-1, 60_000, "a");
    world.runFor(Replica.MAX_LAG_MS + 1);
    one.partition.checkLaggards();
    assertEquals(List.of(1), one.proposedIsr());
    assertEquals(0, one.partition.highWatermark(), "those that leave count until they have left");
    one.accept();
    assertEquals(0, one.partition.highWatermark());
    assertTrue(one.outcomes.isEmpty());
  }

  @Test
  void laggardsLeaveAndComeBack() {
    one.lead(1, 0, 0, List.of(1, 2, 3));
    one.append(-1, 60_000, "a");
    for (int i = 0; i < 3; i++) {
      world.runFor(Replica.MAX_LAG_MS / 2);
      one.fetchAs(2, 1);
      one.partition.checkLaggards();
    }
    assertEquals(List.of(1, 2), one.proposedIsr());
    one.accept();
    assertEquals(1, one.partition.highWatermark());
    assertEquals(Errors.NONE, outcome(0));
    one.fetchAs(3, 0);
    assertNull(one.proposed, "it lacks what is committed");
    one.fetchAs(3, 1);
    assertEquals(List.of(1, 2, 3), one.proposedIsr());
    assertEquals(103, one.proposed.isr().get(2).brokerEpoch());
    one.append(-1, 60_000, "b");
    one.fetchAs(2, 2);
    assertEquals(1, one.partition.highWatermark(), "the newcomer counts before it is in");
    one.accept();
    one.fetchAs(3, 2);
    assertEquals(2, one.partition.highWatermark());
  }

  @Test
  void fencedBrokersAreNotLetIn() {
    one.lead(1, 0, 0, List.of(1, 2));
    one.fenced.add(3);
    one.fetchAs(3, 0);
    assertNull(one.proposed);
    one.fenced.clear();
    one.fetchAs(3, 0);
    assertEquals(List.of(1, 2, 3), one.proposedIsr());
    one.refuse(Errors.INELIGIBLE_REPLICA);
    one.append(-1, 60_000, "a");
    one.fetchAs(2, 1);
    assertEquals(
        0, one.partition.highWatermark(), "3 is caught up, and may have been let in by another");
    one.fenced.add(3);
    one.fetchAs(2, 1);
    assertEquals(1, one.partition.highWatermark());
  }

  @Test
  void followerThatIsUnfencedIsLetInWithoutAnotherFetch() {
    one.lead(1, 0, 0, List.of(1, 2));
    one.fenced.add(3);
    one.partition.brokerChanged(3);
    assertNull(one.proposed, "it has not fetched yet");
    one.fetchAs(3, 0);
    assertNull(one.proposed);
    one.fenced.clear();
    one.partition.brokerChanged(2);
    assertNull(one.proposed);
    one.partition.brokerChanged(3);
    assertEquals(List.of(1, 2, 3), one.proposedIsr());
  }

  @Test
  void newLeaderWaitsForItsOwnStart() {
    one.lead(2, 0, 0, List.of(1, 2, 3));
    one.partition.following().append(Replica.batch("a", "b"), 1, 0);
    assertEquals(1, one.partition.highWatermark());
    one.lead(1, 1, 1, List.of(1, 3));
    assertEquals(
        Errors.OFFSET_NOT_AVAILABLE,
        one.partition.lookUp(1, true, ReadLimit.HIGH_WATERMARK, -1).error());
    assertEquals(2, one.partition.lookUp(1, true, ReadLimit.LOG_END, -1).offset());
    assertEquals(0, one.partition.lookUp(1, true, ReadLimit.HIGH_WATERMARK, -2).offset());
    one.fetchAs(2, 1);
    assertNull(one.proposed, "it lacks what was there before this leadership");
    one.fetchAs(3, 2);
    assertEquals(2, one.partition.lookUp(1, true, ReadLimit.HIGH_WATERMARK, -1).offset());
  }

  @Test
  void followerFarBehindDoesNotHoldBackTheHighWatermark() {
    one.lead(1, 0, 0, List.of(1, 3));
    one.append(-1, PATIENCE_MS, "a", "b", "c");
    one.fetchAs(3, 3);
    one.append(-1, PATIENCE_MS, "d");
    one.fetchAs(2, 0); // its first fetch: it has been caught up at no time
    one.fetchAs(3, 4);
    assertEquals(4, one.partition.highWatermark());
    assertEquals(Errors.NONE, outcome(1));
  }

  // ---- who may read and write

  @Test
  void followersRefuseAndNameTheLeader() {
    one.lead(2, 4, 0, List.of(1, 2, 3));
    one.append(-1, PATIENCE_MS, "a");
    assertEquals(Errors.NOT_LEADER_OR_FOLLOWER, outcome(0));
    ReadOutcome o = one.fetchAs(-1, 0);
    assertEquals(Errors.NOT_LEADER_OR_FOLLOWER, o.error());
    assertEquals(new ReadOutcome.LeaderAndEpoch(2, 4), o.currentLeader());
  }

  @Test
  void leaderEpochsAreComparedFirst() {
    one.lead(1, 4, 0, List.of(1, 2, 3));
    assertEquals(Errors.FENCED_LEADER_EPOCH, one.read(-1, 0, 3, -1).error());
    assertEquals(Errors.UNKNOWN_LEADER_EPOCH, one.read(-1, 0, 5, -1).error());
    assertEquals(Errors.NONE, one.read(-1, 0, 4, -1).error());
    assertEquals(
        Errors.FENCED_LEADER_EPOCH, one.partition.lookUp(3, true, ReadLimit.LOG_END, -1).error());
    assertEquals(Errors.FENCED_LEADER_EPOCH, one.partition.endOffsetForEpoch(3, 0).error());
    one.lead(2, 5, 1, List.of(1, 2, 3));
    assertEquals(Errors.FENCED_LEADER_EPOCH, one.read(-1, 0, 4, -1).error());
    assertEquals(Errors.NOT_LEADER_OR_FOLLOWER, one.read(-1, 0, 5, -1).error());
  }

  @Test
  void strangersAreNoFollowers() {
    one.lead(1, 4, 0, List.of(1, 2, 3));
    assertEquals(Errors.UNKNOWN_LEADER_EPOCH, one.read(9, 0, 4, -1).error());
    assertEquals(Errors.NOT_LEADER_OR_FOLLOWER, one.read(9, 0, -1, -1).error());
  }

  @Test
  void lostLeadershipFailsWhatWaits() {
    one.lead(1, 0, 0, List.of(1, 2, 3));
    one.append(-1, 60_000, "a");
    List<String> woken = new ArrayList<>();
    one.partition.await(ReadLimit.HIGH_WATERMARK, 0, () -> woken.add("consumer"));
    one.partition.await(ReadLimit.LOG_END, 1, () -> woken.add("follower"));
    one.lead(2, 1, 1, List.of(2, 3));
    assertEquals(Errors.NOT_LEADER_OR_FOLLOWER, outcome(0));
    assertEquals(List.of("consumer", "follower"), woken);
    world.runFor(120_000);
    assertEquals(1, one.outcomes.size());
  }

  @Test
  void olderNewsChangesNothing() {
    one.lead(1, 3, 7, List.of(1, 2, 3));
    one.lead(2, 2, 6, List.of(2));
    assertTrue(one.partition.isLeader());
    assertEquals(3, one.partition.leaderEpoch());
  }

  @Test
  void answerThatComesBeforeTheRecordIsNotUndoneByIt() {
    one.lead(1, 0, 0, List.of(1, 2));
    one.fetchAs(3, 0);
    one.accept();
    one.lead(1, 0, 1, List.of(1, 2, 3));
    one.append(-1, PATIENCE_MS, "a");
    one.fetchAs(2, 1);
    assertEquals(0, one.partition.highWatermark(), "3 is in sync by now");
    one.fetchAs(3, 1);
    assertEquals(1, one.partition.highWatermark());
  }

  @Test
  void closedPartitionServesNobody() {
    one.lead(1, 0, 0, List.of(1, 2, 3));
    one.append(-1, PATIENCE_MS, "a");
    one.partition.close();
    assertEquals(Errors.NOT_LEADER_OR_FOLLOWER, outcome(0));
    assertEquals(Errors.NOT_LEADER_OR_FOLLOWER, one.fetchAs(-1, 0).error());
    boolean[] woken = {false};
    one.partition.await(ReadLimit.LOG_END, 99, () -> woken[0] = true);
    assertTrue(woken[0]);
  }

  @Test
  void waitersAreWokenByWhatTheyMaySee() {
    one.lead(1, 0, 0, List.of(1, 2, 3));
    List<String> woken = new ArrayList<>();
    Runnable consumer = () -> woken.add("consumer");
    one.partition.await(ReadLimit.HIGH_WATERMARK, 0, consumer);
    one.partition.await(ReadLimit.LOG_END, 0, () -> woken.add("follower"));
    Runnable gone = () -> woken.add("gone");
    one.partition.await(ReadLimit.LOG_END, 0, gone);
    one.partition.forget(gone);
    one.append(1, PATIENCE_MS, "a");
    assertEquals(List.of("follower"), woken);
    one.fetchAs(2, 1);
    one.fetchAs(3, 1);
    assertEquals(List.of("follower", "consumer"), woken);
  }

  // ---- truncation

  private void write(Replica r, int epoch, int... sizes) {
    r.lead(r == one ? 1 : 2, epoch, epoch, List.of(1, 2, 3));
    for (int size : sizes) {
      String[] values = new String[size];
      java.util.Arrays.fill(values, "e" + epoch);
      r.append(1, PATIENCE_MS, values);
    }
  }

  @Test
  void unacknowledgedTailOfAnOldLeaderIsCut() {
    Replica two = new Replica(world, 2, 2);
    write(one, 0, 3);
    two.lead(1, 0, 0, List.of(1, 2, 3));
    two.follow(one, 2);
    one.append(1, PATIENCE_MS, "lost", "lost");
    write(two, 1, 1);
    one.lead(2, 1, 1, List.of(1, 2, 3));
    assertEquals(5, one.partition.logEndOffset());
    one.follow(two, 1);
    assertEquals(4, one.partition.logEndOffset());
    assertEquals(1, one.partition.latestEpoch());
    assertEquals(new EpochEnd(0, 3), one.log.endOffsetForEpoch(0));
  }

  @Test
  void emptyReignOfALeaderDoesNotMatter() {
    Replica two = new Replica(world, 2, 2);
    write(one, 0, 2);
    two.lead(1, 0, 0, List.of(1, 2, 3));
    two.follow(one, 2);
    write(one, 3); // led, wrote nothing
    write(two, 4, 1);
    one.lead(2, 4, 4, List.of(1, 2, 3));
    one.follow(two, 1);
    assertEquals(3, one.partition.logEndOffset());
    assertEquals(4, one.partition.latestEpoch());
  }

  @Test
  void historiesThatCrossTakeSeveralRounds() {
    // KIP-279: epochs that one side does not know at all.
    Replica two = new Replica(world, 2, 2);
    write(one, 0, 2);
    two.lead(1, 0, 0, List.of(1, 2, 3));
    two.follow(one, 2);
    write(one, 1, 3);
    write(one, 3, 3);
    write(two, 2, 2);
    write(two, 4, 1);
    one.lead(2, 4, 4, List.of(1, 2, 3));
    int rounds = one.follow(two, 1);
    assertTrue(rounds > 2, "rounds " + rounds);
    assertEquals(two.partition.logEndOffset(), one.partition.logEndOffset());
    for (int epoch = 0; epoch <= 4; epoch++) {
      assertEquals(two.log.endOffsetForEpoch(epoch), one.log.endOffsetForEpoch(epoch));
    }
    for (long offset = 0; offset < 5; offset++) {
      assertEquals(two.log.epochAt(offset), one.log.epochAt(offset));
    }
  }

  @Test
  void truncationToTheHighWatermarkTakesWhatIsAboveItAlone() {
    one.lead(2, 0, 0, List.of(1, 2, 3));
    one.partition.following().append(Replica.batch("a"), 0, 0);
    one.partition.following().append(Replica.batch("b").setLong(0, 1), 1, 0);
    one.partition.following().truncateToHighWatermark();
    assertEquals(1, one.partition.logEndOffset());
    assertEquals(1, one.partition.highWatermark());
    one.partition.following().truncateToHighWatermark();
    assertEquals(1, one.partition.logEndOffset());
  }

  @Test
  void highWatermarkOfAFollowerIsWithinItsLog() {
    one.lead(2, 0, 0, List.of(1, 2, 3));
    one.partition.following().append(Replica.batch("a", "b"), 7, 0);
    assertEquals(2, one.partition.highWatermark());
    one.partition.following().truncateTo(1);
    assertEquals(0, one.partition.logEndOffset(), "a batch goes as a whole");
    assertEquals(0, one.partition.highWatermark());
    one.partition.following().truncateFullyAndStartAt(40);
    assertEquals(40, one.partition.highWatermark());
    assertEquals(40, one.partition.logStartOffset());
    assertFalse(one.partition.isLeader());
    assertTrue(one.partition.following().isOf(0));
    assertFalse(one.partition.following().isOf(1));
  }
}
