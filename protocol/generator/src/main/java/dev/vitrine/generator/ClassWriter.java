package dev.vitrine.generator;

import dev.vitrine.generator.FieldType.ArrayType;
import dev.vitrine.generator.FieldType.Primitive;
import dev.vitrine.generator.FieldType.StructType;
import java.util.List;
import java.util.Locale;
import java.util.TreeSet;

/** Writes the class of one message: the message itself and its structs as nested classes. */
final class ClassWriter {
  static final String PACKAGE = "dev.vitrine.protocol.message";

  private static final String THROTTLE_TIME = "throttleTimeMs";

  private final Schema schema;
  private final CodeBuffer code = new CodeBuffer();

  private ClassWriter(Schema schema) {
    this.schema = schema;
  }

  /** The whole source file. */
  static String write(Schema schema) {
    ClassWriter w = new ClassWriter(schema);
    w.writeMessage();
    String body = w.code.toString();
    CodeBuffer file = new CodeBuffer();
    file.line("// Generated from Kafka's schema %s; not to be edited.", schema.name());
    file.line("package %s;", PACKAGE);
    file.line("");
    for (String imported : imports(body, schema)) {
      file.line("import %s;", imported);
    }
    file.line("");
    return file + body;
  }

  private static TreeSet<String> imports(String body, Schema schema) {
    TreeSet<String> used = new TreeSet<>();
    for (String candidate :
        List.of(
            "dev.vitrine.protocol.ApiMessage",
            "dev.vitrine.protocol.ErrorSink",
            "dev.vitrine.protocol.MessageReader",
            "dev.vitrine.protocol.MessageSize",
            "dev.vitrine.protocol.MessageWriter",
            "dev.vitrine.protocol.RawTaggedField",
            "dev.vitrine.protocol.ThrottledResponse",
            "dev.vitrine.protocol.Uuid",
            "dev.vitrine.protocol.json.JsonArray",
            "dev.vitrine.protocol.json.JsonFields",
            "dev.vitrine.protocol.json.JsonNull",
            "dev.vitrine.protocol.json.JsonObject",
            "dev.vitrine.protocol.json.JsonValue",
            "dev.vitrine.protocol.record.Records",
            "io.netty.buffer.ByteBuf",
            "java.util.ArrayList",
            "java.util.Arrays",
            "java.util.List",
            "java.util.Objects")) {
      String simple = candidate.substring(candidate.lastIndexOf('.') + 1);
      if (body.matches("(?s).*\\b" + simple + "\\b.*")) {
        used.add(candidate);
        if (schema.structs().stream().anyMatch(s -> s.name().equals(simple))) {
          throw new SchemaException(schema.name(), simple, "a struct cannot have this name");
        }
      }
    }
    return used;
  }

  private void writeMessage() {
    StructContext context = new StructContext(schema, schema.root());
    code.line("/**");
    code.line(
        " * {@code %s}: %s, versions %s, flexible in %s%s.",
        schema.name(), kind(), schema.versions(), schema.flexible(), unstable());
    code.line(" */");
    code.open("public final class %s implements %s {", schema.name(), implemented(context));
    code.line(
        "public static final short LOWEST_SUPPORTED_VERSION = %d;", schema.versions().lowest());
    code.line(
        "public static final short HIGHEST_SUPPORTED_VERSION = %d;", schema.versions().highest());
    writeFields(context);
    writeConstructor(context);
    writeConstants();
    writeAccessors(context);
    writeCoding(context, true);
    new ErrorCode(schema, schema.root(), code).write();
    writeJson(context, true);
    writeValueMethods(context);
    for (Struct s : schema.structs()) {
      if (s != schema.root()) {
        writeStruct(new StructContext(schema, s));
      }
    }
    code.close();
  }

  /** Most responses can say for how long the client is held back. */
  private String implemented(StructContext context) {
    boolean throttled =
        schema.kind() == Schema.Kind.RESPONSE
            && context.fields().stream().anyMatch(f -> f.java().equals(THROTTLE_TIME));
    return throttled ? "ThrottledResponse" : "ApiMessage";
  }

  private String kind() {
    String kind = schema.kind().name().toLowerCase(Locale.ROOT).replace('_', ' ');
    switch (schema.kind()) {
      case REQUEST:
      case RESPONSE:
        return kind + " of API " + schema.apiKey();
      case METADATA:
      case COORDINATOR_KEY:
      case COORDINATOR_VALUE:
        return kind + " record of type " + schema.apiKey();
      default:
        return kind;
    }
  }

