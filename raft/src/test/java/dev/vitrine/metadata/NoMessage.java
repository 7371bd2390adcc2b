package dev.vitrine.metadata;

import dev.vitrine.protocol.ApiMessage;
import dev.vitrine.protocol.MessageWriter;
import dev.vitrine.protocol.RawTaggedField;
import io.netty.buffer.ByteBuf;
import java.util.List;

/** An empty message for tests to give a number. */
abstract class NoMessage implements ApiMessage {
  @Override
  public short lowestSupportedVersion() {
    return 0;
  }

  @Override
  public short highestSupportedVersion() {
    return 0;
  }

  @Override
  public int size(short version) {
    return 0;
  }

  @Override
  public void write(MessageWriter out, short version) {}

  @Override
  public void read(ByteBuf in, short version) {}

  @Override
  public List<RawTaggedField> unknownTaggedFields() {
    return List.of();
  }
}
