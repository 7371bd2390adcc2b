package dev.vitrine.generator;

import dev.vitrine.generator.FieldType.ArrayType;
import dev.vitrine.generator.FieldType.Primitive;
import dev.vitrine.generator.FieldType.StructType;

/**
 * Writes the two methods of a struct that turn it into bytes, {@code size} and {@code write}. They
 * have the same shape, so one class writes both.
 */
final class WriteCode {
  private final StructContext context;
  private final CodeBuffer code;

  WriteCode(StructContext context, CodeBuffer code) {
    this.context = context;
    this.code = code;
  }

  void writeSize() {
    context.declareFlexible(code);
    code.line("int size = 0;");
    for (Field f : context.fields()) {
      code.either(
          f.versions().conditionWithin(context.versions),
          () ->
              code.when(
                  untagged(f),
                  () -> {
                    checkNull(f);
                    sizeOf(f, context.flexible(f));
                  }),
          () -> checkUnset(f));
    }
    code.either(context.flexibleCondition(), this::sizeOfTags, this::checkNoTags);
    code.line("return size;");
  }

  void writeWrite() {
    context.declareFlexible(code);
    for (Field f : context.fields()) {
      code.either(
          f.versions().conditionWithin(context.versions),
          () ->
              code.when(
                  untagged(f),
                  () -> {
                    checkNull(f);
                    write(f, context.flexible(f), false);
                  }),
          () -> checkUnset(f));
    }
    code.either(context.flexibleCondition(), this::writeTags, this::checkNoTags);
  }

  private String untagged(Field f) {
    Versions tagged = context.tagged(f);
    if (tagged.isEmpty()) {
      return "true";
    }
    return CodeBuffer.negate(tagged.conditionWithin(context.present(f)));
  }

  /** A version that lacks the field can only be written while nothing would get lost. */
  private void checkUnset(Field f) {
    if (!f.ignorable()) {
      code.open("if (%s) {", context.isSet(f));
      code.line("throw MessageWriter.cannotCarry(\"%s\", version);", f.java());
      code.close();
    }
  }

  private void checkNoTags() {
    code.open("if (this.unknownTaggedFields != null && !this.unknownTaggedFields.isEmpty()) {");
    code.line("throw MessageWriter.cannotCarry(\"unknownTaggedFields\", version);");
    code.close();
  }

  /** Of the versions that have the field, only some may be able to hold null. */
  private void checkNull(Field f) {
    String condition = context.nullCondition(f);
    if (f.type().canBeNull() && !condition.equals("true")) {
      String not = condition.equals("false") ? "" : " && " + CodeBuffer.negate(condition);
      code.open("if (this.%s == null%s) {", f.java(), not);
      code.line("throw MessageWriter.cannotBeNull(\"%s\", version);", f.java());
      code.close();
    }
  }

  private void sizeOf(Field f, String flexible) {
    String field = "this." + f.java();
    FieldType type = f.type();
    boolean nullable = context.nullable(f);
    if (type instanceof ArrayType a) {
      code.line("size += MessageSize.ofArrayLength(%s, %s);", field, flexible);
      Runnable elements = () -> sizeOfElements(a.element(), field, flexible);
      if (nullable) {
        code.when(field + " != null", elements);
      } else {
        elements.run();
      }
    } else if (type instanceof StructType) {
      if (nullable) {
        code.line("size += 1;");
        code.when(field + " != null", () -> code.line("size += %s.size(version);", field));
      } else {
        code.line("size += %s.size(version);", field);
      }
    } else {
      Primitive p = (Primitive) type;
      if (p.hasLength()) {
        code.line("size += MessageSize.of%s(%s, %s);", p.suffix, field, flexible);
      } else {
        code.line("size += %d;", p.fixedSize);
      }
    }
  }

  private void sizeOfElements(FieldType element, String list, String flexible) {
    if (element instanceof Primitive p && !p.hasLength()) {
      code.line("size += %s.size() * %d;", list, p.fixedSize);
      return;
    }
    code.open("for (%s element : %s) {", element.boxed(), list);
    if (element instanceof Primitive p) {
      code.line("size += MessageSize.of%s(element, %s);", p.suffix, flexible);
    } else {
      code.line("size += element.size(version);");
    }
    code.close();
  }

  /**
   * Where a struct may be null, a byte stands before it: -1 for null and 1 for a struct; in a
   * tagged field, 0 for null.
   */
  private void write(Field f, String flexible, boolean tagged) {
    String field = "this." + f.java();
    FieldType type = f.type();
    boolean nullable = context.nullable(f);
    if (type instanceof ArrayType a) {
      code.line("out.writeArrayLength(%s, %s);", field, flexible);
      Runnable elements =
          () -> {
            code.open("for (%s element : %s) {", a.element().boxed(), field);
            writeValue(a.element(), "element", flexible);
            code.close();
          };
      if (nullable) {
        code.when(field + " != null", elements);
      } else {
        elements.run();
      }
    } else if (type instanceof StructType && nullable) {
      code.open("if (%s == null) {", field);
      code.line("out.writeByte(%d);", tagged ? 0 : -1);
      code.next("} else {");
      code.line("out.writeByte(1);");
      code.line("%s.write(out, version);", field);
      code.close();
    } else {
      writeValue(type, field, flexible);
    }
  }

  private void writeValue(FieldType type, String value, String flexible) {
    if (type instanceof StructType) {
      code.line("%s.write(out, version);", value);
      return;
    }
    Primitive p = (Primitive) type;
    if (p.hasLength()) {
      code.line("out.write%s(%s, %s);", p.suffix, value, flexible);
    } else {
      code.line("out.write%s(%s);", p.suffix, value);
    }
  }

  private String tagIsWritten(Field f) {
    String condition = context.tagged(f).conditionWithin(context.flexibleVersions());
    String set = context.isSet(f);
    return condition.equals("true") ? set : condition + " && " + set;
  }

  private void sizeOfTags() {
    code.line("int tags = 0;");
    for (Field f : context.taggedFields()) {
      code.open("if (%s) {", tagIsWritten(f));
      code.line("tags++;");
      checkNull(f);
      code.line("int before = size;");
      sizeOf(f, "true");
      code.line("size += MessageSize.ofTag(%d, size - before);", f.tag());
      code.close();
    }
    code.line("size += MessageSize.ofTagSection(tags, this.unknownTaggedFields);");
  }

  private void writeTags() {
    if (context.taggedFields().isEmpty()) {
      code.line("out.writeTagCount(0, this.unknownTaggedFields);");
      code.line("out.writeUnknownTags(this.unknownTaggedFields, 0, Integer.MAX_VALUE);");
      return;
    }
    code.line("int tags = 0;");
    for (Field f : context.taggedFields()) {
      code.open("if (%s) {", tagIsWritten(f));
      code.line("tags++;");
      code.close();
    }
    code.line("out.writeTagCount(tags, this.unknownTaggedFields);");
    code.line("int unknown = 0;");
    for (Field f : context.taggedFields()) {
      code.open("if (%s) {", tagIsWritten(f));
      code.line("unknown = out.writeUnknownTags(this.unknownTaggedFields, unknown, %d);", f.tag());
      checkNull(f);
      code.line("int size = 0;");
      sizeOf(f, "true");
      code.line("out.writeTag(%d, size);", f.tag());
      write(f, "true", true);
      code.close();
    }
    code.line("out.writeUnknownTags(this.unknownTaggedFields, unknown, Integer.MAX_VALUE);");
  }
}
