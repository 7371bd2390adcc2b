package dev.vitrine.compat.cli;

import java.util.ArrayList;
import java.util.List;

/**
 * A line that one side printed and the other did not. A value.
 *
 * @param where script, line, and command
 * @param side the name of who printed it
 */
record Difference(String script, String where, String side, String line) {

  static String where(Script script, Step step) {
    return script.name() + ":" + step.line() + " " + String.join(" ", step.words());
  }

  /** The lines that are not in the longest common subsequence of both. */
  static List<Difference> between(
      Script script, Step step, List<String> kafka, List<String> vitrine) {
    int[][] common = new int[kafka.size() + 1][vitrine.size() + 1];
    for (int i = kafka.size() - 1; i >= 0; i--) {
      for (int j = vitrine.size() - 1; j >= 0; j--) {
        common[i][j] =
            kafka.get(i).equals(vitrine.get(j))
                ? common[i + 1][j + 1] + 1
                : Math.max(common[i + 1][j], common[i][j + 1]);
      }
    }
    String where = where(script, step);
    List<Difference> differences = new ArrayList<>();
    int i = 0;
    int j = 0;
    while (i < kafka.size() || j < vitrine.size()) {
      if (i < kafka.size() && j < vitrine.size() && kafka.get(i).equals(vitrine.get(j))) {
        i++;
        j++;
      } else if (j == vitrine.size() || i < kafka.size() && common[i + 1][j] >= common[i][j + 1]) {
        differences.add(new Difference(script.name(), where, "kafka", kafka.get(i++)));
      } else {
        differences.add(new Difference(script.name(), where, "vitrine", vitrine.get(j++)));
      }
    }
    return differences;
  }
}
