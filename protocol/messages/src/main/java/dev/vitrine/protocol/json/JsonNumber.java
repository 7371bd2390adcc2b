package dev.vitrine.protocol.json;

/** A number, as it is written: no digit is lost until somebody asks for a type. */
public record JsonNumber(String literal) implements JsonValue {
  public JsonNumber(long value) {
    this(Long.toString(value));
  }

  @Override
  public String toString() {
    return literal;
  }
}
