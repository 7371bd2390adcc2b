package dev.vitrine.protocol;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Supplier;
import org.apache.kafka.common.protocol.Message;
import org.junit.jupiter.api.Test;

/**
 * Our generated messages against Kafka's own, for every message and every version: the same random
 * value, put into both, gives the same bytes, and both read them back as what they were.
 */
class DifferentialTest {
  private static final int VALUES = 32;

  @Test
  void everyMessageInEveryVersionEncodesAsKafkasOwn() throws Exception {
    List<Subject> subjects = Subject.all();
    int versions = 0;
    int values = 0;
    for (Subject s : subjects) {
      assertEquals(lowest(s), s.lowest(), s.name());
      assertEquals(s.newTheirs().highestSupportedVersion(), s.highest(), s.name());
      for (short v = s.lowest(); v <= s.highest(); v++) {
        versions++;
        Random random = new Random(s.name().hashCode() * 31L + v);
        for (int i = 0; i < VALUES; i++) {
          AnyValue any = new AnyValue(random, i == 0 ? 100 : i == 1 ? 0 : 30);
          check(s, v, any.struct(s.schema(v)));
          values++;
        }
      }
    }
    System.out.printf(
        "differential: %d messages, %d versions, %d values: equal bytes%n",
        subjects.size(), versions, values);
    assertTrue(subjects.size() > 200, "so few messages: " + subjects.size());
  }

  private static short lowest(Subject s) {
    return s.newTheirs().lowestSupportedVersion();
  }

  private static void check(Subject s, short v, Map<String, Object> value) throws Exception {
    Supplier<String> what = () -> s.name() + " v" + v + " " + value;
    ApiMessage ours = s.ours(value);
    Message theirs = s.theirs(value);
    byte[] expected = writeOrNull(theirs, v);
    if (expected == null) {
      assertEquals(null, writeOrNull(ours, v), what);
      return;
    }
    byte[] written = Subject.write(ours, v);
    assertArrayEquals(expected, written, what);
    assertEquals(written.length, ours.size(v), what);

    Message readByThem = s.readTheirs(written, v);
    assertEquals(theirs, readByThem, what);
    assertArrayEquals(written, Subject.write(readByThem, v), what);

    ApiMessage readByUs = s.readOurs(expected, v);
    assertEquals(ours, readByUs, what);
    assertEquals(ours.hashCode(), readByUs.hashCode(), what);
    assertArrayEquals(written, Subject.write(readByUs, v), what);
  }

  /**
   * A value made for the highest version, written in every other: what a version cannot carry is
   * refused or dropped exactly where Kafka refuses or drops it.
   */
  @Test
  void refusesAndDropsWhatAVersionCannotCarryAsKafkaDoes() throws Exception {
    int written = 0;
    int refused = 0;
    for (Subject s : Subject.all()) {
      Random random = new Random(s.name().hashCode());
      for (int i = 0; i < 8; i++) {
        Map<String, Object> value =
            new AnyValue(random, 20 * (i % 5)).struct(s.schema(s.highest()));
        ApiMessage ours = s.ours(value);
        Message theirs = s.theirs(value);
        for (short v = s.lowest(); v < s.highest(); v++) {
          byte[] expected = writeOrNull(theirs, v);
          byte[] actual = writeOrNull(ours, v);
          short version = v;
          assertArrayEquals(expected, actual, () -> s.name() + " v" + version + " " + value);
          if (actual == null) {
            refused++;
          } else {
            written++;
          }
        }
      }
    }
    assertTrue(written > 500 && refused > 500, written + " written, " + refused + " refused");
  }

  /** Null if it is refused. Kafka has no exception of its own for null where there must be none. */
  private static byte[] writeOrNull(Message m, short v) {
    try {
      return Subject.write(m, v);
    } catch (org.apache.kafka.common.errors.UnsupportedVersionException | NullPointerException e) {
      return null;
    }
  }

  private static byte[] writeOrNull(ApiMessage m, short v) {
    byte[] bytes = null;
    boolean refused = false;
    try {
      bytes = Subject.write(m, v);
    } catch (UnsupportedVersionException e) {
      refused = true;
    }
    try {
      int size = m.size(v);
      assertTrue(!refused && size == bytes.length, () -> "the size of " + m);
    } catch (UnsupportedVersionException e) {
      assertTrue(refused, () -> "only size refuses " + m);
    }
    return bytes;
  }
}
