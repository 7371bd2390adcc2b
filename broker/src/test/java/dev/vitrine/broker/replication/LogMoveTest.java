package dev.vitrine.broker.replication;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.vitrine.protocol.Errors;
import dev.vitrine.sim.SimDisk;
import dev.vitrine.sim.SimWorld;
import dev.vitrine.storage.Log;
import dev.vitrine.storage.LogConfig;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Replicas move between directories while they are written to, and whatever happens meanwhile. */
class LogMoveTest {
  private static final String PADDING = "p".repeat(5_000);
  private static final LogConfig SMALL_SEGMENTS =
      LogConfig.builder().segmentBytes(40_000).fileDeleteDelayMs(1_000).build();

  private final SimWorld world = new SimWorld(1);
  private final MovingReplica replica = new MovingReplica(world, SMALL_SEGMENTS);

  private static void write(MovingReplica r, int n) {
    for (int i = 0; i < n; i++) {
      r.append("v" + r.written.size() + PADDING);
    }
  }

  private void assertMoved(int dir) {
    assertTrue(world.runUntil(() -> replica.isMoved(dir), 60_000), replica.folders(1).toString());
    assertEquals(replica.written, MovingReplica.values(replica.partition.log()));
    assertEquals(MovingReplica.DIR_IDS.get(dir), replica.assigned);
    assertEquals(MovingReplica.DIR_IDS.get(dir), replica.partition.directoryId());
  }

  @Test
  void aLogMovesAndTheOldOneGoes() {
    write(replica, 100);
    assertEquals(Errors.NONE, replica.moveTo(1));
    assertEquals(List.of("t-0.ID-future"), replica.folders(1));
    assertEquals(0, replica.dir());
    assertMoved(1);
    write(replica, 3);
    world.runFor(2_000);
    assertEquals(List.of(), replica.folders(0));
    assertEquals(List.of("t-0"), replica.folders(1));
    assertMoved(1);
  }

  @Test
  void itMovesWhileItIsWrittenTo() {
    write(replica, 100);
    replica.moveTo(1);
    for (int i = 0; i < 3_000 && !replica.isMoved(1); i++) {
      write(replica, 1);
      world.runFor(1);
    }
    assertMoved(1);
    assertTrue(replica.written.size() > 110);
  }

  @Test
  void whoFollowsMovesToo() {
    write(replica, 30);
    replica.shard.run(replica::follow);
    replica.moveTo(1);
    assertMoved(1);
  }

  @Test
  void whatIsTruncatedMeanwhileIsNotInTheNewLog() {
    write(replica, 100);
    replica.moveTo(1);
    world.runUntil(() -> replica.moves.future(MovingReplica.NAME).logEndOffset() > 80, 10_000);
    replica.shard.run(
        () -> {
          replica.follow();
          replica.partition.following().truncateTo(70);
          replica.lead();
        });
    replica.written.subList(70, 100).clear();
    for (int i = 0; i < 20; i++) {
      replica.append("instead " + i + PADDING);
    }
    assertMoved(1);
    assertEquals(90, replica.partition.logEndOffset());
  }

  @Test
  void theEpochsComeAlong() {
    write(replica, 10);
    replica.shard.run(replica::lead);
    write(replica, 10);
    replica.shard.run(replica::lead);
    Log before = replica.partition.log();
    replica.moveTo(1);
    assertMoved(1);
    Log after = replica.partition.log();
    assertFalse(before == after);
    for (int epoch = 0; epoch < 5; epoch++) {
      assertEquals(before.endOffsetForEpoch(epoch), after.endOffsetForEpoch(epoch));
    }
    assertEquals(3, after.latestEpoch());
  }

  @Test
  void deletedRecordsDoNotComeBack() {
    write(replica, 100);
    replica.moveTo(1);
    replica.shard.run(() -> replica.partition.deleteRecords(37, 0, o -> {}));
    assertTrue(world.runUntil(() -> replica.isMoved(1), 60_000));
    assertEquals(37, replica.partition.logStartOffset());
    assertEquals(replica.written.subList(37, 100), MovingReplica.values(replica.partition.log()));
  }

  @Test
  void whereItIsEndsAMove() {
    write(replica, 100);
    replica.moveTo(1);
    world.runFor(1);
    assertEquals(Errors.NONE, replica.moveTo(0));
    assertNull(replica.moves.future(MovingReplica.NAME));
    world.runFor(10_000);
    assertEquals(List.of(), replica.folders(1));
    assertEquals(0, replica.dir());
    assertEquals(MovingReplica.DIR_IDS.get(0), replica.assigned);
    assertEquals(Errors.NONE, replica.moveTo(1));
    assertMoved(1);
  }

