package dev.vitrine.compat;

import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The checker finds what it is there for. */
@Tag("smoke")
class HistoryTest {
  private static final TopicPartition PARTITION = new TopicPartition("t", 0);

  private final History history =
      new History(
          List.of(
              new Writer.Acknowledged(PARTITION, 0, "a:0"),
              new Writer.Acknowledged(PARTITION, 2, "a:1")));

  @Test
  void aGoodLogPasses() {
    history.checkLog(List.of(record(0, "a:0"), record(1, "b:0"), record(2, "a:1")));
    // Written but not acknowledged is no fault.
    history.checkLog(
        List.of(record(0, "a:0"), record(1, "b:0"), record(2, "a:1"), record(3, "a:2")));
  }

  @Test
  void faultsAreFound() {
    assertRefused("lost", List.of(record(0, "a:0"), record(1, "b:0")));
    assertRefused(
        "another in its place", List.of(record(0, "a:0"), record(1, "b:0"), record(2, "b:1")));
    assertRefused("moved", List.of(record(0, "a:0"), record(1, "a:1"), record(2, "b:0")));
    assertRefused(
        "doubled", List.of(record(0, "a:0"), record(1, "b:0"), record(2, "a:1"), record(3, "a:1")));
    assertRefused("out of order", List.of(record(0, "a:0"), record(1, "a:5"), record(2, "a:1")));
    assertRefused("a hole", List.of(record(0, "a:0"), record(2, "a:1")));
  }

  private void assertRefused(String fault, List<ConsumerRecord<String, String>> log) {
    assertThrows(AssertionError.class, () -> history.checkLog(log), fault);
  }

  private static ConsumerRecord<String, String> record(long offset, String value) {
    return new ConsumerRecord<>("t", 0, offset, value.substring(0, 1), value);
  }
}
