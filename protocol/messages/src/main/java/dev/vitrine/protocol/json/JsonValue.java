package dev.vitrine.protocol.json;

import dev.vitrine.protocol.MalformedMessageException;

/**
 * A value of JSON (RFC 8259). {@code toString} is its text, on one line and without spaces. Objects
 * and arrays are mutable while they are being built; the others are values. Confined to one thread.
 */
public sealed interface JsonValue
    permits JsonArray, JsonBoolean, JsonNull, JsonNumber, JsonObject, JsonString {
  /**
   * Reads one value that takes up the whole text, but for white space around it.
   *
   * @throws MalformedMessageException if it is not JSON by the letter, if a name is there twice in
   *     an object, or if it is nested deeper than {@value JsonParser#MAX_DEPTH}
   */
  static JsonValue parse(String text) {
    return new JsonParser(text).parseAll();
  }
}
