package dev.vitrine.protocol;

import dev.vitrine.protocol.AnyValue.RecordBytes;
import dev.vitrine.protocol.record.MemoryRecords;
import dev.vitrine.protocol.record.Records;
import io.netty.buffer.Unpooled;
import java.lang.reflect.Method;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Builds an object of either side from a tree of {@link AnyValue}, by the names of its setters:
 * {@code setErrorCode(short)} on Kafka's, {@code errorCode(short)} on ours. One instance a side.
 */
final class Mirror {
  private final boolean kafka;
  private final Map<Class<?>, Map<String, Method>> setters = new HashMap<>();

  Mirror(boolean kafka) {
    this.kafka = kafka;
  }

  @SuppressWarnings("unchecked")
  Object build(Class<?> type, Map<String, Object> fields) throws ReflectiveOperationException {
    Object o = type.getDeclaredConstructor().newInstance();
    for (Map.Entry<String, Object> f : fields.entrySet()) {
      if (f.getKey().equals(AnyValue.UNKNOWN_TAGS)) {
        Method list = type.getMethod("unknownTaggedFields");
        for (RawTaggedField t : (List<RawTaggedField>) f.getValue()) {
          ((List<Object>) list.invoke(o)).add(tag(t));
        }
        continue;
      }
      Method setter = settersOf(type).get(plain(f.getKey()));
      if (setter == null) {
        throw new AssertionError(type + " has no setter for " + f.getKey());
      }
      setter.invoke(o, convert(f.getValue(), setter.getGenericParameterTypes()[0]));
    }
    return o;
  }

  private Object tag(RawTaggedField t) {
    return kafka ? new org.apache.kafka.common.protocol.types.RawTaggedField(t.tag(), t.data()) : t;
  }

  private static String plain(String name) {
    return name.replace("_", "").toLowerCase(Locale.ROOT);
  }

  private Map<String, Method> settersOf(Class<?> type) {
    return setters.computeIfAbsent(
        type,
        t -> {
          Map<String, Method> found = new HashMap<>();
          for (Method m : t.getMethods()) {
            if (m.getParameterCount() == 1 && m.getReturnType() == t) {
              String name = m.getName();
              if (kafka && name.startsWith("set")) {
                found.put(plain(name.substring(3)), m);
              } else if (!kafka) {
                found.put(plain(name), m);
              }
            }
          }
          return found;
        });
  }

  @SuppressWarnings("unchecked")
  private Object convert(Object value, Type target) throws ReflectiveOperationException {
    if (value instanceof Map) {
      return build((Class<?>) target, (Map<String, Object>) value);
    }
    if (value instanceof List<?> list) {
      return collection(list, target);
    }
    if (value instanceof Uuid u && kafka) {
      return new org.apache.kafka.common.Uuid(u.mostSignificantBits(), u.leastSignificantBits());
    }
    if (value instanceof byte[] b && target == ByteBuffer.class) {
      return ByteBuffer.wrap(b);
    }
    if (value instanceof RecordBytes r) {
      return kafka
          ? org.apache.kafka.common.record.internal.MemoryRecords.readableRecords(
              ByteBuffer.wrap(r.bytes()))
          : (Records) new MemoryRecords(Unpooled.wrappedBuffer(r.bytes()));
    }
    return value;
  }

  @SuppressWarnings("unchecked")
  private Object collection(List<?> values, Type target) throws ReflectiveOperationException {
    Type element;
    Collection<Object> made;
    if (target instanceof ParameterizedType p) {
      element = p.getActualTypeArguments()[0];
      made = new ArrayList<>();
    } else {
      // One of Kafka's keyed collections.
      Class<?> c = (Class<?>) target;
      element = ((ParameterizedType) c.getGenericSuperclass()).getActualTypeArguments()[0];
      made = (Collection<Object>) c.getDeclaredConstructor().newInstance();
    }
    for (Object v : values) {
      made.add(convert(v, element));
    }
    return made;
  }
}
