package dev.vitrine.compat.chaos;

import dev.vitrine.compat.chaos.Event.Acknowledged;
import dev.vitrine.compat.chaos.Event.Failed;
import dev.vitrine.compat.chaos.Event.Item;
import dev.vitrine.compat.chaos.Event.Polled;
import dev.vitrine.compat.chaos.Event.ReadWhole;
import dev.vitrine.compat.chaos.Event.ReaderStarted;
import dev.vitrine.compat.chaos.Event.Sent;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.apache.kafka.common.TopicPartition;

/** A history that is complete: its events in their order, and what the checks ask of it. */
public final class RunHistory {
  private final List<Timed> events;
  private final Map<Long, Write> writes = new TreeMap<>();
  private final Map<String, Write> byValue = new HashMap<>();
  private final Map<TopicPartition, NavigableMap<Long, String>> log = new HashMap<>();
  private final Map<String, String> groups = new HashMap<>();

  /** What became of a record that was sent. */
  enum Outcome {
    ACKNOWLEDGED,
    /** Refused: it is in no log and never will be. */
    FAILED,
    /** Nobody can tell. */
    UNKNOWN
  }

  /**
   * A record that was sent, with what the client was told of it.
   *
   * @param call the number of its {@link Sent}
   * @param offset -1 unless acknowledged
   */
  record Write(
      long call,
      String client,
      TopicPartition partition,
      String value,
      Outcome outcome,
      long offset) {
    private Write told(Outcome outcome, long offset) {
      return new Write(call, client, partition, value, outcome, offset);
    }
  }

  RunHistory(List<Timed> events) {
    this.events = List.copyOf(events);
    for (int i = 0; i < this.events.size(); i++) {
      take(i, this.events.get(i).event());
    }
    writes.values().forEach(write -> byValue.put(write.value(), write));
  }

  /**
   * @throws IllegalArgumentException if the file is no history
   */
  public static RunHistory read(Path file) throws IOException {
    try (Stream<String> lines = Files.lines(file)) {
      return new RunHistory(lines.map(EventLine::read).toList());
    }
  }

  private void take(long number, Event event) {
    if (event instanceof Sent sent) {
      writes.put(
          number,
          new Write(number, sent.client(), sent.partition(), sent.value(), Outcome.UNKNOWN, -1));
    } else if (event instanceof Acknowledged told) {
      writes.computeIfPresent(
          told.call(), (call, write) -> write.told(Outcome.ACKNOWLEDGED, told.offset()));
    } else if (event instanceof Failed failed && failed.certain()) {
      writes.computeIfPresent(failed.call(), (call, write) -> write.told(Outcome.FAILED, -1));
    } else if (event instanceof ReaderStarted reader) {
      groups.put(reader.client(), reader.group());
    } else if (event instanceof ReadWhole read) {
      NavigableMap<Long, String> values =
          log.computeIfAbsent(read.partition(), partition -> new TreeMap<>());
      for (Item item : read.items()) {
        values.putIfAbsent(item.offset(), item.value());
      }
    }
  }

  public List<Timed> events() {
    return events;
  }

  public Event event(long number) {
    return events.get((int) number).event();
  }

  /** A record as a reader was given it. */
  record Read(String client, TopicPartition partition, long offset, String value) {}

  /** All that readers were given: bit by bit first, then as a whole. */
  List<Read> reads() {
    List<Read> reads = new ArrayList<>();
    all(Polled.class).forEach(p -> add(reads, p.client(), p.partition(), p.items()));
    all(ReadWhole.class).forEach(r -> add(reads, r.client(), r.partition(), r.items()));
    return reads;
  }

  private static void add(
      List<Read> reads, String client, TopicPartition partition, List<Item> items) {
    items.forEach(i -> reads.add(new Read(client, partition, i.offset(), i.value())));
  }

  /** Those of one kind, in their order. */
  public <E extends Event> List<E> all(Class<E> kind) {
    List<E> all = new ArrayList<>();
    for (Timed timed : events) {
      if (kind.isInstance(timed.event())) {
        all.add(kind.cast(timed.event()));
      }
    }
    return all;
  }

  /** All records sent, in the order of sending. */
  List<Write> writes() {
    return List.copyOf(writes.values());
  }

  List<Write> acknowledged() {
    return writes.values().stream().filter(w -> w.outcome() == Outcome.ACKNOWLEDGED).toList();
  }

  /** Null if nobody has sent this. */
  Write written(String value) {
    return byValue.get(value);
  }

  /** The group of a reader; empty if it is in none. */
  String group(String client) {
    return groups.getOrDefault(client, "");
  }

  /** The partitions that were read whole in the end. */
  List<TopicPartition> partitions() {
    return log.keySet().stream().sorted((a, b) -> a.toString().compareTo(b.toString())).toList();
  }

  /** What was found in the end by who read the partition whole; empty if nobody did. */
  NavigableMap<Long, String> log(TopicPartition partition) {
    return Collections.unmodifiableNavigableMap(log.getOrDefault(partition, new TreeMap<>()));
  }
}
