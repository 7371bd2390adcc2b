package dev.vitrine.compat.differential;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Which id of ours is which of Kafka's, one to one, as found in the answers so far. */
final class Pairs {
  private static final int SHORTEST_IN_TEXT = 4;
  private final Map<String, String> toKafkas = new HashMap<>();
  private final Map<String, String> toOurs = new HashMap<>();
  private final Map<String, String> whole = new HashMap<>();
  private final List<String[]> longestFirst = new ArrayList<>();

  /** Whether they can be the same, after which they are. */
  boolean same(String space, String ours, String kafkas) {
    String left = space + ' ' + ours;
    String right = space + ' ' + kafkas;
    if (!toKafkas.containsKey(left) && !toOurs.containsKey(right)) {
      toKafkas.put(left, right);
      toOurs.put(right, left);
      if (ours.length() >= SHORTEST_IN_TEXT) {
        whole.put(ours, kafkas);
        longestFirst.add(new String[] {ours, kafkas});
        longestFirst.sort(Comparator.comparingInt(p -> -p[0].length()));
      }
    }
    return right.equals(toKafkas.get(left));
  }

  /** Kafka's id, if this is one of ours. */
  String translateWhole(String text) {
    return whole.getOrDefault(text, text);
  }

  /** Our text with Kafka's ids in the places of ours. */
  String translate(String text) {
    String translated = text;
    for (String[] pair : longestFirst) {
      translated = translated.replace(pair[0], pair[1]);
    }
    return translated;
  }
}
