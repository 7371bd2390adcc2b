package dev.vitrine.compat;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.vitrine.compat.TruncationStage.Mode;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The two failures that KIP-101 brought leader epochs for: with truncation to the high watermark
 * each loses or forks what was acknowledged, with leader epochs neither does.
 *
 * <p>Then a restarted follower cut its log while it stayed in sync. Here a restarted broker leaves
 * the in-sync set, so in the first case a follower cuts because leadership moves twice.
 */
class Kip101Test {
  private static final int WRITTEN = 10;

  /**
   * Followers learn of the high watermark with their next fetch; this one waits at the leader,
   * longer than the staging takes. (Apache Kafka lets nobody into the in-sync set before that is
   * over, and loses nothing however short it is.)
   */
  private static final Map<String, String> LATE_HIGH_WATERMARK =
      Map.of(
          "replica.fetch.wait.max.ms", Target.isVitrine() ? "25000" : "2000",
          "replica.lag.time.max.ms", "60000",
          "broker.session.timeout.ms", "20000");

  @Test
  @Tag("smoke")
  void highWatermarkLosesWhatTheNextLeaderCut() throws Exception {
    assumeTrue(Target.isVitrine());
    moveLeadershipTwice(Mode.HIGH_WATERMARK);
  }

  @Test
  @Tag("smoke")
  void leaderEpochKeepsWhatTheNextLeaderHas() throws Exception {
    moveLeadershipTwice(Mode.LEADER_EPOCH);
  }

  @Test
  @Tag("full")
  void highWatermarkForksWhenBothFall() throws Exception {
    assumeTrue(Target.isVitrine());
    losePowerOnBoth(Mode.HIGH_WATERMARK);
  }

  @Test
  @Tag("full")
  void leaderEpochKeepsOneHistoryWhenBothFall() throws Exception {
    losePowerOnBoth(Mode.LEADER_EPOCH);
  }

  /**
   * Case 1: 1 leads, all three have all records, 2 and 3 don't know yet that the last is committed.
   * 2, which is silent, is elected: 3 turns to it, and cuts in the old way. 2 dies, 3 is elected.
   */
  private static void moveLeadershipTwice(Mode mode) throws Exception {
    try (TruncationStage stage =
        new TruncationStage("kip101-1", mode, List.of(2, 3, 1), LATE_HIGH_WATERMARK, Map.of())) {
      stage.cluster.stop(2);
      stage.awaitLeader(3, 1);
      stage.cluster.stop(3);
      stage.awaitLeader(1, 1);
      stage.cluster.start(2);
      stage.cluster.start(3);
      stage.cluster.awaitReady();
      stage.awaitInSync(3);

      String[] values = IntStream.range(0, WRITTEN).mapToObj(i -> "m" + i).toArray(String[]::new);
      stage.write(0, values);
      stage.cluster.pause(2);
      stage.electPreferred();
      stage.awaitLeader(2, 3);
      stage.awaitSaid(3, TruncationStage.PARTITION + " follows 2 ");
      stage.awaitLeader(2, 1);
      stage.awaitSaid(1, TruncationStage.PARTITION + " follows 2 ");
      stage.cluster.kill(2);
      stage.awaitLeader(3, 1);
      if (mode == Mode.HIGH_WATERMARK) {
        // 1 still has it, and gives it up for the new leader's sake.
        stage.awaitSaid(1, "truncated from offset %d to offset %d".formatted(WRITTEN, WRITTEN - 1));
        assertEquals(List.of(values).subList(0, WRITTEN - 1), stage.read());
        stage.write(WRITTEN - 1, "later");
        System.out.printf(
            "KIP-101, case 1: vitrine.truncation=high-watermark has lost %s: acknowledged by 3 of 3"
                + " replicas at offset %d, where 'later' is now%n",
            values[WRITTEN - 1], WRITTEN - 1);
      } else {
        assertEquals(List.of(values), stage.read());
        stage.write(WRITTEN, "later");
      }
      stage.cluster.start(2);
      stage.cluster.awaitReady();
      stage.awaitInSync(3);
      List<String> expected =
          mode == Mode.HIGH_WATERMARK
              ? with(List.of(values).subList(0, WRITTEN - 1), "later")
              : with(List.of(values), "later");
      assertEquals(Map.of(1, expected, 2, expected, 3, expected), stage.stopAndCompare(1, 2, 3));
    }
  }

  /**
   * Case 2: both replicas fall; 3 has not synced the last record and comes back first, without it.
   * Another takes its place. 2 comes back with the old one, below its own high watermark.
   */
  private static void losePowerOnBoth(Mode mode) throws Exception {
    try (TruncationStage stage =
        new TruncationStage(
            "kip101-2", mode, List.of(2, 3), Map.of(), Map.of("min.insync.replicas", "1"))) {
      stage.write(0, "m0", "m1");
      stage.awaitHighWatermarkOnDisk(2, 2);
      stage.cluster.kill(2);
      stage.awaitLeader(3, 1);
      stage.cluster.kill(3);
      stage.awaitLeader(-1, 1);
      stage.loseLastBatch(3);
      stage.cluster.start(3);
      stage.cluster.awaitReady();
      stage.awaitLeader(3, 1);
      stage.write(1, "m2");
      List<String> before = stage.read();
      assertEquals(List.of("m0", "m2"), before);

      stage.cluster.start(2);
      stage.cluster.awaitReady();
      stage.awaitInSync(2);
      stage.electPreferred();
      stage.awaitLeader(2, 1);
      List<String> after = stage.read();
      if (mode == Mode.HIGH_WATERMARK) {
        assertEquals(List.of("m0", "m1"), after);
        System.out.printf(
            "KIP-101, case 2: vitrine.truncation=high-watermark has two records at offset 1: %s"
                + " where node 3 leads, %s where node 2 does%n",
            before.get(1), after.get(1));
        assertEquals(
            Map.of(2, List.of("m0", "m1"), 3, List.of("m0", "m2")), stage.stopAndCompare(2, 3));
      } else {
        assertEquals(before, after);
        assertEquals(Map.of(2, before, 3, before), stage.stopAndCompare(2, 3));
      }
    }
  }

  private static List<String> with(List<String> values, String last) {
    return Stream.concat(values.stream(), Stream.of(last)).toList();
  }
}
