package dev.vitrine.protocol.json;

import dev.vitrine.protocol.MalformedMessageException;
import dev.vitrine.protocol.Uuid;
import dev.vitrine.protocol.record.MemoryRecords;
import dev.vitrine.protocol.record.Records;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.Base64;

/**
 * The JSON forms of the protocol's types, both ways, as Kafka's converters have them: bytes are
 * Base64, uuids their text. As with Kafka, an integer may also be a string of digits. Whatever does
 * not fit is a {@link MalformedMessageException} that names the field. Holds no state.
 *
 * <p>Records are Base64 too; Kafka leaves them out, and only says their size.
 */
public final class JsonFields {
  private JsonFields() {}

  public static JsonValue of(boolean v) {
    return new JsonBoolean(v);
  }

  public static JsonValue of(long v) {
    return new JsonNumber(v);
  }

  /** What JSON has no number for is a string, as Kafka writes it. */
  public static JsonValue of(double v) {
    String s = Double.toString(v);
    return Double.isFinite(v) ? new JsonNumber(s) : new JsonString(s);
  }

  public static JsonValue of(String v) {
    return v == null ? JsonNull.NULL : new JsonString(v);
  }

  public static JsonValue of(Uuid v) {
    return new JsonString(v.toString());
  }

  public static JsonValue of(byte[] v) {
    return v == null ? JsonNull.NULL : new JsonString(Base64.getEncoder().encodeToString(v));
  }

  public static JsonValue of(Records v) {
    if (v == null) {
      return JsonNull.NULL;
    }
    ByteBuf copy = Unpooled.buffer(v.sizeInBytes());
    v.writeTo(copy);
    byte[] bytes = new byte[copy.readableBytes()];
    copy.readBytes(bytes);
    return of(bytes);
  }

  public static MalformedMessageException missing(String field) {
    return new MalformedMessageException(field + " is missing");
  }

  private static MalformedMessageException wrong(String field, String wanted) {
    return new MalformedMessageException(field + " is no " + wanted);
  }

  public static JsonObject readObject(JsonValue v, String field) {
    if (v instanceof JsonObject o) {
      return o;
    }
    throw wrong(field, "object");
  }

  public static JsonArray readArray(JsonValue v, String field) {
    if (v instanceof JsonArray a) {
      return a;
    }
    throw wrong(field, "array");
  }

  public static boolean readBoolean(JsonValue v, String field) {
    if (v instanceof JsonBoolean b) {
      return b.value();
    }
    throw wrong(field, "boolean");
  }

  private static long readInteger(JsonValue v, String field, long lowest, long highest) {
    String digits =
        v instanceof JsonNumber n ? n.literal() : v instanceof JsonString s ? s.value() : "";
    try {
      long number = Long.parseLong(digits);
      if (number >= lowest && number <= highest) {
        return number;
      }
    } catch (NumberFormatException e) {
      // Said below.
    }
    throw wrong(field, "integer from " + lowest + " to " + highest);
  }

  public static byte readByte(JsonValue v, String field) {
    return (byte) readInteger(v, field, Byte.MIN_VALUE, Byte.MAX_VALUE);
  }

  public static short readShort(JsonValue v, String field) {
    return (short) readInteger(v, field, Short.MIN_VALUE, Short.MAX_VALUE);
  }

  public static int readUnsignedShort(JsonValue v, String field) {
    return (int) readInteger(v, field, 0, 0xffff);
  }

  public static int readInt(JsonValue v, String field) {
    return (int) readInteger(v, field, Integer.MIN_VALUE, Integer.MAX_VALUE);
  }

  public static long readUnsignedInt(JsonValue v, String field) {
    return readInteger(v, field, 0, 0xffffffffL);
  }

  public static long readLong(JsonValue v, String field) {
    return readInteger(v, field, Long.MIN_VALUE, Long.MAX_VALUE);
  }

  public static double readDouble(JsonValue v, String field) {
    if (v instanceof JsonNumber n) {
      return Double.parseDouble(n.literal());
    }
    if (v instanceof JsonString s) {
      switch (s.value()) {
        case "NaN":
          return Double.NaN;
        case "Infinity":
          return Double.POSITIVE_INFINITY;
        case "-Infinity":
          return Double.NEGATIVE_INFINITY;
        default:
          break;
      }
    }
    throw wrong(field, "number");
  }

  public static String readString(JsonValue v, String field) {
    if (v instanceof JsonString s) {
      return s.value();
    }
    throw wrong(field, "string");
  }

  public static Uuid readUuid(JsonValue v, String field) {
    try {
      return Uuid.fromString(readString(v, field));
    } catch (IllegalArgumentException e) {
      throw wrong(field, "uuid");
    }
  }

  public static byte[] readBytes(JsonValue v, String field) {
    try {
      return Base64.getDecoder().decode(readString(v, field));
    } catch (IllegalArgumentException e) {
      throw wrong(field, "Base64");
    }
  }

  public static Records readRecords(JsonValue v, String field) {
    return new MemoryRecords(Unpooled.wrappedBuffer(readBytes(v, field)));
  }
}
