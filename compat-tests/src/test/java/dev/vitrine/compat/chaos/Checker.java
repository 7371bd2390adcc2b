package dev.vitrine.compat.chaos;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** All checks over one history. */
final class Checker {
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
          new CommitsGoingBack(),
          new StaleCommits(),
          new LostCommits(),
          new UndeliveredRecords(),
          new LostTopics(),
          new DifferentReads(),
          new DivergentReplicas(),
          new StuckLiveness());

  private Checker() {}

  /** What each check has found; every check is there. */
  static Map<Check, List<String>> check(RunHistory history) {
    Map<Check, List<String>> all = new LinkedHashMap<>();
    for (Check check : CHECKS) {
      List<String> found = new ArrayList<>();
      check.search(history, found::add);
      all.put(check, found);
    }
    return all;
  }
}
