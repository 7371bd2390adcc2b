package dev.vitrine.protocol.json;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;

/** Values in order. */
public final class JsonArray implements JsonValue, Iterable<JsonValue> {
  private final List<JsonValue> elements = new ArrayList<>();

  public JsonArray add(JsonValue v) {
    elements.add(v);
    return this;
  }

  public int size() {
    return elements.size();
  }

  public JsonValue get(int index) {
    return elements.get(index);
  }

  @Override
  public Iterator<JsonValue> iterator() {
    return elements.iterator();
  }

  @Override
  public boolean equals(Object o) {
    return o instanceof JsonArray a && a.elements.equals(elements);
  }

  @Override
  public int hashCode() {
    return elements.hashCode();
  }

  @Override
  public String toString() {
    StringBuilder out = new StringBuilder("[");
    for (JsonValue v : elements) {
      out.append(out.length() > 1 ? "," : "").append(v);
    }
    return out.append(']').toString();
  }
}
