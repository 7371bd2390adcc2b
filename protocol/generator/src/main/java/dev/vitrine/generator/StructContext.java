package dev.vitrine.generator;

import dev.vitrine.generator.FieldType.ArrayType;
import dev.vitrine.generator.FieldType.Primitive;
import dev.vitrine.generator.FieldType.StructType;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * One struct of one schema, with the questions that code writers ask: in which versions a field is
 * what, and how to say so in Java. Immutable.
 */
final class StructContext {
  final Schema schema;
  final Struct struct;
  final Versions versions;

  StructContext(Schema schema, Struct struct) {
    this.schema = schema;
    this.struct = struct;
    this.versions = struct.versions();
  }

  List<Field> fields() {
    return struct.fields();
  }

  /** Those tagged in some version, in the order of their tags. */
  List<Field> taggedFields() {
    List<Field> tagged = new ArrayList<>(fields());
    tagged.removeIf(f -> tagged(f).isEmpty());
    tagged.sort(Comparator.comparingInt(Field::tag));
    return tagged;
  }

  Versions present(Field f) {
    return f.versions().intersect(versions);
  }

  Versions tagged(Field f) {
    return f.tagged().intersect(present(f));
  }

  boolean alwaysTagged(Field f) {
    return tagged(f).equals(present(f));
  }

  boolean nullable(Field f) {
    return !f.nullable().intersect(present(f)).isEmpty();
  }

  /** The condition that this version may hold null, given that it has the field. */
  String nullCondition(Field f) {
    return f.nullable().conditionWithin(present(f));
  }

  Versions flexibleVersions() {
    return schema.flexible().intersect(versions);
  }

  String flexibleCondition() {
    return schema.flexible().conditionWithin(versions);
  }

  /** Java for "lengths are varints", where the field is not tagged. */
  String flexible(Field f) {
    if (f.flexible().equals(schema.flexible())) {
      String condition = f.flexible().conditionWithin(present(f));
      return condition.equals("true") || condition.equals("false") ? condition : "flexible";
    }
    return f.flexible().conditionWithin(present(f));
  }

  /** A local variable says whether the version is flexible; only where there is a question. */
  void declareFlexible(CodeBuffer code) {
    String condition = flexibleCondition();
    if (!condition.equals("true") && !condition.equals("false")) {
      code.line("boolean flexible = %s;", condition);
    }
  }

  /** Java for "the field holds its default". */
  String isDefault(Field f) {
    String field = "this." + f.java();
    if (f.defaultsToNull()) {
      return field + " == null";
    }
    if (f.type() instanceof ArrayType) {
      return nullable(f) ? field + " != null && " + field + ".isEmpty()" : field + ".isEmpty()";
    }
    if (f.type() instanceof StructType s) {
      return s.name() + ".DEFAULT.equals(" + field + ")";
    }
    switch ((Primitive) f.type()) {
      case BOOL:
        return f.defaultValue().equals("true") ? field : "!" + field;
      case STRING:
      case UUID:
        return f.defaultValue() + ".equals(" + field + ")";
      case BYTES:
        return field + " != null && " + field + ".length == 0";
      case RECORDS:
        return field + " != null && " + field + ".sizeInBytes() == 0";
      default:
        return field + " == " + f.defaultValue();
    }
  }

  /** Java for "the field holds other than its default". */
  String isSet(Field f) {
    String isDefault = isDefault(f);
    if (isDefault.startsWith("!")) {
      return isDefault.substring(1);
    }
    if (isDefault.contains(" && ")) {
      return "!(" + isDefault + ")";
    }
    return isDefault.contains(" == ") ? isDefault.replace(" == ", " != ") : "!" + isDefault;
  }

  /** The fewest bytes that a value of this type can take in any version; at least 1. */
  int smallest(FieldType type) {
    return Math.max(1, smallestOrNone(type));
  }

  private int smallestOrNone(FieldType type) {
    if (type instanceof ArrayType) {
      return 1;
    }
    if (type instanceof Primitive p) {
      return p.hasLength() ? 1 : p.fixedSize;
    }
    Struct s = schema.struct(((StructType) type).name());
    int smallest = Integer.MAX_VALUE;
    for (int v = s.versions().lowest(); v <= s.versions().highest(); v++) {
      int size = schema.flexible().contains(v) ? 1 : 0;
      for (Field f : s.fields()) {
        if (f.versions().contains(v) && !f.tagged().contains(v)) {
          boolean one = f.nullable().contains(v);
          size += one ? 1 : smallestOrNone(f.type());
        }
      }
      smallest = Math.min(smallest, size);
    }
    return smallest;
  }
}
