package dev.vitrine.compat;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.vitrine.compat.TruncationStage.Mode;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * KIP-279: two replicas lead in turn, each without the other, in leader epochs of which the other
 * knows nothing. To find where their histories part, it is not enough that the leader says where
 * the follower's last epoch ends: it has no such epoch, and names an older one that ends later than
 * the follower's whole log. The follower must look for the end of that one in its own log.
 */
@Tag("full")
class Kip279Test {
  @Test
  void highWatermarkForksWhenLeadersTakeTurns() throws Exception {
    assumeTrue(Target.isVitrine());
    takeTurns(Mode.HIGH_WATERMARK);
  }

  @Test
  void leaderEpochKeepsOneHistoryWhenLeadersTakeTurns() throws Exception {
    takeTurns(Mode.LEADER_EPOCH);
  }

  /** Unclean elections are allowed: the loss is the user's wish, two histories are not. */
  private static void takeTurns(Mode mode) throws Exception {
    try (TruncationStage stage =
        new TruncationStage(
            "kip279",
            mode,
            List.of(2, 3),
            Map.of(),
            Map.of("min.insync.replicas", "1", "unclean.leader.election.enable", "true"))) {
      stage.write(0, "both0", "both1");
      stage.cluster.kill(3);
      stage.awaitInSync(1);
      stage.write(2, "two2", "two3", "two4");

      turn(stage, 2, 3);
      stage.write(2, "three2");
      stage.awaitHighWatermarkOnDisk(3, 3);

      turn(stage, 3, 2);
      stage.write(5, "two5");

      stage.cluster.start(3);
      stage.cluster.awaitReady();
      stage.awaitInSync(2);
      List<String> ofTwo = List.of("both0", "both1", "two2", "two3", "two4", "two5");
      assertEquals(ofTwo, stage.read());
      Map<Integer, List<String>> logs = stage.stopAndCompare(2, 3);
      if (mode == Mode.HIGH_WATERMARK) {
        List<String> forked = List.of("both0", "both1", "three2", "two3", "two4", "two5");
        assertEquals(Map.of(2, ofTwo, 3, forked), logs);
        System.out.printf(
            "KIP-279: vitrine.truncation=high-watermark has two records at offset 2: %s on node 2,"
                + " %s on node 3%n",
            logs.get(2).get(2), logs.get(3).get(2));
      } else {
        assertEquals(Map.of(2, ofTwo, 3, ofTwo), logs);
      }
    }
  }

  /** The leader falls, then the other comes back and leads without it. */
  private static void turn(TruncationStage stage, int from, int to) throws Exception {
    stage.cluster.kill(from);
    stage.awaitLeader(-1, 1);
    stage.cluster.start(to);
    stage.cluster.awaitReady();
    stage.awaitLeader(to, 1);
  }
}
