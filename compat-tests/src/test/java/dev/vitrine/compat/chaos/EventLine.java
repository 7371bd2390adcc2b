package dev.vitrine.compat.chaos;

import java.lang.reflect.Constructor;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.apache.kafka.common.TopicPartition;

/** Events as lines of text: time in µs, name of the record, its components, with tabs between. */
final class EventLine {
  private static final String TAB = "\t";

  private static final Map<String, Class<?>> KINDS =
      Arrays.stream(Event.class.getPermittedSubclasses())
          .collect(Collectors.toMap(Class::getSimpleName, Function.identity()));

  private EventLine() {}

  static String write(Timed timed) {
    Event event = timed.event();
    List<String> parts = new ArrayList<>();
    parts.add(String.valueOf(timed.atMicros()));
    parts.add(event.getClass().getSimpleName());
    try {
      for (RecordComponent component : event.getClass().getRecordComponents()) {
        parts.add(text(component.getAccessor().invoke(event)));
      }
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
    return String.join(TAB, parts);
  }

  /**
   * @throws IllegalArgumentException if it is no line of a history
   */
  static Timed read(String line) {
    String[] parts = line.split(TAB, -1);
    Class<?> kind = parts.length < 2 ? null : KINDS.get(parts[1]);
    if (kind == null || kind.getRecordComponents().length != parts.length - 2) {
      throw new IllegalArgumentException("not a line of a history: " + line);
    }
    RecordComponent[] components = kind.getRecordComponents();
    Object[] values = new Object[components.length];
    Class<?>[] types = new Class<?>[components.length];
    for (int i = 0; i < components.length; i++) {
      types[i] = components[i].getType();
      values[i] = value(types[i], parts[i + 2]);
    }
    try {
      Constructor<?> constructor = kind.getDeclaredConstructor(types);
      return new Timed(Long.parseLong(parts[0]), (Event) constructor.newInstance(values));
    } catch (ReflectiveOperationException e) {
      throw new IllegalArgumentException("not a line of a history: " + line, e);
    }
  }

  private static String text(Object value) {
    if (value instanceof List<?> items) {
      return items.stream()
          .map(Event.Item.class::cast)
          .map(item -> item.offset() + "=" + item.value())
          .collect(Collectors.joining(" "));
    }
    return String.valueOf(value).replaceAll("[\\t\\r\\n]+", " ");
  }

  private static Object value(Class<?> type, String text) {
    if (type == String.class) {
      return text;
    } else if (type == boolean.class) {
      return Boolean.parseBoolean(text);
    } else if (type == int.class) {
      return Integer.parseInt(text);
    } else if (type == long.class) {
      return Long.parseLong(text);
    } else if (type == TopicPartition.class) {
      int dash = text.lastIndexOf('-');
      return new TopicPartition(
          text.substring(0, dash), Integer.parseInt(text.substring(dash + 1)));
    } else if (type == List.class) {
      return text.isEmpty()
          ? List.of()
          : Arrays.stream(text.split(" ")).map(EventLine::item).toList();
    }
    throw new IllegalArgumentException("no component of an event is a " + type);
  }

  private static Event.Item item(String text) {
    int sign = text.indexOf('=');
    return new Event.Item(Long.parseLong(text.substring(0, sign)), text.substring(sign + 1));
  }
}
