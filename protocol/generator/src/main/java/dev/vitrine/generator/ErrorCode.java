package dev.vitrine.generator;

import dev.vitrine.generator.FieldType.ArrayType;
import dev.vitrine.generator.FieldType.Primitive;
import dev.vitrine.generator.FieldType.StructType;

/**
 * Writes the method of a response that names each error code in it, for whoever counts them. A
 * struct that holds none, however deep, has no such method.
 */
final class ErrorCode {
  private final Schema schema;
  private final Struct struct;
  private final CodeBuffer code;

  ErrorCode(Schema schema, Struct struct, CodeBuffer code) {
    this.schema = schema;
    this.struct = struct;
    this.code = code;
  }

  void write() {
    if (schema.kind() != Schema.Kind.RESPONSE || !hasErrors(struct)) {
      return;
    }
    code.line("");
    if (struct == schema.root()) {
      code.line("@Override");
    }
    code.open(
        "%svoid forEachError(ErrorSink sink) {", struct == schema.root() ? "public " : "private ");
    for (Field f : struct.fields()) {
      String field = "this." + f.java();
      if (isErrorCode(f)) {
        code.line("sink.error(%s);", field);
      } else if (f.type() instanceof StructType s && hasErrors(schema.struct(s.name()))) {
        code.when(field + " != null", () -> code.line("%s.forEachError(sink);", field));
      } else if (f.type() instanceof ArrayType a
          && a.element() instanceof StructType s
          && hasErrors(schema.struct(s.name()))) {
        code.when(
            field + " != null",
            () -> {
              code.open("for (%s element : %s) {", s.name(), field);
              code.line("element.forEachError(sink);");
              code.close();
            });
      }
    }
    code.close();
  }

  private boolean hasErrors(Struct s) {
    for (Field f : s.fields()) {
      FieldType type = f.type() instanceof ArrayType a ? a.element() : f.type();
      if (isErrorCode(f)
          || type instanceof StructType inner && hasErrors(schema.struct(inner.name()))) {
        return true;
      }
    }
    return false;
  }

  private static boolean isErrorCode(Field f) {
    return f.type() == Primitive.INT16 && f.name().endsWith("ErrorCode");
  }
}
