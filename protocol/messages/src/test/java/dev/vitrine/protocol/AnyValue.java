package dev.vitrine.protocol;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.kafka.common.protocol.types.BoundField;
import org.apache.kafka.common.protocol.types.Field;
import org.apache.kafka.common.protocol.types.Schema;
import org.apache.kafka.common.protocol.types.TaggedFields;
import org.apache.kafka.common.protocol.types.Type;

/**
 * Makes random values for one version of a message, from what Kafka's own class says about that
 * version. A value is a tree that belongs to neither side: a struct is a map from field names to
 * values, where a name that is missing means the default.
 */
final class AnyValue {
  /** The name under which a struct holds unknown tagged fields. */
  static final String UNKNOWN_TAGS = "unknown tags";

  /** The content of a records field. */
  record RecordBytes(byte[] bytes) {}

  private static final int[] EDGE_LENGTHS = {0, 1, 62, 63, 64, 126, 127, 128, 129, 255, 256};
  private static final String[] LETTERS = {
    "a", "Z", "0", "-", "\u00e9", "\u6f22", "\ud83d\ude00", "\"", "\\", "\u0001"
  };

  private final Random random;

  /** How often a field is left at its default, of 100. */
  private final int defaults;

  private boolean large;

  AnyValue(Random random, int defaults) {
    this.random = random;
    this.defaults = defaults;
    this.large = random.nextInt(20) == 0;
  }

  Map<String, Object> struct(Schema schema) {
    Map<String, Object> fields = new LinkedHashMap<>();
    for (BoundField f : schema.fields()) {
      if (f.def.type instanceof TaggedFields tagged) {
        tagged.fields().values().forEach(t -> maybePut(fields, t));
        if (random.nextInt(8) == 0) {
          fields.put(UNKNOWN_TAGS, unknownTags());
        }
      } else {
        maybePut(fields, f.def);
      }
    }
    return fields;
  }

  private void maybePut(Map<String, Object> fields, Field f) {
    // Kafka's records default to null even where they must not be null.
    boolean needed = f.type.toString().endsWith("RECORDS") && !f.type.isNullable();
    if (needed || random.nextInt(100) >= defaults) {
      fields.put(f.name, value(f.type));
    }
  }

  private List<RawTaggedField> unknownTags() {
    List<RawTaggedField> tags = new ArrayList<>();
    int tag = 100;
    for (int i = random.nextInt(3); i >= 0; i--) {
      tag += 1 + random.nextInt(random.nextBoolean() ? 3 : 1 << 27);
      tags.add(new RawTaggedField(tag, bytes(random.nextInt(random.nextBoolean() ? 4 : 200))));
    }
    return tags;
  }

  private Object value(Type type) {
    if (type.isNullable() && random.nextInt(4) == 0) {
      return null;
    }
    if (type.isArray()) {
      return array(type.arrayElementType().get());
    }
    if (type instanceof Schema schema) {
      return struct(schema);
    }
    String name = type.toString();
    switch (name) {
      case "BOOLEAN":
        return random.nextBoolean();
      case "INT8":
        return (byte) integer(Byte.MIN_VALUE, Byte.MAX_VALUE);
      case "INT16":
        return (short) integer(Short.MIN_VALUE, Short.MAX_VALUE);
      case "UINT16":
        return (int) integer(0, 0xffff);
      case "INT32":
        return (int) integer(Integer.MIN_VALUE, Integer.MAX_VALUE);
      case "UINT32":
        return integer(0, 0xffffffffL);
      case "INT64":
        return integer(Long.MIN_VALUE, Long.MAX_VALUE);
      case "FLOAT64":
        return random.nextInt(3) == 0 ? (double) random.nextInt(3) : random.nextGaussian() * 1e9;
      case "UUID":
        return random.nextInt(8) == 0 ? Uuid.ZERO : new Uuid(random.nextLong(), random.nextLong());
      default:
        if (name.endsWith("STRING")) {
          return string();
        }
        if (name.endsWith("RECORDS")) {
          return new RecordBytes(bytes(length()));
        }
        if (name.endsWith("BYTES")) {
          return bytes(length());
        }
        throw new IllegalArgumentException(name);
    }
  }

  private List<Object> array(Type element) {
    boolean simple = !(element instanceof Schema);
    int count = simple && random.nextInt(10) == 0 ? length() : random.nextInt(4);
    List<Object> list = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      list.add(value(element));
    }
    return list;
  }

  private long integer(long lowest, long highest) {
    switch (random.nextInt(6)) {
      case 0:
        return lowest;
      case 1:
        return highest;
      case 2:
        return Math.max(lowest, -1);
      case 3:
        return random.nextInt(2);
      default:
        long v = random.nextLong();
        return v >= lowest && v <= highest ? v : lowest + Math.floorMod(v, highest - lowest + 1);
    }
  }

  private int length() {
    if (large && random.nextInt(4) == 0) {
      large = false;
      return random.nextBoolean() ? 16382 + random.nextInt(4) : 32767;
    }
    return random.nextInt(5) == 0
        ? EDGE_LENGTHS[random.nextInt(EDGE_LENGTHS.length)]
        : random.nextInt(12);
  }

  private byte[] bytes(int length) {
    byte[] b = new byte[length];
    random.nextBytes(b);
    return b;
  }

  /** Of a length in bytes that is worth a try. */
  private String string() {
    int length = length();
    StringBuilder s = new StringBuilder();
    if (random.nextInt(3) == 0) {
      for (int left = length; left >= 4; left -= 4) {
        String letter = LETTERS[random.nextInt(LETTERS.length)];
        s.append(letter);
      }
    } else {
      s.append("k".repeat(length));
    }
    return s.toString();
  }
}