  @Test
  void aMoveThatIsAskedForTwiceGoesOn() {
    write(replica, 100);
    replica.moveTo(1);
    Log future = replica.moves.future(MovingReplica.NAME);
    assertEquals(Errors.NONE, replica.moveTo(1));
    assertSame(future, replica.moves.future(MovingReplica.NAME));
  }

  @Test
  void theControllerHearsWhereItStaysWhenAMoveEndsLate() {
    write(replica, 1);
    replica.moveTo(1);
    world.runUntil(() -> replica.assigned.equals(MovingReplica.DIR_IDS.get(1)), 10_000);
    replica.moveTo(0);
    world.runFor(1_000);
    assertEquals(MovingReplica.DIR_IDS.get(0), replica.assigned);
    assertEquals(0, replica.dir());
    assertEquals(replica.written, MovingReplica.values(replica.partition.log()));
  }

  @Test
  void theThrottleHoldsItBack() {
    write(replica, 400);
    replica.quota.limit(100_000);
    replica.moveTo(1);
    world.runFor(3_000);
    long copied = replica.moves.future(MovingReplica.NAME).size();
    assertTrue(copied < 1_500_000, "" + copied);
    assertNotNull(replica.moves.future(MovingReplica.NAME));
    replica.quota.limit(Long.MAX_VALUE);
    assertMoved(1);
  }

  @Test
  void aDirectoryThatFailsEndsTheMoveAlone() {
    write(replica, 100);
    world.runFor(1_000);
    replica.disk.failSyncs(p -> p.startsWith("/b"));
    replica.moveTo(1);
    world.runFor(1_000);
    assertNotNull(replica.store.directories().get(1).failure());
    assertEquals(0, replica.dir());
    write(replica, 1);
    assertEquals(replica.written, MovingReplica.values(replica.partition.log()));
    assertEquals(Errors.KAFKA_STORAGE_ERROR, replica.moveTo(1));
  }

  @Test
  void whatIsNotHereYetIsMadeWhereItWasAskedFor() {
    SimWorld fresh = new SimWorld(2);
    MovingReplica r = new MovingReplica(fresh, SMALL_SEGMENTS);
    var name = new dev.vitrine.protocol.TopicPartition("later", 0);
    var id = new dev.vitrine.protocol.Uuid(9, 9);
    r.store.prefer(name, r.store.directories().get(0));
    r.shard.run(
        () -> r.store.open(name, id, dev.vitrine.protocol.Uuid.ZERO, SMALL_SEGMENTS, r.shard));
    assertTrue(r.folders(0).contains("later-0"), r.folders(0).toString());
  }

  /** The process or the power goes after each single thing that is done to the disk. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void nothingIsLostWheneverItEnds(boolean power) {
    int ended = 0;
    List<Integer> states = new ArrayList<>();
    for (int die = 1; die < 400 && ended < 3; die++) {
      SimWorld w = new SimWorld(die);
      MovingReplica r = new MovingReplica(w, SMALL_SEGMENTS);
      write(r, 12);
      long[] synced = new long[1];
      r.disk.dieAfter(die);
      boolean died = false;
      try {
        r.moveTo(1);
        for (int i = 0; i < 300; i++) {
          w.runFor(1);
          synced[0] = Math.max(synced[0], r.partition.log().recoveryPoint());
          if (i % 10 == 0 && r.written.size() < 18) {
            write(r, 1);
          }
          if (i % 7 == 0) {
            r.shard.run(() -> r.partition.log().writeBack());
          }
        }
      } catch (SimDisk.Death e) {
        died = true;
      }
      ended += died ? 0 : 1;
      synced[0] = Math.max(synced[0], r.partition.log().recoveryPoint());
      states.add(r.dir());
      r.shard.kill();
      if (power) {
        r.disk.crash(w.random());
      } else {
        r.disk.killProcess();
      }
      r.start();
      List<String> after = MovingReplica.values(r.partition.log());
      String what = "after " + die + ": " + r.folders(0) + " " + r.folders(1);
      long kept = power ? synced[0] : r.written.size();
      assertTrue(after.size() >= kept, what + ": " + after.size() + " of " + kept);
      assertEquals(r.written.subList(0, (int) kept), after.subList(0, (int) kept), what);
      r.written.clear();
      r.written.addAll(after);
      write(r, 1);
      if (r.moves.future(MovingReplica.NAME) == null && r.dir() == 0) {
        r.moveTo(1); // it had not begun
      }
      assertTrue(w.runUntil(() -> r.isMoved(1), 60_000), what);
      assertEquals(r.written, MovingReplica.values(r.partition.log()), what);
      w.runFor(5_000);
      assertEquals(List.of(), r.folders(0), what);
      assertEquals(List.of("t-0"), r.folders(1), what);
    }
    assertEquals(3, ended, "it never came to its end");
    assertTrue(states.contains(0) && states.contains(1));
  }
}
