package dev.vitrine.broker.group.assignor;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.List;

/**
 * Undoes moves that were not needed. A member gets back of a class that it had more of; for that it
 * gives up something that it has newly got, who takes it likewise, and so on until somebody gives
 * up what the first gets. Or two members change their loads, where one has one more than the other.
 * The whole stays as level as it is, and nobody loses what it had. One assignment's work.
 */
final class GivingBack {
  /** Steps of all searches together: in large groups a few moves too many are no harm. */
  private static final int LIMIT = 20_000_000;

  private final List<TopicClass> classes;
  private final Wishes wishes;
  private final int[] loads;
  private int steps;

  // ---- of the search that is under way

  /** By member: who gives to it, or with whom it changes loads; -1 if it has not been reached. */
  private final int[] from;

  /** By member: the class of what it is given, or -1 if it changes loads. */
  private final int[] via;

  private final boolean[] classSeen;
  private final boolean[] loadSeen;

  GivingBack(List<TopicClass> classes, Wishes wishes, int[] loads) {
    this.classes = classes;
    this.wishes = wishes;
    this.loads = loads;
    this.from = new int[loads.length];
    this.via = new int[loads.length];
    this.classSeen = new boolean[classes.size()];
    this.loadSeen = new boolean[Arrays.stream(loads).max().orElse(0) + 1];
  }

  void improve() {
    for (int c = 0; c < classes.size(); c++) {
      TopicClass wanted = classes.get(c);
      for (int place = 0; place < wanted.subscribers.length; place++) {
        while (wanted.has[place] < wanted.had[place] && steps < LIMIT && giveBack(c, place)) {}
      }
    }
  }

  private boolean giveBack(int c, int place) {
    int first = classes.get(c).subscribers[place];
    int last = search(first, c);
    if (last < 0) {
      return false;
    }
    change(c, last, -1);
    change(c, first, 1);
    for (int m = last; m != first; m = from[m]) {
      if (via[m] >= 0) {
        change(via[m], from[m], -1);
        change(via[m], m, 1);
      } else {
        loads[from[m]]++;
        loads[m]--;
      }
    }
    return true;
  }

  private void change(int c, int member, int by) {
    TopicClass of = classes.get(c);
    of.has[Arrays.binarySearch(of.subscribers, member)] += by;
  }

  /** Who could give what the first is to get back; -1 if there is nobody. */
  private int search(int first, int wanted) {
    Arrays.fill(from, -1);
    Arrays.fill(classSeen, false);
    Arrays.fill(loadSeen, false);
    ArrayDeque<Integer> next = new ArrayDeque<>();
    from[first] = first;
    next.add(first);
    while (!next.isEmpty()) {
      int m = next.poll();
      for (int i = 0; i < wishes.classes()[m].length; i++) {
        int c = wishes.classes()[m][i];
        TopicClass of = classes.get(c);
        if (of.isSticky(wishes.places()[m][i])) {
          continue;
        }
        if (c == wanted && m != first) {
          return m;
        }
        if (!classSeen[c]) {
          classSeen[c] = true;
          for (int other : of.subscribers) {
            reach(other, m, c, next);
          }
        }
      }
      if (!loadSeen[loads[m]]) {
        loadSeen[loads[m]] = true;
        for (int other = 0; other < loads.length; other++) {
          if (loads[other] == loads[m] + 1) {
            reach(other, m, -1, next);
          }
        }
      }
    }
    return -1;
  }

  private void reach(int other, int m, int c, ArrayDeque<Integer> next) {
    steps++;
    if (from[other] < 0) {
      from[other] = m;
      via[other] = c;
      next.add(other);
    }
  }
}
