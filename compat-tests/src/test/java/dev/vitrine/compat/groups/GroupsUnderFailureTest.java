package dev.vitrine.compat.groups;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.vitrine.compat.ClusterUnderTest;
import dev.vitrine.compat.LocalCluster;
import dev.vitrine.compat.Target;
import dev.vitrine.compat.chaos.Check;
import dev.vitrine.compat.chaos.Checker;
import dev.vitrine.compat.chaos.Event.CommitSent;
import dev.vitrine.compat.chaos.Event.CommitTold;
import dev.vitrine.compat.chaos.Event.Done;
import dev.vitrine.compat.chaos.Event.FaultEnded;
import dev.vitrine.compat.chaos.Event.Owned;
import dev.vitrine.compat.chaos.Event.Released;
import dev.vitrine.compat.chaos.Event.Run;
import dev.vitrine.compat.chaos.Recorder;
import dev.vitrine.compat.chaos.RunHistory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Twenty stock consumers in groups of both protocols, while the coordinators are killed in the
 * middle of joins, commits and rebalances, and members come, go and crash. Properties: {@code
 * groups.seconds}, how long nodes are killed; {@code groups.members}; {@code groups.kinds}, with
 * commas; {@code groups.seed}; {@code groups.history}, a file that is judged again.
 */
@Tag("smoke")
class GroupsUnderFailureTest {
  @Test
  @Timeout(7_200)
  void noPartitionHasTwoOwnersAndNoCommitIsLost() throws Exception {
    String old = System.getProperty("groups.history", "");
    if (!old.isEmpty()) {
      judge(RunHistory.read(Path.of(old)));
      return;
    }
    long seed = Long.getLong("groups.seed", new SplittableRandom().nextLong(1_000_000));
    Path file = Path.of("target", "groups", Target.chosen().name() + "-" + seed, "history");
    System.out.printf("groups: seed %d, history in %s%n", seed, file.toAbsolutePath());
    Throwable failure = null;
    RunHistory history;
    try (Recorder recorder = new Recorder(file)) {
      try {
        run(recorder, seed);
      } catch (Throwable e) {
        failure = e;
      }
      history = recorder.history();
    }
    try {
      judge(history);
    } catch (AssertionError e) {
      if (failure != null) {
        e.addSuppressed(failure);
      }
      throw e;
    }
    if (failure != null) {
      throw new AssertionError("seed " + seed, failure);
    }
  }

  private static void run(Recorder recorder, long seed) throws Exception {
    int seconds = Integer.getInteger("groups.seconds", 10);
    int members = Integer.getInteger("groups.members", 20);
    recorder.write(new Run(Target.chosen().name(), seed, seconds + " s, " + members + " members"));
    try (ClusterUnderTest cluster = LocalCluster.start("groups", 3, Kind.brokerConfig());
        GroupRun run = new GroupRun(recorder, cluster, new SplittableRandom(seed))) {
      run.start(Kind.chosen(), members);
      run.breakThings(seconds);
      run.recover();
    }
  }

  private static void judge(RunHistory history) {
    Map<Check, List<String>> anomalies = Checker.check(history, Checker.OF_GROUPS);
    List<String> found = new ArrayList<>();
    anomalies.forEach(
        (check, cases) ->
            cases.stream().limit(5).map(c -> check.anomaly() + ": " + c).forEach(found::add));
    long commits =
        history.all(Done.class).stream()
            .filter(done -> history.event(done.call()) instanceof CommitSent)
            .count();
    int kills = history.all(FaultEnded.class).size();
    System.out.printf(
        "groups: %s: %d coordinators killed, %d times owned, %d given up, %d commits acknowledged,"
            + " %d committed offsets asked for, %d anomalies; seed %d%n",
        history.all(Run.class).get(0).target(),
        kills,
        history.all(Owned.class).size(),
        history.all(Released.class).size(),
        commits,
        history.all(CommitTold.class).size(),
        anomalies.values().stream().mapToInt(List::size).sum(),
        history.all(Run.class).get(0).seed());
    assertEquals(List.of(), found);
    assertTrue(kills > 0, "no coordinator was killed");
    assertTrue(commits > 0, "nothing was committed");
  }
}
