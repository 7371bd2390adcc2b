package dev.vitrine.broker.group.assignor;

import java.util.List;
import java.util.PriorityQueue;

/**
 * Decides how many partitions of each class each member has, starting from what it had. First
 * within each class alone, which settles it where all members want the same; then across classes
 * with {@link Chains} and {@link GivingBack}. One assignment's work.
 */
final class Balance {
  /**
   * How often the classes are gone through. What one class levels tilts others again; what is left
   * after that is for the chains, which find the rest whatever it is.
   */
  private static final int ROUNDS = 4;

  private final List<TopicClass> classes;

  /** Partitions of each member. */
  private final int[] loads;

  Balance(Subscriptions s) {
    this.classes = s.classes;
    this.loads = new int[s.members.length];
  }

  void compute() {
    for (TopicClass c : classes) {
      for (int i = 0; i < c.subscribers.length; i++) {
        loads[c.subscribers[i]] += c.has[i];
      }
    }
    // All is given before anything is taken: who has little may be about to get more.
    classes.forEach(this::give);
    boolean moved = true;
    for (int round = 0; moved && round < ROUNDS; round++) {
      moved = false;
      for (TopicClass c : classes) {
        moved |= level(c);
      }
    }
    if (classes.size() > 1) {
      Wishes wishes = Wishes.of(classes, loads.length);
      new Chains(classes, wishes, loads).improve();
      new GivingBack(classes, wishes, loads).improve();
    }
  }

  /** Gives what nobody has to who has the least. */
  private void give(TopicClass c) {
    if (c.unowned == 0) {
      return;
    }
    PriorityQueue<Long> least = new PriorityQueue<>();
    for (int i = 0; i < c.subscribers.length; i++) {
      least.add(least(c, i));
    }
    for (; c.unowned > 0; c.unowned--) {
      int to = place(least.poll());
      change(c, to, 1);
      least.add(least(c, to));
    }
  }

  /**
   * Takes from who has the most and gives to who has the least, as long as that levels anything.
   *
   * @return whether it did
   */
  private boolean level(TopicClass c) {
    PriorityQueue<Long> least = new PriorityQueue<>();
    PriorityQueue<Long> most = new PriorityQueue<>();
    for (int i = 0; i < c.subscribers.length; i++) {
      least.add(least(c, i));
      if (c.has[i] > 0) {
        most.add(most(c, i));
      }
    }
    boolean changed = false;
    while (true) {
      int from = freshest(most, i -> c.has[i] > 0 ? most(c, i) : -1);
      int to = freshest(least, i -> least(c, i));
      if (from < 0 || loads[c.subscribers[from]] - loads[c.subscribers[to]] < 2) {
        return changed;
      }
      changed = true;
      change(c, from, -1);
      change(c, to, 1);
      for (int i : new int[] {from, to}) {
        least.add(least(c, i));
        if (c.has[i] > 0) {
          most.add(most(c, i));
        }
      }
    }
  }

  private void change(TopicClass c, int place, int by) {
    c.has[place] += by;
    loads[c.subscribers[place]] += by;
  }

  private interface KeyOf {
    /** What the queue should hold for the subscriber at this place now. */
    long key(int place);
  }

  /** The first in the queue; drops keys on the way that are no longer true. Less than 0 if none. */
  private static int freshest(PriorityQueue<Long> queue, KeyOf keys) {
    while (!queue.isEmpty()) {
      int place = place(queue.peek());
      if (keys.key(place) == queue.peek()) {
        return place;
      }
      queue.poll();
    }
    return -1;
  }

  /** The least load first, then who can get back what it had, then the first member. */
  private long least(TopicClass c, int place) {
    return key(loads[c.subscribers[place]], c.has[place] < c.had[place], place);
  }

  /** The highest load first, then who does not lose what it had, then the first member. */
  private long most(TopicClass c, int place) {
    return key(Integer.MAX_VALUE - loads[c.subscribers[place]], !c.isSticky(place), place);
  }

  private static long key(int order, boolean first, int place) {
    return (long) order << 32 | (first ? 0L : 1L << 31) | place;
  }

  private static int place(long key) {
    return (int) (key & 0x7fffffffL);
  }
}
