package dev.vitrine.storage;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** The segments of a log by base offset; the last one is the active one. Never empty in use. */
final class SegmentList {
  private final ArrayList<Segment> segments = new ArrayList<>(1);

  void add(Segment s) {
    if (!segments.isEmpty() && s.baseOffset() <= active().baseOffset()) {
      throw new IllegalArgumentException(s + " behind " + active());
    }
    segments.add(s);
  }

  int count() {
    return segments.size();
  }

  Segment get(int i) {
    return segments.get(i);
  }

  Segment first() {
    return segments.get(0);
  }

  Segment active() {
    return segments.get(segments.size() - 1);
  }

  /** The number of the segment that an offset belongs to; -1 if it is before all. */
  int floor(long offset) {
    int low = 0;
    int high = segments.size();
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (segments.get(middle).baseOffset() <= offset) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low - 1;
  }

  /**
   * Takes out the last ones, from number {@code from} on; the newest first, so that a power cut
   * amid their deletion leaves a log without a hole.
   */
  List<Segment> removeFromEnd(int from) {
    List<Segment> out = remove(from, segments.size());
    Collections.reverse(out);
    return out;
  }

  /** Takes out the first {@code n}, the oldest first. */
  List<Segment> removeFromStart(int n) {
    return remove(0, n);
  }

  private List<Segment> remove(int from, int to) {
    List<Segment> range = segments.subList(from, to);
    List<Segment> out = new ArrayList<>(range);
    range.clear();
    return out;
  }

  List<Segment> all() {
    return List.copyOf(segments);
  }

  /** In bytes. */
  long size() {
    long n = 0;
    for (Segment s : segments) {
      n += s.size();
    }
    return n;
  }
}
