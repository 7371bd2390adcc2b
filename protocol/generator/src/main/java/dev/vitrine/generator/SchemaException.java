package dev.vitrine.generator;

/** A schema that the generator cannot take; the message names the file and the field. */
final class SchemaException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  SchemaException(String file, String field, String problem) {
    super(file + ": " + (field.isEmpty() ? "" : field + ": ") + problem);
  }
}
