package dev.vitrine.compat;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.fail;

import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;

/**
 * What writers were told against what a log holds in the end. Nothing that was acknowledged may be
 * lost, moved, doubled or out of order.
 */
final class History {
  private final List<Writer.Acknowledged> acknowledged;

  History(List<Writer.Acknowledged> acknowledged) {
    this.acknowledged = acknowledged;
  }

  static History of(Collection<Writer> writers) {
    return new History(writers.stream().flatMap(writer -> writer.acknowledged().stream()).toList());
  }

  int size() {
    return acknowledged.size();
  }

  /** A record's place. */
  private record Place(TopicPartition partition, long offset) {
    static Place of(ConsumerRecord<String, String> record) {
      return new Place(new TopicPartition(record.topic(), record.partition()), record.offset());
    }
  }

  /**
   * @param log every record of the topic, each partition in the order of its offsets
   */
  void checkLog(List<ConsumerRecord<String, String>> log) {
    Map<Place, String> places = new HashMap<>();
    Map<String, Place> values = new HashMap<>();
    Map<String, Long> lastNumbers = new HashMap<>();
    Map<TopicPartition, Long> nextOffsets = new HashMap<>();
    for (ConsumerRecord<String, String> record : log) {
      Place place = Place.of(record);
      String value = record.value();
      assertEquals(
          nextOffsets.getOrDefault(place.partition(), 0L),
          place.offset(),
          "a hole before " + place);
      nextOffsets.put(place.partition(), place.offset() + 1);
      places.put(place, value);
      Place before = values.put(value, place);
      if (before != null) {
        fail(value + " is twice in the log: " + before + " and " + place);
      }
      Long last = lastNumbers.put(record.key() + " in " + place.partition(), Writer.number(value));
      if (last != null && last >= Writer.number(value)) {
        fail(value + " at " + place + " comes after number " + last + " of the same writer");
      }
    }
    for (Writer.Acknowledged written : acknowledged) {
      Place place = new Place(written.partition(), written.offset());
      assertEquals(written.value(), places.get(place), "acknowledged for " + place);
    }
  }
}
