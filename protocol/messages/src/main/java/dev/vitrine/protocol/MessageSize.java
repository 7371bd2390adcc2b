package dev.vitrine.protocol;

import dev.vitrine.protocol.record.Records;
import io.netty.buffer.ByteBufUtil;
import java.util.List;

/**
 * How many bytes {@link MessageWriter} will write for a value, its length included. Holds no state.
 */
public final class MessageSize {
  private MessageSize() {}

  public static int ofString(String v, boolean flexible) {
    if (v == null) {
      return flexible ? 1 : 2;
    }
    int utf8 = ByteBufUtil.utf8Bytes(v);
    if (utf8 > MessageReader.MAX_STRING) {
      throw MessageWriter.tooLong(utf8);
    }
    return utf8 + (flexible ? Varint.sizeOfUnsigned(utf8 + 1) : 2);
  }

  public static int ofBytes(byte[] v, boolean flexible) {
    return v == null ? ofLength(-1, flexible) : ofLength(v.length, flexible) + v.length;
  }

  public static int ofRecords(Records v, boolean flexible) {
    if (v == null) {
      return ofLength(-1, flexible);
    }
    int size = v.sizeInBytes();
    return ofLength(size, flexible) + size;
  }

  public static int ofArrayLength(List<?> v, boolean flexible) {
    return ofLength(v == null ? -1 : v.size(), flexible);
  }

  private static int ofLength(int length, boolean flexible) {
    return flexible ? Varint.sizeOfUnsigned(length + 1) : 4;
  }

  /** What stands before a tagged field of this size. */
  public static int ofTag(int tag, int size) {
    return Varint.sizeOfUnsigned(tag) + Varint.sizeOfUnsigned(size);
  }

  /** The number of tagged fields and all the unknown ones. */
  public static int ofTagSection(int known, List<RawTaggedField> unknown) {
    if (unknown == null) {
      return Varint.sizeOfUnsigned(known);
    }
    int size = Varint.sizeOfUnsigned(known + unknown.size());
    for (RawTaggedField f : unknown) {
      size += ofTag(f.tag(), f.data().length) + f.data().length;
    }
    return size;
  }
}
