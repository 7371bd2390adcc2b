package dev.vitrine.generator;

/** What a field holds. A value. */
sealed interface FieldType {
  /** The types that are not made of others, with their Java forms and encoded sizes. */
  enum Primitive implements FieldType {
    BOOL("boolean", "Boolean", 1, "Boolean"),
    INT8("byte", "Byte", 1, "Byte"),
    INT16("short", "Short", 2, "Short"),
    UINT16("int", "Integer", 2, "UnsignedShort"),
    INT32("int", "Integer", 4, "Int"),
    UINT32("long", "Long", 4, "UnsignedInt"),
    INT64("long", "Long", 8, "Long"),
    FLOAT64("double", "Double", 8, "Double"),
    UUID("Uuid", "Uuid", 16, "Uuid"),
    STRING("String", "String", 0, "String"),
    BYTES("byte[]", "byte[]", 0, "Bytes"),
    RECORDS("Records", "Records", 0, "Records");

    private final String java;
    private final String boxed;
    final int fixedSize;

    /** The suffix of the read, write and JSON methods for this type. */
    final String suffix;

    Primitive(String java, String boxed, int fixedSize, String suffix) {
      this.java = java;
      this.boxed = boxed;
      this.fixedSize = fixedSize;
      this.suffix = suffix;
    }

    /** Its length stands before it, in a form that depends on the version. */
    boolean hasLength() {
      return fixedSize == 0;
    }

    @Override
    public String java() {
      return java;
    }

    @Override
    public String boxed() {
      return boxed;
    }
  }

  record StructType(String name) implements FieldType {
    @Override
    public String java() {
      return name;
    }

    @Override
    public String boxed() {
      return name;
    }
  }

  record ArrayType(FieldType element) implements FieldType {
    @Override
    public String java() {
      return "List<" + element.boxed() + ">";
    }

    @Override
    public String boxed() {
      return java();
    }
  }

  /** The Java type of a field. */
  String java();

  /** The Java type as a type argument. */
  String boxed();

  default boolean canBeNull() {
    return !(this instanceof Primitive p) || p.hasLength();
  }

  /**
   * @throws IllegalArgumentException if it is no type name
   */
  static FieldType parse(String text) {
    if (text.startsWith("[]")) {
      FieldType element = parse(text.substring(2));
      if (element instanceof ArrayType
          || element == Primitive.RECORDS
          || element == Primitive.BYTES) {
        throw new IllegalArgumentException("an array cannot hold " + text.substring(2));
      }
      return new ArrayType(element);
    }
    switch (text) {
      case "bool":
        return Primitive.BOOL;
      case "int8":
        return Primitive.INT8;
      case "int16":
        return Primitive.INT16;
      case "uint16":
        return Primitive.UINT16;
      case "int32":
        return Primitive.INT32;
      case "uint32":
        return Primitive.UINT32;
      case "int64":
        return Primitive.INT64;
      case "float64":
        return Primitive.FLOAT64;
      case "uuid":
        return Primitive.UUID;
      case "string":
        return Primitive.STRING;
      case "bytes":
        return Primitive.BYTES;
      case "records":
        return Primitive.RECORDS;
      default:
        if (text.isEmpty() || !Character.isUpperCase(text.charAt(0))) {
          throw new IllegalArgumentException("unknown type '" + text + "'");
        }
        return new StructType(text);
    }
  }
}