  private String unstable() {
    return schema.latestVersionUnstable() ? ", the latest unstable" : "";
  }

  private void writeStruct(StructContext context) {
    String name = context.struct.name();
    code.line("");
    code.line(
        "/** {@code %s} in {@link %s}, versions %s. */", name, schema.name(), context.versions);
    code.open("public static final class %s {", name);
    code.line("private static final %s DEFAULT = new %s();", name, name);
    writeFields(context);
    writeConstructor(context);
    code.line("");
    code.open("private %s(ByteBuf in, short version) {", name);
    code.line("readFields(in, version);");
    code.close();
    writeAccessors(context);
    writeCoding(context, false);
    new ErrorCode(schema, context.struct, code).write();
    writeJson(context, false);
    writeValueMethods(context);
    code.close();
  }

  private void writeFields(StructContext context) {
    code.line("");
    for (Field f : context.fields()) {
      code.line("private %s %s;", f.type().java(), f.java());
    }
    code.line("private List<RawTaggedField> unknownTaggedFields;");
  }

  private void writeConstructor(StructContext context) {
    code.line("");
    code.line("/** Every field holds its default. */");
    code.open("public %s() {", context.struct.name());
    for (Field f : context.fields()) {
      code.line("this.%s = %s;", f.java(), f.defaultValue());
    }
    code.close();
  }

  private void writeConstants() {
    constant("apiKey", "" + schema.apiKey());
    constant("lowestSupportedVersion", "LOWEST_SUPPORTED_VERSION");
    constant("highestSupportedVersion", "HIGHEST_SUPPORTED_VERSION");
  }

  private void constant(String method, String value) {
    code.line("");
    code.line("@Override");
    code.open("public short %s() {", method);
    code.line("return %s;", value);
    code.close();
  }

  private void writeAccessors(StructContext context) {
    String self = context.struct.name();
    for (Field f : context.fields()) {
      boolean overrides =
          context.struct == schema.root()
              && f.java().equals(THROTTLE_TIME)
              && implemented(context).equals("ThrottledResponse");
      code.line("");
      code.line("/** %s. */", describe(context, f));
      override(overrides);
      code.open("public %s %s() {", f.type().java(), f.java());
      code.line("return this.%s;", f.java());
      code.close();
      code.line("");
      override(overrides);
      code.open("public %s %s(%s value) {", self, f.java(), f.type().java());
      code.line("this.%s = value;", f.java());
      code.line("return this;");
      code.close();
    }
    code.line("");
    if (context.struct == schema.root()) {
      code.line("@Override");
    } else {
      code.line("/** Tagged fields that the schema does not know, in the order of their tags. */");
    }
    code.open("public List<RawTaggedField> unknownTaggedFields() {");
    code.open("if (this.unknownTaggedFields == null) {");
    code.line("this.unknownTaggedFields = new ArrayList<>(0);");
    code.close();
    code.line("return this.unknownTaggedFields;");
    code.close();
  }

  private static String describe(StructContext context, Field f) {
    StringBuilder s = new StringBuilder();
    Versions present = context.present(f);
    s.append(present.equals(context.versions) ? "All versions" : "Versions " + present);
    if (context.nullable(f)) {
      s.append(", nullable");
      if (!context.nullCondition(f).equals("true")) {
        s.append(" in ").append(f.nullable().intersect(present));
      }
    }
    if (!context.tagged(f).isEmpty()) {
      s.append(", tag ").append(f.tag());
    }
    if (f.ignorable() && !present.equals(context.versions)) {
      s.append("; dropped in others");
    }
    return s.toString();
  }

  private void writeCoding(StructContext context, boolean root) {
    code.line("");
    override(root);
    code.open("%sint size(short version) {", root ? "public " : "private ");
    checkVersion(root, "MessageWriter");
    new WriteCode(context, code).writeSize();
    code.close();
    code.line("");
    override(root);
    code.open("%svoid write(MessageWriter out, short version) {", root ? "public " : "private ");
    checkVersion(root, "MessageWriter");
    new WriteCode(context, code).writeWrite();
    code.close();
    code.line("");
    if (root) {
      code.line("@Override");
      code.open("public void read(ByteBuf in, short version) {");
      checkVersion(true, "MessageReader");
    } else {
      code.open("private void readFields(ByteBuf in, short version) {");
    }
    new ReadCode(context, code).writeRead();
    code.close();
  }

