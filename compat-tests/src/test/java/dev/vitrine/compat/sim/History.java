package dev.vitrine.compat.sim;

import dev.vitrine.broker.partition.Partition;
import dev.vitrine.metadata.MetadataImage;
import dev.vitrine.metadata.TopicImage;
import dev.vitrine.protocol.TopicPartition;
import dev.vitrine.protocol.record.Batches;
import dev.vitrine.protocol.record.Record;
import dev.vitrine.protocol.record.RecordIterator;
import dev.vitrine.storage.LogSlice;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What has become true for ever, partition by partition: which record has which offset below the
 * high watermark, and who leads in which epoch. All that replicas and clients show is held against
 * it; the first contradiction ends the run.
 */
final class History {
  /** A producer's record: {@code producer/partition/number}, each number once and in order. */
  private static final String VALUE = "p";

  private static final class Track {
    /** By offset. */
    final List<String> committed = new ArrayList<>();

    /** By offset: the epoch in which the high watermark was first seen to pass it. */
    final List<Integer> epochs = new ArrayList<>();

    final TreeMap<Integer, Integer> leaders = new TreeMap<>();

    /** Of the newest metadata that anybody had. */
    int partitionEpoch = -1;

    /** By producer: the number that comes next. */
    final Map<String, Integer> next = new HashMap<>();
  }

  private final Map<TopicPartition, Track> tracks = new TreeMap<>();
  private final ClusterSim sim;
  private long records;

  History(ClusterSim sim) {
    this.sim = sim;
  }

  private Track track(TopicPartition name) {
    return tracks.computeIfAbsent(name, n -> new Track());
  }

  // --- replicas

  /** Looks at the replicas of a node; after every step. */
  void look(SimNode n) {
    for (Partition p : n.partitions()) {
      SimNode.Seen seen = n.seen.get(p.name());
      if (seen == null || seen.partition != p) {
        seen = new SimNode.Seen(p);
        n.seen.put(p.name(), seen);
      }
      if (p.leaderEpoch() != seen.leaderEpoch) {
        sim.check(p.leaderEpoch() > seen.leaderEpoch, n, p.name() + " went back in its epoch");
        seen.leaderEpoch = p.leaderEpoch();
        if (p.isLeader()) {
          leads(n, p);
        }
      }
      long hw = p.highWatermark();
      if (hw != seen.highWatermark) {
        sim.check(
            hw > seen.highWatermark,
            n,
            p.name() + ": high watermark back from " + seen.highWatermark + " to " + hw);
        committed(n, p, seen.highWatermark, hw);
        seen.highWatermark = hw;
      }
    }
  }

  private void leads(SimNode n, Partition p) {
    Track t = track(p.name());
    Integer other = t.leaders.putIfAbsent(p.leaderEpoch(), n.id);
    sim.check(
        other == null || other == n.id,
        n,
        p.name() + " is led in epoch " + p.leaderEpoch() + " by " + other + " as well");
    int size = 0;
    while (size < t.epochs.size() && t.epochs.get(size) < p.leaderEpoch()) {
      size++;
    }
    int start = (int) Math.min(size, p.logStartOffset());
    List<String> there = read(p, start, size);
    sim.check(
        there.equals(t.committed.subList(start, size)),
        n,
        p.name()
            + " is led in epoch "
            + p.leaderEpoch()
            + " by who has not all of the "
            + size
            + " committed records, but up to "
            + p.logEndOffset());
    sim.trace("leads " + n.id + p.name() + p.leaderEpoch());
  }

  private void committed(SimNode n, Partition p, long before, long to) {
    // What retention has taken was committed, and known to be, on its leader.
    long from = Math.max(before, p.logStartOffset());
    sim.check(
        from <= track(p.name()).committed.size(), n, p.name() + " starts beyond what is known");
    sim.check(to <= p.logEndOffset(), n, p.name() + ": high watermark above the log");
    Track t = track(p.name());
    List<String> there = read(p, from, to);
    sim.check(there.size() == to - from, n, p.name() + ": gaps between " + from + " and " + to);
    for (int i = 0; i < there.size(); i++) {
      int offset = (int) from + i;
      String value = there.get(i);
      if (offset < t.committed.size()) {
        sim.check(
            t.committed.get(offset).equals(value),
            n,
            p.name() + " at " + offset + ": " + value + ", not " + t.committed.get(offset));
      } else {
        t.committed.add(value);
        t.epochs.add(p.leaderEpoch());
        records++;
        inOrder(n, p.name(), t, offset, value);
        sim.trace(value);
      }
    }
  }

  /** Nothing twice, nothing left out, nothing before its time. */
  private void inOrder(SimNode n, TopicPartition name, Track t, int offset, String value) {
    if (value.startsWith(VALUE)) {
      int slash = value.lastIndexOf('/');
      String producer = value.substring(0, slash);
      int number = Integer.parseInt(value.substring(slash + 1));
      int expected = t.next.merge(producer, 1, Integer::sum) - 1;
      sim.check(
          number == expected, n, name + " at " + offset + ": " + value + " instead of " + expected);
    }
  }

