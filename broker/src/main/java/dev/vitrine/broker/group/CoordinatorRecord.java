package dev.vitrine.broker.group;

import dev.vitrine.protocol.ApiMessage;
import dev.vitrine.protocol.MessageWriter;
import dev.vitrine.protocol.message.CoordinatorRecordType;
import dev.vitrine.protocol.record.Record;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

/**
 * One record of {@code __consumer_offsets}: a key that begins with the number of its type, and a
 * value that begins with its version. Immutable as long as nobody changes the messages.
 *
 * @param value null for a tombstone
 */
record CoordinatorRecord(ApiMessage key, ApiMessage value, short valueVersion) {
  static CoordinatorRecord of(ApiMessage key, ApiMessage value, int version) {
    return new CoordinatorRecord(key, value, (short) version);
  }

  static CoordinatorRecord tombstone(ApiMessage key) {
    return new CoordinatorRecord(key, null, (short) 0);
  }

  /** Null if the type is not known here; nothing of the value is read then. */
  static CoordinatorRecord read(Record record) {
    ByteBuf keyBytes = record.key();
    CoordinatorRecordType type = CoordinatorRecordType.forId(keyBytes.readShort());
    if (type == null) {
      return null;
    }
    ApiMessage key = type.newKey();
    key.read(keyBytes, (short) 0);
    if (!record.hasValue()) {
      return tombstone(key);
    }
    ByteBuf valueBytes = record.value();
    short version = valueBytes.readShort();
    if (version < type.lowestVersion() || version > type.highestVersion()) {
      throw new IllegalArgumentException("unknown version " + version + " of a " + type);
    }
    ApiMessage value = type.newValue();
    value.read(valueBytes, version);
    return new CoordinatorRecord(key, value, version);
  }

  ByteBuf keyBytes() {
    return bytes(key.apiKey(), key, (short) 0);
  }

  /** Null for a tombstone. */
  ByteBuf valueBytes() {
    return value == null ? null : bytes(valueVersion, value, valueVersion);
  }

  private static ByteBuf bytes(short prefix, ApiMessage message, short version) {
    ByteBuf out = Unpooled.buffer(2 + message.size(version));
    out.writeShort(prefix);
    message.write(new MessageWriter(out), version);
    return out;
  }
}
