package dev.vitrine.broker.group;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.TreeSet;

/**
 * The topics in what a member of the consumer protocol says of itself. The rest of it is the
 * members' own affair.
 */
final class ConsumerSubscription {
  private ConsumerSubscription() {}

  /** Null if these are not the bytes of a subscription. */
  static Set<String> topics(byte[] metadata) {
    ByteBuf in = Unpooled.wrappedBuffer(metadata);
    if (in.readableBytes() < 6 || in.readShort() < 0) {
      return null;
    }
    int count = in.readInt();
    if (count < 0 || count > in.readableBytes() / 2) {
      return null;
    }
    Set<String> topics = new TreeSet<>();
    for (int i = 0; i < count; i++) {
      int length = in.readableBytes() < 2 ? -1 : in.readShort();
      if (length < 0 || length > in.readableBytes()) {
        return null;
      }
      topics.add(in.readCharSequence(length, StandardCharsets.UTF_8).toString());
    }
    return topics;
  }
}
