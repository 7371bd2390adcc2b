package dev.vitrine.protocol.json;

/** {@code true} or {@code false}. */
public record JsonBoolean(boolean value) implements JsonValue {
  @Override
  public String toString() {
    return Boolean.toString(value);
  }
}
