package dev.vitrine.broker.group.assignor;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.List;

/**
 * Levels what no single move can: A is to give to C, but they have no topic in common, so A gives a
 * partition to B of a topic that both want, and B another to C. One assignment's work.
 *
 * <p>A search from the member with the most finds the chain that takes the fewest partitions from
 * members that could have kept them. If it reaches nobody who has at least two less, all that it
 * has reached are as level as they can be, and nothing that is theirs could go to anybody else:
 * they are done with. So there is one search for each chain and at most one more for each member.
 */
final class Chains {
  private static final int UNREACHED = Integer.MAX_VALUE;

  private final List<TopicClass> classes;
  private final int[] loads;

  /** By member: its classes, and its place in each of them. */
  private final int[][] classesOf;

  private final int[][] placesOf;

  private final boolean[] done;

  // ---- of the search that is under way: members first, then classes

  private final int members;

  /** How many partitions a chain to here moves that could stay. */
  private final int[] cost;

  private final boolean[] settled;

  /** Of a class, the member that gives; of a member, the class of what it is given. */
  private final int[] from;

  Chains(List<TopicClass> classes, Wishes wishes, int[] loads) {
    this.classes = classes;
    this.loads = loads;
    this.members = loads.length;
    this.done = new boolean[members];
    this.cost = new int[members + classes.size()];
    this.settled = new boolean[cost.length];
    this.from = new int[cost.length];
    this.classesOf = wishes.classes();
    this.placesOf = wishes.places();
  }

  void improve() {
    for (int source = highest(); source >= 0; source = highest()) {
      int sink = search(source);
      if (sink >= 0) {
        shift(source, sink);
      } else {
        for (int m = 0; m < members; m++) {
          done[m] |= settled[m];
        }
      }
    }
  }

  /** The member with the most that is not done with; -1 if all are. */
  private int highest() {
    int best = -1;
    for (int m = 0; m < members; m++) {
      if (!done[m] && (best < 0 || loads[m] > loads[best])) {
        best = m;
      }
    }
    return best;
  }

  /** Who is to have one more so that the source has one less; -1 if there is nobody. */
  private int search(int source) {
    Arrays.fill(cost, UNREACHED);
    Arrays.fill(settled, false);
    ArrayDeque<Integer> next = new ArrayDeque<>();
    cost[source] = 0;
    next.add(source);
    while (!next.isEmpty()) {
      int node = next.poll();
      if (settled[node]) {
        continue;
      }
      settled[node] = true;
      if (node >= members) {
        spread(node, next);
      } else if (loads[node] <= loads[source] - 2) {
        return node;
      } else {
        give(node, next);
      }
    }
    return -1;
  }

  /** This member may give of each class of which it has something. */
  private void give(int m, ArrayDeque<Integer> next) {
    for (int i = 0; i < classesOf[m].length; i++) {
      TopicClass c = classes.get(classesOf[m][i]);
      int place = placesOf[m][i];
      if (c.has[place] > 0) {
        boolean sticky = c.isSticky(place);
        int node = members + classesOf[m][i];
        if (cost[m] + (sticky ? 1 : 0) < cost[node]) {
          cost[node] = cost[m] + (sticky ? 1 : 0);
          from[node] = m;
          if (sticky) {
            next.addLast(node);
          } else {
            next.addFirst(node);
          }
        }
      }
    }
  }

  /** What is given of this class may go to each of its subscribers. */
  private void spread(int node, ArrayDeque<Integer> next) {
    for (int m : classes.get(node - members).subscribers) {
      if (!done[m] && cost[node] < cost[m]) {
        cost[m] = cost[node];
        from[m] = node;
        next.addFirst(m);
      }
    }
  }

  private void shift(int source, int sink) {
    loads[source]--;
    loads[sink]++;
    for (int m = sink; m != source; ) {
      int node = from[m];
      int giver = from[node];
      TopicClass c = classes.get(node - members);
      c.has[Arrays.binarySearch(c.subscribers, m)]++;
      c.has[Arrays.binarySearch(c.subscribers, giver)]--;
      m = giver;
    }
  }
}
