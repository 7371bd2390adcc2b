package dev.vitrine.protocol;

import dev.vitrine.protocol.record.Records;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;

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

  public final void writeBoolean(boolean v) {
    out.writeByte(v ? 1 : 0);
  }

  public final void writeByte(int v) {
    out.writeByte(v);
  }

  public final void writeShort(int v) {
    out.writeShort(v);
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
}