  private void override(boolean root) {
    if (root) {
      code.line("@Override");
    }
  }

  private void checkVersion(boolean root, String by) {
    if (root) {
      code.line(
          "%s.checkVersion(\"%s\", version, LOWEST_SUPPORTED_VERSION, HIGHEST_SUPPORTED_VERSION);",
          by, schema.name());
    }
  }

  private void writeJson(StructContext context, boolean root) {
    String self = context.struct.name();
    code.line("");
    if (root) {
      code.line("/** The form of Kafka's own JSON converters. */");
    }
    code.open("%sJsonObject toJson(short version) {", root ? "public " : "private ");
    checkVersion(root, "MessageWriter");
    new JsonCode(context, code).writeToJson();
    code.close();
    if (root) {
      code.line("");
      code.line("/** {@link #toJson} as text. */");
      code.open("public String json(short version) {");
      code.line("return toJson(version).toString();");
      code.close();
      code.line("");
      code.open("public static %s fromJson(String text, short version) {", self);
      code.line(
          "return fromJson(JsonFields.readObject(JsonValue.parse(text), \"%s\"), version);", self);
      code.close();
    }
    code.line("");
    code.open(
        "%s static %s fromJson(JsonObject json, short version) {",
        root ? "public" : "private", self);
    checkVersion(root, "MessageReader");
    code.line("%s message = new %s();", self, self);
    code.line("message.readJson(json, version);");
    code.line("return message;");
    code.close();
    code.line("");
    code.open("private void readJson(JsonObject json, short version) {");
    new JsonCode(context, code).writeFromJson();
    code.close();
  }

  private void writeValueMethods(StructContext context) {
    String self = context.struct.name();
    code.line("");
    code.line("@Override");
    code.open("public boolean equals(Object o) {");
    code.open("if (!(o instanceof %s)) {", self);
    code.line("return false;");
    code.close();
    code.line("%s other = (%s) o;", self, self);
    for (Field f : context.fields()) {
      code.open("if (%s) {", different(f));
      code.line("return false;");
      code.close();
    }
    code.line("return unknownTaggedFields().equals(other.unknownTaggedFields());");
    code.close();
    code.line("");
    code.line("@Override");
    code.open("public int hashCode() {");
    code.line("int hash = 0;");
    for (Field f : context.fields()) {
      code.line("hash = 31 * hash + %s;", hash(f));
    }
    code.line("return hash;");
    code.close();
    code.line("");
    code.line("@Override");
    code.open("public String toString() {");
    code.line("return \"%s(\"", self);
    String separator = "";
    for (Field f : context.fields()) {
      String value = "this." + f.java();
      if (f.type() == Primitive.BYTES) {
        value = String.format("(%s == null ? null : \"byte[\" + %s.length + \"]\")", value, value);
      }
      code.line("    + \"%s%s=\" + %s", separator, f.java(), value);
      separator = ", ";
    }
    code.line("    + \")\";");
    code.close();
  }

  private static String different(Field f) {
    String name = f.java();
    if (f.type() instanceof ArrayType || f.type() instanceof StructType) {
      return String.format("!Objects.equals(this.%s, other.%s)", name, name);
    }
    Primitive p = (Primitive) f.type();
    switch (p) {
      case FLOAT64:
        return String.format("Double.compare(this.%s, other.%s) != 0", name, name);
      case BYTES:
        return String.format("!Arrays.equals(this.%s, other.%s)", name, name);
      case STRING:
      case UUID:
      case RECORDS:
        return String.format("!Objects.equals(this.%s, other.%s)", name, name);
      default:
        return String.format("this.%s != other.%s", name, name);
    }
  }

  private static String hash(Field f) {
    String field = "this." + f.java();
    if (f.type() instanceof Primitive p) {
      switch (p) {
        case INT8:
        case INT16:
        case UINT16:
        case INT32:
          return field;
        case BOOL:
        case UINT32:
        case INT64:
        case FLOAT64:
          return p.boxed() + ".hashCode(" + field + ")";
        case BYTES:
          return "Arrays.hashCode(" + field + ")";
        default:
          break;
      }
    }
    return "Objects.hashCode(" + field + ")";
  }
}
