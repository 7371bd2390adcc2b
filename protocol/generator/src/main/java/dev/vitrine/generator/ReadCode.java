package dev.vitrine.generator;

import dev.vitrine.generator.FieldType.ArrayType;
import dev.vitrine.generator.FieldType.Primitive;
import dev.vitrine.generator.FieldType.StructType;
import java.util.List;

/** Writes the method of a struct that fills it from bytes. */
final class ReadCode {
  private final StructContext context;
  private final CodeBuffer code;

  ReadCode(StructContext context, CodeBuffer code) {
    this.context = context;
    this.code = code;
  }

  void writeRead() {
    context.declareFlexible(code);
    for (Field f : context.fields()) {
      String untagged = untagged(f);
      code.either(
          untagged,
          () -> read(f, context.flexible(f), false),
          () -> code.line("this.%s = %s;", f.java(), f.defaultValue()));
    }
    code.line("this.unknownTaggedFields = null;");
    code.when(context.flexibleCondition(), this::readTags);
  }

  private String untagged(Field f) {
    Versions tagged = context.tagged(f);
    String present = f.versions().conditionWithin(context.versions);
    if (tagged.isEmpty()) {
      return present;
    }
    if (context.alwaysTagged(f)) {
      return "false";
    }
    String notTagged = CodeBuffer.negate(tagged.conditionWithin(context.versions));
    return present.equals("true") ? notTagged : present + " && " + notTagged;
  }

  private void read(Field f, String flexible, boolean tagged) {
    boolean nullable = context.nullable(f);
    FieldType type = f.type();
    if (type instanceof ArrayType a) {
      readArray(f, a.element(), nullable, flexible);
    } else if (type instanceof StructType s) {
      if (nullable) {
        code.line(
            "this.%s = MessageReader.readByte(in) %s 0 ? null : new %s(in, version);",
            f.java(), tagged ? "<=" : "<", s.name());
      } else {
        code.line("this.%s = new %s(in, version);", f.java(), s.name());
      }
    } else {
      code.line("this.%s = %s;", f.java(), readPrimitive((Primitive) type, nullable, flexible));
    }
    String condition = context.nullCondition(f);
    if (nullable && !condition.equals("true")) {
      code.open("if (this.%s == null && %s) {", f.java(), CodeBuffer.negate(condition));
      code.line("throw MessageReader.cannotBeNull(\"%s\");", f.java());
      code.close();
    }
  }

  private String readPrimitive(Primitive p, boolean nullable, String flexible) {
    if (!p.hasLength()) {
      return "MessageReader.read" + p.suffix + "(in)";
    }
    return "MessageReader.read"
        + (nullable ? "Nullable" : "")
        + p.suffix
        + "(in, "
        + flexible
        + ")";
  }

  private void readArray(Field f, FieldType element, boolean nullable, String flexible) {
    code.open("{");
    code.line(
        "int count = MessageReader.read%sArrayLength(in, %s, %d);",
        nullable ? "Nullable" : "", flexible, context.smallest(element));
    if (nullable) {
      code.open("if (count < 0) {");
      code.line("this.%s = null;", f.java());
      code.next("} else {");
    }
    code.line("List<%s> list = new ArrayList<>(count);", element.boxed());
    code.open("for (int i = 0; i < count; i++) {");
    if (element instanceof StructType s) {
      code.line("list.add(new %s(in, version));", s.name());
    } else {
      code.line("list.add(%s);", readPrimitive((Primitive) element, false, flexible));
    }
    code.close();
    code.line("this.%s = list;", f.java());
    if (nullable) {
      code.close();
    }
    code.close();
  }

  private void readTags() {
    List<Field> tagged = context.taggedFields();
    code.line("int tags = MessageReader.readTagCount(in);");
    code.open("for (int read = 0, tag = -1; read < tags; read++) {");
    code.line("tag = MessageReader.readTag(in, tag);");
    code.line("int size = MessageReader.readTaggedSize(in);");
    if (tagged.isEmpty()) {
      code.line("unknownTaggedFields().add(MessageReader.readUnknownTag(in, tag, size));");
      code.close();
      return;
    }
    code.line("int end = in.readerIndex() + size;");
    code.open("switch (tag) {");
    for (Field f : tagged) {
      code.open("case %d: {", f.tag());
      code.either(
          context.tagged(f).conditionWithin(context.flexibleVersions()),
          () -> read(f, "true", true),
          () -> code.line("throw MessageReader.invalidTag(tag, version);"));
      code.line("break;");
      code.close();
    }
    code.open("default: {");
    code.line("unknownTaggedFields().add(MessageReader.readUnknownTag(in, tag, size));");
    code.close();
    code.close();
    code.line("MessageReader.checkTagEnd(in, tag, end);");
    code.close();
  }
}
