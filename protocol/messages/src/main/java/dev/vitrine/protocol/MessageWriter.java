package dev.vitrine.protocol;

import dev.vitrine.protocol.record.Records;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import java.util.List;

/**
 * Where a message writes itself: Kafka's primitives, big-endian, into one buffer. {@link
 * FrameWriter} overrides only {@link #writeRecords}, so that record bytes can leave by {@code
 * sendfile}. Confined to one thread.
 */
public class MessageWriter {
  protected ByteBuf out;

  public MessageWriter(ByteBuf out) {
    this.out = out;
  }

  public static void checkVersion(String message, short version, short lowest, short highest) {
    if (version < lowest || version > highest) {
      throw new UnsupportedVersionException(message + " has no version " + version);
    }
  }

  /** A field is set that this version does not have. */
  public static UnsupportedVersionException cannotCarry(String field, short version) {
    return new UnsupportedVersionException(
        "version " + version + " cannot carry " + field + ", which is set");
  }

  /** A field is null that this version cannot say is null. */
  public static UnsupportedVersionException cannotBeNull(String field, short version) {
    return new UnsupportedVersionException(field + " cannot be null in version " + version);
  }

  static IllegalArgumentException tooLong(int utf8) {
    return new IllegalArgumentException(
        "a string of " + utf8 + " bytes, the protocol allows " + MessageReader.MAX_STRING);
  }

  public final void writeBoolean(boolean v) {
    out.writeByte(v ? 1 : 0);
  }

  public final void writeByte(int v) {
    out.writeByte(v);
  }

  public final void writeShort(int v) {
    out.writeShort(v);
  }

  public final void writeUnsignedShort(int v) {
    if (v < 0 || v > 0xffff) {
      throw new IllegalArgumentException(v + " is no unsigned 16-bit number");
    }
    out.writeShort(v);
  }

  public final void writeUnsignedInt(long v) {
    if (v < 0 || v > 0xffffffffL) {
      throw new IllegalArgumentException(v + " is no unsigned 32-bit number");
    }
    out.writeInt((int) v);
  }

  public final void writeInt(int v) {
    out.writeInt(v);
  }

  public final void writeLong(long v) {
    out.writeLong(v);
  }

  public final void writeDouble(double v) {
    out.writeDouble(v);
  }

  public final void writeUuid(Uuid v) {
    out.writeLong(v.mostSignificantBits());
    out.writeLong(v.leastSignificantBits());
  }

  public final void writeUnsignedVarint(int v) {
    Varint.writeUnsigned(out, v);
  }

  public final void writeBytes(byte[] v) {
    out.writeBytes(v);
  }

  /** The UTF-8 bytes alone; the length stands before them, in the form that the version wants. */
  public final void writeUtf8(String v) {
    ByteBufUtil.writeUtf8(out, v);
  }

  /** The record bytes alone; the length stands before them. */
  public void writeRecords(Records v) {
    v.writeTo(out);
  }

  /** The length, then the UTF-8 bytes; null if the caller has found that it may be. */
  public final void writeString(String v, boolean flexible) {
    int utf8 = v == null ? -1 : ByteBufUtil.utf8Bytes(v);
    if (utf8 > MessageReader.MAX_STRING) {
      throw tooLong(utf8);
    }
    if (flexible) {
      Varint.writeUnsigned(out, utf8 + 1);
    } else {
      out.writeShort(utf8);
    }
    if (utf8 > 0) {
      ByteBufUtil.reserveAndWriteUtf8(out, v, utf8);
    }
  }

  public final void writeBytes(byte[] v, boolean flexible) {
    writeLength(v == null ? -1 : v.length, flexible);
    if (v != null) {
      out.writeBytes(v);
    }
  }

  public final void writeRecords(Records v, boolean flexible) {
    writeLength(v == null ? -1 : v.sizeInBytes(), flexible);
    if (v != null) {
      writeRecords(v);
    }
  }

  public final void writeArrayLength(List<?> v, boolean flexible) {
    writeLength(v == null ? -1 : v.size(), flexible);
  }

  private void writeLength(int length, boolean flexible) {
    if (flexible) {
      Varint.writeUnsigned(out, length + 1);
    } else {
      out.writeInt(length);
    }
  }

  /** How many tagged fields will follow. */
  public final void writeTagCount(int known, List<RawTaggedField> unknown) {
    Varint.writeUnsigned(out, known + (unknown == null ? 0 : unknown.size()));
  }

  /** What stands before a tagged field. */
  public final void writeTag(int tag, int size) {
    Varint.writeUnsigned(out, tag);
    Varint.writeUnsigned(out, size);
  }

  /**
   * The unknown tagged fields from index {@code from} on whose tags are below {@code tag}, so that
   * known and unknown leave in one order.
   *
   * @return the index of the first one that is left
   */
  public final int writeUnknownTags(List<RawTaggedField> unknown, int from, int tag) {
    if (unknown == null) {
      return 0;
    }
    int i = from;
    for (; i < unknown.size() && unknown.get(i).tag() <= tag; i++) {
      RawTaggedField f = unknown.get(i);
      if (f.tag() == tag || (i > 0 && f.tag() <= unknown.get(i - 1).tag())) {
        throw new IllegalArgumentException("unknown tag " + f.tag() + " is known or out of order");
      }
      writeTag(f.tag(), f.data().length);
      out.writeBytes(f.data());
    }
    return i;
  }
}
