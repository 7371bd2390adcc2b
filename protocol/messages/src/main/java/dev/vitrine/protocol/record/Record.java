package dev.vitrine.protocol.record;

import dev.vitrine.protocol.Varint;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * A view of one record, filled by {@link RecordIterator} and the same object for each. Keys and
 * values are slices, not retained, that live until the iterator moves on. Confined to one thread.
 */
public final class Record {
  ByteBuf buffer;
  int sizeInBytes;
  byte attributes;
  long offset;
  int offsetDelta;
  long timestamp;
  int sequence;
  int keyIndex;
  int keySize;
  int valueIndex;
  int valueSize;
  int headersIndex;
  int headerCount;

  Record() {}

  public long offset() {
    return offset;
  }

  /** From the base offset of the batch, as written. */
  public int offsetDelta() {
    return offsetDelta;
  }

  /** The batch's maximum if its timestamps are the time of the append. */
  public long timestamp() {
    return timestamp;
  }

  public int sequence() {
    return sequence;
  }

  /** Unused by Kafka so far. */
  public byte attributes() {
    return attributes;
  }

  /** As in the log when not compressed, the length before it included. */
  public int sizeInBytes() {
    return sizeInBytes;
  }

  public boolean hasKey() {
    return keySize >= 0;
  }

  /** -1 if null. */
  public int keySize() {
    return keySize;
  }

  public boolean hasValue() {
    return valueSize >= 0;
  }

  /** -1 if null. */
  public int valueSize() {
    return valueSize;
  }

  /** Null if it has none. */
  public ByteBuf key() {
    return keySize < 0 ? null : content().slice(keyIndex, keySize);
  }

  /** Null if it has none. */
  public ByteBuf value() {
    return valueSize < 0 ? null : content().slice(valueIndex, valueSize);
  }

  /** A copy; null if it has none. */
  public byte[] keyBytes() {
    return keySize < 0 ? null : ByteBufUtil.getBytes(content(), keyIndex, keySize);
  }

  /** A copy; null if it has none. */
  public byte[] valueBytes() {
    return valueSize < 0 ? null : ByteBufUtil.getBytes(content(), valueIndex, valueSize);
  }

  public int headerCount() {
    return headerCount;
  }

  /** The headers in their order; their structure was checked when the record was read. */
  public List<RecordHeader> headers() {
    List<RecordHeader> headers = new ArrayList<>(headerCount);
    ByteBuf in = headerCount == 0 ? null : content().duplicate();
    if (in != null) {
      in.setIndex(headersIndex, in.capacity());
    }
    for (int i = 0; i < headerCount; i++) {
      int keyLength = Varint.read(in);
      String key = in.toString(in.readerIndex(), keyLength, StandardCharsets.UTF_8);
      in.skipBytes(keyLength);
      int valueLength = Varint.read(in);
      headers.add(new RecordHeader(key, valueLength < 0 ? null : in.readSlice(valueLength)));
    }
    return headers;
  }

  private ByteBuf content() {
    if (buffer == null) {
      throw new IllegalStateException("this record was read without its content");
    }
    return buffer;
  }
}
