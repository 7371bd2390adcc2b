package dev.vitrine.protocol;

import dev.vitrine.protocol.record.MemoryRecords;
import dev.vitrine.protocol.record.Records;
import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;

/**
 * Kafka's primitives as messages read them from a buffer that nobody has checked. Every length is
 * compared with what remains before anything is allocated; whatever is wrong is a {@link
 * MalformedMessageException}. Holds no state; must never trust a number that it has read.
 *
 * <p>{@code flexible} says how a length is written: as a varint of the length plus one, with 0 for
 * null (KIP-482), or as an integer with -1 for null.
 */
public final class MessageReader {
  /** What a length prefix of two bytes can say; Kafka keeps to it for compact strings too. */
  static final int MAX_STRING = Short.MAX_VALUE;

  private MessageReader() {}

  public static void checkVersion(String message, short version, short lowest, short highest) {
    if (version < lowest || version > highest) {
      throw new MalformedMessageException(message + " has no version " + version);
    }
  }

  public static MalformedMessageException cannotBeNull(String field) {
    return new MalformedMessageException(field + " is null");
  }

  public static MalformedMessageException invalidTag(int tag, short version) {
    return new MalformedMessageException("tag " + tag + " is not valid in version " + version);
  }

  private static void need(ByteBuf in, int bytes) {
    if (in.readableBytes() < bytes) {
      throw new MalformedMessageException(
          "the message ends too early: "
              + bytes
              + " bytes wanted, "
              + in.readableBytes()
              + " left");
    }
  }

  public static boolean readBoolean(ByteBuf in) {
    need(in, 1);
    return in.readByte() != 0;
  }

  public static byte readByte(ByteBuf in) {
    need(in, 1);
    return in.readByte();
  }

  public static short readShort(ByteBuf in) {
    need(in, 2);
    return in.readShort();
  }

  public static int readUnsignedShort(ByteBuf in) {
    need(in, 2);
    return in.readUnsignedShort();
  }

  public static int readInt(ByteBuf in) {
    need(in, 4);
    return in.readInt();
  }

  public static long readUnsignedInt(ByteBuf in) {
    need(in, 4);
    return in.readUnsignedInt();
  }

  public static long readLong(ByteBuf in) {
    need(in, 8);
    return in.readLong();
  }

  public static double readDouble(ByteBuf in) {
    need(in, 8);
    return in.readDouble();
  }

  public static Uuid readUuid(ByteBuf in) {
    need(in, 16);
    long high = in.readLong();
    long low = in.readLong();
    return (high | low) == 0 ? Uuid.ZERO : new Uuid(high, low);
  }

  /** The length of what follows, which is there; -1 for null. */
  private static int length(ByteBuf in, int plain, int largest) {
    if (plain < 0) {
      return -1;
    }
    if (plain > largest) {
      throw new MalformedMessageException("a length of " + plain + " is too large");
    }
    if (plain > in.readableBytes()) {
      throw new MalformedMessageException(
          "a length of " + plain + " where " + in.readableBytes() + " bytes are left");
    }
    return plain;
  }

  private static int compactLength(ByteBuf in) {
    int v = Varint.readUnsigned(in);
    if (v < 0) {
      throw new MalformedMessageException("a length of " + Integer.toUnsignedString(v));
    }
    return v - 1;
  }

  /** Bytes that are not UTF-8 become replacement characters, as Kafka reads them. */
  public static String readNullableString(ByteBuf in, boolean flexible) {
    int length = length(in, flexible ? compactLength(in) : readShort(in), MAX_STRING);
    if (length <= 0) {
      return length < 0 ? null : "";
    }
    String s = in.toString(in.readerIndex(), length, StandardCharsets.UTF_8);
    in.skipBytes(length);
    return s;
  }

  public static String readString(ByteBuf in, boolean flexible) {
    String s = readNullableString(in, flexible);
    if (s == null) {
      throw new MalformedMessageException("a string that must not be null is null");
    }
    return s;
  }

  public static byte[] readNullableBytes(ByteBuf in, boolean flexible) {
    int length = length(in, flexible ? compactLength(in) : readInt(in), Integer.MAX_VALUE);
    return length < 0 ? null : copy(in, length);
  }

  public static byte[] readBytes(ByteBuf in, boolean flexible) {
    byte[] b = readNullableBytes(in, flexible);
    if (b == null) {
      throw new MalformedMessageException("bytes that must not be null are null");
    }
    return b;
  }

  private static byte[] copy(ByteBuf in, int length) {
    byte[] b = new byte[length];
    in.readBytes(b);
    return b;
  }

  /** A slice, not retained. */
  public static Records readNullableRecords(ByteBuf in, boolean flexible) {
    int length = length(in, flexible ? compactLength(in) : readInt(in), Integer.MAX_VALUE);
    return length < 0 ? null : new MemoryRecords(in.readSlice(length));
  }

  public static Records readRecords(ByteBuf in, boolean flexible) {
    Records r = readNullableRecords(in, flexible);
    if (r == null) {
      throw new MalformedMessageException("records that must not be null are null");
    }
    return r;
  }

  /**
   * The number of elements, or -1 for null.
   *
   * @param smallest the fewest bytes that an element can take, at least 1: so many elements can be
   *     there at most
   */
  public static int readNullableArrayLength(ByteBuf in, boolean flexible, int smallest) {
    int count = flexible ? compactLength(in) : readInt(in);
    if (count < 0) {
      return -1;
    }
    if (count > in.readableBytes() / smallest) {
      throw new MalformedMessageException(
          "an array of " + count + " where " + in.readableBytes() + " bytes are left");
    }
    return count;
  }

  public static int readArrayLength(ByteBuf in, boolean flexible, int smallest) {
    int count = readNullableArrayLength(in, flexible, smallest);
    if (count < 0) {
      throw new MalformedMessageException("an array that must not be null is null");
    }
    return count;
  }

  /** How many tagged fields follow. */
  public static int readTagCount(ByteBuf in) {
    int count = Varint.readUnsigned(in);
    if (count < 0 || count > in.readableBytes() / 2) {
      throw new MalformedMessageException(
          Integer.toUnsignedString(count)
              + " tagged fields where "
              + in.readableBytes()
              + " bytes are left");
    }
    return count;
  }

  /** The next tag; tags must rise. */
  public static int readTag(ByteBuf in, int previous) {
    int tag = Varint.readUnsigned(in);
    if (tag <= previous) {
      throw new MalformedMessageException("tag " + tag + " after tag " + previous);
    }
    return tag;
  }

  /** The size of a tagged field, all of which is there. */
  public static int readTaggedSize(ByteBuf in) {
    int size = Varint.readUnsigned(in);
    if (size < 0 || size > in.readableBytes()) {
      throw new MalformedMessageException(
          "a tagged field of "
              + Integer.toUnsignedString(size)
              + " where "
              + in.readableBytes()
              + " bytes are left");
    }
    return size;
  }

  public static RawTaggedField readUnknownTag(ByteBuf in, int tag, int size) {
    return new RawTaggedField(tag, copy(in, size));
  }

  /** A field that the schema knows must fill the size that was said to be its own. */
  public static void checkTagEnd(ByteBuf in, int tag, int end) {
    if (in.readerIndex() != end) {
      throw new MalformedMessageException("tag " + tag + " is not of the size it says");
    }
  }
}
