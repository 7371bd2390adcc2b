package dev.vitrine.protocol.json;

/** {@code null}. */
public enum JsonNull implements JsonValue {
  NULL;

  @Override
  public String toString() {
    return "null";
  }
}
