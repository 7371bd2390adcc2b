package dev.vitrine.compat.chaos;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** All checks over one history. */
public final class Checker {
  static final List<Check> CHECKS =
      List.of(
          new LostWrites(),
          new DuplicateWrites(),
          new ReorderedWrites(),
          new DivergentValues(),
          new UncommittedReads(),
          new AbortedReads(),
          new InventedValues(),
          new PollsGoingBack(),
          new SkippedRecords(),
          new EndOffsetsGoingBack(),
          new TwoOwners(),
          new CommitsGoingBack(),
          new StaleCommits(),
          new LostCommits(),
          new UndeliveredRecords(),
          new LostTopics(),
          new DifferentReads(),
          new DivergentReplicas(),
          new StuckLiveness());

  /** Those that are about groups alone, where nodes are killed and do not fall silent. */
  public static final List<Check> OF_GROUPS =
      List.of(
          new TwoOwners(),
          new OverlappingOwners(),
          new CommitsGoingBack(),
          new StaleCommits(),
          new LostCommits(),
          new StuckLiveness());

  private Checker() {}

  /** What each check has found; every check is there. */
  static Map<Check, List<String>> check(RunHistory history) {
    return check(history, CHECKS);
  }

  /** The same with some of the checks. */
  public static Map<Check, List<String>> check(RunHistory history, List<Check> checks) {
    Map<Check, List<String>> all = new LinkedHashMap<>();
    for (Check check : checks) {
      List<String> found = new ArrayList<>();
      check.search(history, found::add);
      all.put(check, found);
    }
    return all;
  }
}
