package dev.vitrine.broker.group.assignor;

import dev.vitrine.protocol.Uuid;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Turns how many partitions each member is to have into which. A member that is to have fewer than
 * it had keeps as many as it may, the same share of each topic and of it the first partitions; what
 * is free then goes in ranges to those that are to have more, again the same share of each topic.
 */
final class HandOut {
  private HandOut() {}

  static Map<String, Map<Uuid, Set<Integer>>> of(Subscriptions s) {
    List<Map<Uuid, Set<Integer>>> byIndex =
        Arrays.stream(s.members).<Map<Uuid, Set<Integer>>>map(m -> new TreeMap<>()).toList();
    for (TopicClass c : s.classes) {
      takeAway(c);
      give(c);
      for (int t = 0; t < c.topics.length; t++) {
        for (int p = 0; p < c.owners[t].length; p++) {
          byIndex.get(c.owners[t][p]).computeIfAbsent(c.topics[t], x -> new TreeSet<>()).add(p);
        }
      }
    }
    Map<String, Map<Uuid, Set<Integer>>> result = new TreeMap<>();
    for (int m = 0; m < s.members.length; m++) {
      result.put(s.members[m], byIndex.get(m));
    }
    return result;
  }

  /** Makes partitions of those free that have more than they are to have. */
  private static void takeAway(TopicClass c) {
    int[] seen = new int[c.subscribers.length]; // of what each had, in all topics so far
    int[] kept = new int[c.subscribers.length];
    for (int[] owners : c.owners) {
      int[] inTopic = new int[c.subscribers.length];
      for (int owner : owners) {
        if (owner >= 0) {
          inTopic[Arrays.binarySearch(c.subscribers, owner)]++;
        }
      }
      int[] left = new int[c.subscribers.length];
      for (int i = 0; i < left.length; i++) {
        if (inTopic[i] > 0) {
          seen[i] += inTopic[i];
          left[i] = share(Math.min(c.has[i], c.had[i]), seen[i], c.had[i]) - kept[i];
          kept[i] += left[i];
        }
      }
      for (int p = 0; p < owners.length; p++) {
        if (owners[p] >= 0 && left[Arrays.binarySearch(c.subscribers, owners[p])]-- <= 0) {
          owners[p] = -1;
        }
      }
    }
  }

  private static void give(TopicClass c) {
    int[] wanted = new int[c.subscribers.length];
    int allWanted = 0;
    for (int i = 0; i < wanted.length; i++) {
      wanted[i] = Math.max(0, c.has[i] - c.had[i]);
      allWanted += wanted[i];
    }
    for (int[] owners : c.owners) {
      int[] free = free(owners);
      int given = 0;
      int seen = 0;
      for (int i = 0; i < wanted.length && given < free.length; i++) {
        seen += wanted[i];
        int end = share(free.length, seen, allWanted);
        wanted[i] -= end - given;
        for (; given < end; given++) {
          owners[free[given]] = c.subscribers[i];
        }
      }
      allWanted -= free.length;
    }
  }

  private static int[] free(int[] owners) {
    int[] free = new int[owners.length];
    int n = 0;
    for (int p = 0; p < owners.length; p++) {
      if (owners[p] < 0) {
        free[n++] = p;
      }
    }
    return Arrays.copyOf(free, n);
  }

  /** So much of an amount as a part is of a whole, rounded down. */
  private static int share(int amount, int part, int whole) {
    return whole == 0 ? 0 : (int) ((long) amount * part / whole);
  }
}
