package dev.vitrine.protocol;

import io.netty.buffer.ByteBuf;

/**
 * Variable-length integers: seven bits a byte, the least significant first; the signed forms are
 * zigzag-coded.
 */
public final class Varint {
  private Varint() {}

  public static int sizeOfUnsigned(int v) {
    return (38 - Integer.numberOfLeadingZeros(v | 1)) / 7;
  }

  public static int sizeOfUnsigned(long v) {
    return (70 - Long.numberOfLeadingZeros(v | 1)) / 7;
  }

  public static int sizeOf(int v) {
    return sizeOfUnsigned((v << 1) ^ (v >> 31));
  }

  public static int sizeOf(long v) {
    return sizeOfUnsigned((v << 1) ^ (v >> 63));
  }

  public static void writeUnsigned(ByteBuf out, int v) {
    while ((v & ~0x7f) != 0) {
      out.writeByte(v & 0x7f | 0x80);
      v >>>= 7;
    }
    out.writeByte(v);
  }

  public static void writeUnsigned(ByteBuf out, long v) {
    while ((v & ~0x7fL) != 0) {
      out.writeByte((int) v & 0x7f | 0x80);
      v >>>= 7;
    }
    out.writeByte((int) v);
  }

  public static void write(ByteBuf out, int v) {
    writeUnsigned(out, (v << 1) ^ (v >> 31));
  }

  public static void write(ByteBuf out, long v) {
    writeUnsigned(out, (v << 1) ^ (v >> 63));
  }

  /**
   * @throws MalformedMessageException if the bytes end within it or it is longer than five bytes
   */
  public static int readUnsigned(ByteBuf in) {
    int v = 0;
    for (int shift = 0; shift < 35; shift += 7) {
      if (!in.isReadable()) {
        throw new MalformedMessageException("the bytes end within a varint");
      }
      byte b = in.readByte();
      v |= (b & 0x7f) << shift;
      if (b >= 0) {
        return v;
      }
    }
    throw new MalformedMessageException("a varint of more than 5 bytes");
  }

  /**
   * @throws MalformedMessageException if the bytes end within it or it is longer than ten bytes
   */
  public static long readUnsignedLong(ByteBuf in) {
    long v = 0;
    for (int shift = 0; shift < 70; shift += 7) {
      if (!in.isReadable()) {
        throw new MalformedMessageException("the bytes end within a varlong");
      }
      byte b = in.readByte();
      v |= (long) (b & 0x7f) << shift;
      if (b >= 0) {
        return v;
      }
    }
    throw new MalformedMessageException("a varlong of more than 10 bytes");
  }

  public static int read(ByteBuf in) {
    int v = readUnsigned(in);
    return v >>> 1 ^ -(v & 1);
  }

  public static long readLong(ByteBuf in) {
    long v = readUnsignedLong(in);
    return v >>> 1 ^ -(v & 1);
  }
}
