package dev.vitrine.generator;

import dev.vitrine.generator.FieldType.ArrayType;
import dev.vitrine.generator.FieldType.Primitive;
import dev.vitrine.generator.FieldType.StructType;

/** Writes the methods of a struct that turn it into JSON and back, in the form that Kafka has. */
final class JsonCode {
  private final StructContext context;
  private final CodeBuffer code;

  JsonCode(StructContext context, CodeBuffer code) {
    this.context = context;
    this.code = code;
  }

  void writeToJson() {
    code.line("JsonObject json = new JsonObject();");
    for (Field f : context.fields()) {
      code.either(
          f.versions().conditionWithin(context.versions),
          () -> {
            Versions tagged = context.tagged(f);
            String condition = tagged.conditionWithin(context.present(f));
            if (tagged.isEmpty()) {
              put(f);
            } else if (condition.equals("true")) {
              code.when(context.isSet(f), () -> put(f));
            } else {
              code.when(CodeBuffer.negate(condition) + " || " + context.isSet(f), () -> put(f));
            }
          },
          () -> {
            if (!f.ignorable()) {
              code.open("if (%s) {", context.isSet(f));
              code.line("throw MessageWriter.cannotCarry(\"%s\", version);", f.java());
              code.close();
            }
          });
    }
    code.line("return json;");
  }

  private void put(Field f) {
    String field = "this." + f.java();
    if (f.type() instanceof ArrayType a) {
      if (context.nullable(f)) {
        code.open("if (%s == null) {", field);
        code.line("json.put(\"%s\", JsonNull.NULL);", f.java());
        code.next("} else {");
      } else {
        code.open("{");
      }
      code.line("JsonArray array = new JsonArray();");
      code.open("for (%s element : %s) {", a.element().boxed(), field);
      code.line("array.add(%s);", value(a.element(), "element"));
      code.close();
      code.line("json.put(\"%s\", array);", f.java());
      code.close();
    } else if (f.type() instanceof StructType && context.nullable(f)) {
      code.line(
          "json.put(\"%s\", %s == null ? JsonNull.NULL : %s);",
          f.java(), field, value(f.type(), field));
    } else {
      code.line("json.put(\"%s\", %s);", f.java(), value(f.type(), field));
    }
  }

  private String value(FieldType type, String value) {
    if (type instanceof Primitive) {
      return "JsonFields.of(" + value + ")";
    }
    return value + ".toJson(version)";
  }

  void writeFromJson() {
    if (!context.fields().isEmpty()) {
      code.line("JsonValue value;");
    }
    for (Field f : context.fields()) {
      code.when(
          f.versions().conditionWithin(context.versions),
          () -> {
            code.line("value = json.get(\"%s\");", f.java());
            code.open("if (value != null) {");
            get(f);
            String tagged = context.tagged(f).conditionWithin(context.present(f));
            if (!tagged.equals("true")) {
              code.next(
                  tagged.equals("false")
                      ? "} else {"
                      : "} else if (" + CodeBuffer.negate(tagged) + ") {");
              code.line("throw JsonFields.missing(\"%s\");", f.java());
            }
            code.close();
          });
    }
  }

  private void get(Field f) {
    if (context.nullable(f)) {
      code.open("if (value == JsonNull.NULL) {");
      String condition = context.nullCondition(f);
      code.when(
          CodeBuffer.negate(condition),
          () -> code.line("throw MessageReader.cannotBeNull(\"%s\");", f.java()));
      code.line("this.%s = null;", f.java());
      code.next("} else {");
    }
    if (f.type() instanceof ArrayType a) {
      String list = "list";
      code.line("List<%s> %s = new ArrayList<>();", a.element().boxed(), list);
      code.open("for (JsonValue element : JsonFields.readArray(value, \"%s\")) {", f.java());
      code.line("%s.add(%s);", list, read(a.element(), "element", f.java()));
      code.close();
      code.line("this.%s = %s;", f.java(), list);
    } else {
      code.line("this.%s = %s;", f.java(), read(f.type(), "value", f.java()));
    }
    if (context.nullable(f)) {
      code.close();
    }
  }

  private static String read(FieldType type, String value, String name) {
    if (type instanceof Primitive p) {
      return String.format("JsonFields.read%s(%s, \"%s\")", p.suffix, value, name);
    }
    return String.format(
        "%s.fromJson(JsonFields.readObject(%s, \"%s\"), version)", type.java(), value, name);
  }
}
