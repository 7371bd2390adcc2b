package dev.vitrine.compat;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;

/**
 * A record batch (magic 2) byte by byte, right as it is made and then wrong in just the way that a
 * test wants. Not thread safe.
 */
public final class RawBatch {
  private static final int AFTER_LENGTH = 12;
  private static final int AFTER_CRC = 21;

  private byte magic = 2;
  private short attributes;
  private long baseTimestamp = System.currentTimeMillis();
  private long maxTimestamp = baseTimestamp;
  private long producerId = -1;
  private short producerEpoch = -1;
  private int baseSequence = -1;
  private long baseOffset;
  private Integer lastOffsetDelta;
  private Integer count;
  private Integer length;
  private int lengthError;
  private int crcError;
  private byte[] body;
  private final List<byte[]> records = new ArrayList<>();

  /** Two good records. */
  public static RawBatch ofTwo() {
    return new RawBatch().add(record(0, 0, "k0", "v0")).add(record(0, 1, "k1", "v1"));
  }

  public static byte[] record(long timestampDelta, int offsetDelta, String key, String value) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    out.write(0); // attributes
    varint(out, timestampDelta);
    varint(out, offsetDelta);
    text(out, key);
    text(out, value);
    varint(out, 0); // headers
    return sized(out.size(), out.toByteArray());
  }

  /** A record that claims to be so long. */
  public static byte[] sized(int length, byte[] record) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    varint(out, length);
    out.writeBytes(record);
    return out.toByteArray();
  }

  private static void text(ByteArrayOutputStream out, String text) {
    if (text == null) {
      varint(out, -1);
      return;
    }
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    varint(out, bytes.length);
    out.writeBytes(bytes);
  }

  private static void varint(ByteArrayOutputStream out, long value) {
    long left = (value << 1) ^ (value >> 63);
    while ((left & ~0x7fL) != 0) {
      out.write((int) (left & 0x7f | 0x80));
      left >>>= 7;
    }
    out.write((int) left);
  }

  public RawBatch add(byte[] record) {
    records.add(record);
    return this;
  }

  public RawBatch magic(int magic) {
    this.magic = (byte) magic;
    return this;
  }

  public RawBatch attributes(int attributes) {
    this.attributes = (short) attributes;
    return this;
  }

  public RawBatch baseTimestamp(long timestamp) {
    this.baseTimestamp = timestamp;
    this.maxTimestamp = timestamp;
    return this;
  }

  public RawBatch maxTimestamp(long timestamp) {
    this.maxTimestamp = timestamp;
    return this;
  }

  public RawBatch baseOffset(long offset) {
    this.baseOffset = offset;
    return this;
  }

  public RawBatch producer(long id, int epoch, int sequence) {
    this.producerId = id;
    this.producerEpoch = (short) epoch;
    this.baseSequence = sequence;
    return this;
  }

  public RawBatch lastOffsetDelta(int delta) {
    this.lastOffsetDelta = delta;
    return this;
  }

  public RawBatch count(int count) {
    this.count = count;
    return this;
  }

  public RawBatch length(int length) {
    this.length = length;
    return this;
  }

  /** A length that is so much more than the right one; less if negative. */
  public RawBatch longer(int by) {
    this.lengthError = by;
    return this;
  }

  public RawBatch wrongCrc() {
    this.crcError = 1;
    return this;
  }

  /** These bytes in place of the records, as if they were compressed. */
  public RawBatch body(byte[] body) {
    this.body = body;
    return this;
  }

  public ByteBuffer build() {
    ByteArrayOutputStream joined = new ByteArrayOutputStream();
    records.forEach(joined::writeBytes);
    byte[] content = body == null ? joined.toByteArray() : body;
    ByteBuffer out = ByteBuffer.allocate(61 + content.length);
    out.putLong(baseOffset);
    out.putInt(length == null ? out.capacity() - AFTER_LENGTH + lengthError : length);
    out.putInt(-1); // partition leader epoch
    out.put(magic);
    out.putInt(0); // CRC, later
    out.putShort(attributes);
    out.putInt(lastOffsetDelta == null ? records.size() - 1 : lastOffsetDelta);
    out.putLong(baseTimestamp);
    out.putLong(maxTimestamp);
    out.putLong(producerId);
    out.putShort(producerEpoch);
    out.putInt(baseSequence);
    out.putInt(count == null ? records.size() : count);
    out.put(content);
    CRC32C crc = new CRC32C();
    crc.update(out.array(), AFTER_CRC, out.capacity() - AFTER_CRC);
    out.putInt(AFTER_CRC - 4, (int) crc.getValue() + crcError);
    return out.flip();
  }
}
