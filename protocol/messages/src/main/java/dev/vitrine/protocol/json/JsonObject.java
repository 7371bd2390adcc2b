package dev.vitrine.protocol.json;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/** Names with values; keeps the order in which they were put. */
public final class JsonObject implements JsonValue {
  private final Map<String, JsonValue> members = new LinkedHashMap<>();

  public JsonObject put(String name, JsonValue v) {
    members.put(name, v);
    return this;
  }

  /** Null if there is no such name; {@link JsonNull#NULL} if its value is null. */
  public JsonValue get(String name) {
    return members.get(name);
  }

  public boolean has(String name) {
    return members.containsKey(name);
  }

  public Map<String, JsonValue> members() {
    return Collections.unmodifiableMap(members);
  }

  @Override
  public boolean equals(Object o) {
    return o instanceof JsonObject j && j.members.equals(members);
  }

  @Override
  public int hashCode() {
    return members.hashCode();
  }

  @Override
  public String toString() {
    StringBuilder out = new StringBuilder("{");
    members.forEach(
        (name, v) -> {
          if (out.length() > 1) {
            out.append(',');
          }
          JsonString.quote(name, out);
          out.append(':').append(v);
        });
    return out.append('}').toString();
  }
}
