package dev.vitrine.broker.group.assignor;

import java.util.Arrays;
import java.util.List;

/**
 * By member: the classes of topics that it wants, and its place among the subscribers of each.
 * Nobody changes it.
 */
record Wishes(int[][] classes, int[][] places) {
  static Wishes of(List<TopicClass> all, int members) {
    int[] counts = new int[members];
    for (TopicClass c : all) {
      for (int m : c.subscribers) {
        counts[m]++;
      }
    }
    int[][] classes = new int[members][];
    int[][] places = new int[members][];
    Arrays.setAll(classes, m -> new int[counts[m]]);
    Arrays.setAll(places, m -> new int[counts[m]]);
    for (int c = 0; c < all.size(); c++) {
      int[] subscribers = all.get(c).subscribers;
      for (int place = 0; place < subscribers.length; place++) {
        int m = subscribers[place];
        int next = --counts[m];
        classes[m][next] = c;
        places[m][next] = place;
      }
    }
    return new Wishes(classes, places);
  }
}
