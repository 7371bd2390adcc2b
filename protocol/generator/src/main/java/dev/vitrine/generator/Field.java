package dev.vitrine.generator;

/**
 * One field of a struct. A value.
 *
 * @param tag its tag in the versions in which it is tagged, otherwise -1
 * @param defaultValue the default as Java source
 * @param flexible in which versions its length is a varint; not those of the message in one case,
 *     the client id of the request header
 */
record Field(
    String name,
    FieldType type,
    Versions versions,
    Versions nullable,
    Versions tagged,
    int tag,
    boolean ignorable,
    Versions flexible,
    String defaultValue) {
  boolean defaultsToNull() {
    return defaultValue.equals("null");
  }

  /** The name of the Java field and of its accessors. */
  String java() {
    return Character.toLowerCase(name.charAt(0)) + name.substring(1);
  }
}