  /**
   * Metadata that nobody had before. Each replica that it newly counts as in sync has all that is
   * committed by now: it may be elected at once.
   */
  void published(MetadataImage image, Iterable<SimNode> nodes) {
    for (TopicImage topic : image.topics().all()) {
      topic
          .partitions()
          .forEach(
              (i, p) -> {
                TopicPartition name = new TopicPartition(topic.name(), i);
                Track t = track(name);
                if (p.partitionEpoch() > t.partitionEpoch) {
                  t.partitionEpoch = p.partitionEpoch();
                  checkInSync(p.isr(), name, nodes);
                }
              });
    }
  }

  private void checkInSync(List<Integer> isr, TopicPartition name, Iterable<SimNode> nodes) {
    int size = track(name).committed.size();
    for (SimNode n : nodes) {
      for (Partition p : n.partitions()) {
        sim.check(
            !p.name().equals(name) || !isr.contains(n.id) || p.logEndOffset() >= size,
            n,
            name + " is in sync in " + isr + " with " + p.logEndOffset() + " of " + size);
      }
    }
  }

  // --- clients

  /** The leader of the highest epoch that anybody has heard of, or -1. */
  int leader(TopicPartition name) {
    Track t = track(name);
    return t.leaders.isEmpty() ? -1 : t.leaders.lastEntry().getValue();
  }

  void acknowledged(TopicPartition name, long baseOffset, List<String> values) {
    Track t = track(name);
    for (int i = 0; i < values.size(); i++) {
      long offset = baseOffset + i;
      sim.check(
          offset < t.committed.size() && t.committed.get((int) offset).equals(values.get(i)),
          null,
          values.get(i)
              + " is acknowledged for "
              + name
              + " at "
              + offset
              + (offset < t.committed.size()
                  ? " where " + t.committed.get((int) offset) + " is"
                  : " where nothing is committed yet"));
    }
  }

  void read(String reader, TopicPartition name, long offset, String value) {
    Track t = track(name);
    sim.check(
        offset < t.committed.size() && t.committed.get((int) offset).equals(value),
        null,
        reader
            + " reads "
            + value
            + " from "
            + name
            + " at "
            + offset
            + (offset < t.committed.size()
                ? " where " + t.committed.get((int) offset) + " is"
                : " where nothing is committed yet"));
  }

  boolean isCommitted(TopicPartition name, List<String> values) {
    return track(name).committed.containsAll(values);
  }

  int size(TopicPartition name) {
    return track(name).committed.size();
  }

  int sizeOf(TopicPartition name, String producer) {
    return track(name).next.getOrDefault(producer, 0);
  }

  long records() {
    return records;
  }

  int leaderships() {
    return tracks.values().stream().mapToInt(t -> t.leaders.size()).sum();
  }

  // --- bytes

  static List<String> read(Partition p, long from, long to) {
    List<String> out = new ArrayList<>();
    while (from < to && from < p.logEndOffset()) {
      LogSlice slice = p.log().read(from, 1 << 20, p.logEndOffset(), true);
      ByteBuf bytes = Unpooled.buffer(slice.records().sizeInBytes());
      slice.records().writeTo(bytes);
      slice.records().release();
      long before = from;
      Batches batches = new Batches(bytes);
      while (batches.next()) {
        try (RecordIterator it = batches.batch().records()) {
          while (it.next()) {
            if (it.record().offset() >= from && it.record().offset() < to) {
              out.add(value(it.record()));
            }
          }
        }
        from = Math.max(from, batches.batch().nextOffset());
      }
      if (from == before) {
        break;
      }
    }
    return out;
  }

  /** All batches from the one that holds this offset on, as they are in the log. */
  static ByteBuf bytes(Partition p, long from) {
    ByteBuf all = Unpooled.buffer();
    while (from < p.logEndOffset()) {
      LogSlice slice = p.log().read(from, 1 << 20, p.logEndOffset(), true);
      ByteBuf some = Unpooled.buffer(slice.records().sizeInBytes());
      slice.records().writeTo(some);
      slice.records().release();
      Batches batches = new Batches(some);
      while (batches.next()) {
        all.writeBytes(batches.batch().slice());
        from = batches.batch().nextOffset();
      }
    }
    return all;
  }

  static String value(Record r) {
    byte[] v = r.hasValue() ? r.valueBytes() : null;
    if (r.hasKey()) {
      return "r" + Arrays.hashCode(r.keyBytes()) + ":" + Arrays.hashCode(v);
    }
    String s = new String(v, StandardCharsets.UTF_8);
    return s.indexOf(' ') < 0 ? s : s.substring(0, s.indexOf(' '));
  }
}
