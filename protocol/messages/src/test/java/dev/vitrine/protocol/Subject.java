package dev.vitrine.protocol;

import dev.vitrine.protocol.message.ApiKeys;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.Message;
import org.apache.kafka.common.protocol.ObjectSerializationCache;
import org.apache.kafka.common.protocol.types.Schema;

/** One message under test: our class and Kafka's, side by side. */
final class Subject {
  private static final String[] KAFKA_PACKAGES = {
    "org.apache.kafka.common.message",
    "org.apache.kafka.common.metadata",
    "org.apache.kafka.raft.generated",
    "org.apache.kafka.coordinator.group.generated",
    "org.apache.kafka.coordinator.transaction.generated",
    "org.apache.kafka.coordinator.share.generated",
    "org.apache.kafka.server.log.remote.metadata.storage.generated"
  };
  private static final Mirror OURS = new Mirror(false);
  private static final Mirror THEIRS = new Mirror(true);

  final Class<?> ours;
  final Class<?> theirs;
  private final Schema[] schemas;

  private Subject(Class<?> ours) throws ReflectiveOperationException {
    this.ours = ours;
    this.theirs = kafkaClass(ours.getSimpleName());
    this.schemas = (Schema[]) theirs.getField("SCHEMAS").get(null);
  }

  /** Every message that was generated, by name. */
  static List<Subject> all() throws Exception {
    URI classes = ApiKeys.class.getProtectionDomain().getCodeSource().getLocation().toURI();
    Path folder = Path.of(classes).resolve(ApiKeys.class.getPackageName().replace('.', '/'));
    List<Subject> all = new ArrayList<>();
    try (Stream<Path> files = Files.list(folder)) {
      for (Path f : (Iterable<Path>) files.sorted()::iterator) {
        String name = f.getFileName().toString();
        if (name.endsWith(".class") && !name.contains("$")) {
          Class<?> c =
              Class.forName(
                  ApiKeys.class.getPackageName() + "." + name.replaceAll("\\.class$", ""));
          if (ApiMessage.class.isAssignableFrom(c)) {
            all.add(new Subject(c));
          }
        }
      }
    }
    return all;
  }

  private static Class<?> kafkaClass(String name) {
    for (String p : KAFKA_PACKAGES) {
      for (String suffix : new String[] {"Data", ""}) {
        try {
          return Class.forName(p + "." + name + suffix);
        } catch (ClassNotFoundException e) {
          // The next.
        }
      }
    }
    throw new AssertionError("Kafka has no class for " + name);
  }

  String name() {
    return ours.getSimpleName();
  }

  short lowest() {
    return newOurs().lowestSupportedVersion();
  }

  short highest() {
    return newOurs().highestSupportedVersion();
  }

  Schema schema(int version) {
    return schemas[version];
  }

  ApiMessage newOurs() {
    try {
      return (ApiMessage) ours.getDeclaredConstructor().newInstance();
    } catch (ReflectiveOperationException e) {
      throw new AssertionError(e);
    }
  }

  Message newTheirs() {
    try {
      return (Message) theirs.getDeclaredConstructor().newInstance();
    } catch (ReflectiveOperationException e) {
      throw new AssertionError(e);
    }
  }

  ApiMessage ours(Map<String, Object> value) throws ReflectiveOperationException {
    return (ApiMessage) OURS.build(ours, value);
  }

  Message theirs(Map<String, Object> value) throws ReflectiveOperationException {
    return (Message) THEIRS.build(theirs, value);
  }

  static byte[] write(ApiMessage m, short version) {
    ByteBuf out = Unpooled.buffer(64);
    m.write(new MessageWriter(out), version);
    return ByteBufUtil.getBytes(out);
  }

  static byte[] write(Message m, short version) {
    ObjectSerializationCache cache = new ObjectSerializationCache();
    ByteBuffer out = ByteBuffer.allocate(m.size(cache, version));
    m.write(new ByteBufferAccessor(out), cache, version);
    return out.array();
  }

  ApiMessage readOurs(byte[] bytes, short version) {
    ByteBuf in = Unpooled.wrappedBuffer(bytes);
    ApiMessage m = newOurs();
    m.read(in, version);
    if (in.isReadable()) {
      throw new MalformedMessageException(in.readableBytes() + " bytes are left over");
    }
    return m;
  }

  Message readTheirs(byte[] bytes, short version) {
    Message m = newTheirs();
    m.read(new ByteBufferAccessor(ByteBuffer.wrap(bytes)), version);
    return m;
  }
}
