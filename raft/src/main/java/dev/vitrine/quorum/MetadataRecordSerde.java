package dev.vitrine.quorum;

import dev.vitrine.protocol.ApiMessage;
import dev.vitrine.protocol.MalformedMessageException;
import dev.vitrine.protocol.MessageWriter;
import dev.vitrine.protocol.Varint;
import dev.vitrine.protocol.message.MetadataRecordType;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

/** A metadata record as the value of a log record: frame version 1, type, version, body. */
public final class MetadataRecordSerde {
  private static final int FRAME_VERSION = 1;

  private MetadataRecordSerde() {}

  public static byte[] encode(ApiMessageAndVersion record) {
    ApiMessage m = record.message();
    int head =
        Varint.sizeOfUnsigned(FRAME_VERSION)
            + Varint.sizeOfUnsigned(m.apiKey())
            + Varint.sizeOfUnsigned(record.version());
    byte[] bytes = new byte[head + m.size(record.version())];
    ByteBuf out = Unpooled.wrappedBuffer(bytes).writerIndex(0);
    Varint.writeUnsigned(out, FRAME_VERSION);
    Varint.writeUnsigned(out, (int) m.apiKey());
    Varint.writeUnsigned(out, (int) record.version());
    m.write(new MessageWriter(out), record.version());
    return bytes;
  }

  /**
   * @throws MalformedMessageException if the bytes are not one record of a type and version that
   *     are known here; the message names them
   */
  public static ApiMessageAndVersion decode(ByteBuf value) {
    if (value == null) {
      throw new MalformedMessageException("a metadata record without a value");
    }
    ByteBuf in = value.duplicate();
    int frame = Varint.readUnsigned(in);
    if (frame != FRAME_VERSION) {
      throw new MalformedMessageException("frame version " + frame + " of a metadata record");
    }
    int type = Varint.readUnsigned(in);
    int version = Varint.readUnsigned(in);
    MetadataRecordType known = MetadataRecordType.forId(type);
    if (known == null) {
      throw new MalformedMessageException("a metadata record of the unknown type " + type);
    }
    if (version < known.lowestVersion() || version > known.highestVersion()) {
      throw new MalformedMessageException("version " + version + " of a " + known);
    }
    ApiMessage m = known.newRecord();
    m.read(in, (short) version);
    if (in.isReadable()) {
      throw new MalformedMessageException(in.readableBytes() + " bytes behind a " + known);
    }
    return new ApiMessageAndVersion(m, (short) version);
  }
}
