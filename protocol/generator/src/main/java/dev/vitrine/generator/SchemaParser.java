package dev.vitrine.generator;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.vitrine.generator.FieldType.ArrayType;
import dev.vitrine.generator.FieldType.Primitive;
import dev.vitrine.generator.FieldType.StructType;
import dev.vitrine.generator.Schema.Kind;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * Reads one schema file into a {@link Schema}. Everything that a schema can get wrong is found
 * here, so that what writes code need not ask. One instance a file.
 */
final class SchemaParser {
  private static final ObjectMapper JSON =
      new ObjectMapper()
          .enable(JsonParser.Feature.ALLOW_COMMENTS)
          .enable(JsonParser.Feature.STRICT_DUPLICATE_DETECTION)
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);

  private final String file;
  private Versions validVersions;
  private Versions flexible;

  /** Every struct's fields, in the order of their appearance. */
  private final Map<String, List<Field>> structs = new LinkedHashMap<>();

  private SchemaParser(String file) {
    this.file = file;
  }

  /**
   * @param file for error messages
   * @param origin see {@link Schema#origin}
   * @return null if the schema has no valid version any more
   * @throws SchemaException if it is not a schema
   */
  static Schema parse(String file, String origin, String text) {
    try {
      return new SchemaParser(file).parse(origin, JSON.readTree(text));
    } catch (IOException e) {
      throw new SchemaException(file, "", "not JSON: " + e.getMessage());
    }
  }

  private Schema parse(String origin, JsonNode node) {
    String name = text(node, "name", "");
    Kind kind = kind(text(node, "type", ""));
    validVersions = versions(node, "validVersions", "", null);
    if (validVersions.isEmpty()) {
      return null;
    }
    if (validVersions.highest() == Short.MAX_VALUE) {
      throw new SchemaException(file, "", "validVersions has no end");
    }
    flexible = versions(node, "flexibleVersions", "", null);
    structs.put(name, List.of());
    for (JsonNode common : node.path("commonStructs")) {
      String commonName = text(common, "name", "");
      struct(commonName, common, commonName);
    }
    structs.remove(name);
    struct(name, node, name);
    List<String> listeners = new ArrayList<>();
    node.path("listeners").forEach(l -> listeners.add(l.asText()));
    return new Schema(
        origin,
        kind,
        name,
        node.path("apiKey").asInt(-1),
        validVersions,
        flexible,
        node.path("latestVersionUnstable").asBoolean(false),
        List.copyOf(listeners),
        resolve(name));
  }

  private Kind kind(String type) {
    try {
      return Kind.valueOf(type.toUpperCase(Locale.ROOT).replace('-', '_'));
    } catch (IllegalArgumentException e) {
      throw new SchemaException(file, "", "unknown type '" + type + "'");
    }
  }

  private void struct(String name, JsonNode node, String path) {
    if (!node.path("fields").isArray()) {
      throw new SchemaException(file, path, "has no fields");
    }
    List<Field> fields = new ArrayList<>();
    if (structs.put(name, fields) != null) {
      throw new SchemaException(file, path, "a second struct named " + name);
    }
    Set<String> names = new HashSet<>();
    Set<Integer> tags = new HashSet<>();
    for (JsonNode f : node.path("fields")) {
      Field field = field(f, path);
      if (!names.add(field.java())) {
        throw new SchemaException(file, path + "." + field.name(), "is there twice");
      }
      if (field.tag() >= 0 && !tags.add(field.tag())) {
        throw new SchemaException(file, path + "." + field.name(), "its tag is used twice");
      }
      fields.add(field);
    }
    for (int tag = 0; tag < tags.size(); tag++) {
      if (!tags.contains(tag)) {
        throw new SchemaException(file, path, "the tags have a gap at " + tag);
      }
    }
  }

  private Field field(JsonNode node, String parent) {
    String name = text(node, "name", parent);
    String path = parent + "." + name;
    FieldType type = type(text(node, "type", path), path);
    Versions tagged = versions(node, "taggedVersions", path, Versions.NONE);
    Versions versions = versions(node, "versions", path, tagged.isEmpty() ? null : tagged);
    Versions nullable = versions(node, "nullableVersions", path, Versions.NONE);
    int tag = node.path("tag").asInt(-1);
    if (tagged.isEmpty() != (tag < 0)) {
      throw new SchemaException(file, path, "needs both tag and taggedVersions, or none");
    }
    if (!flexible.containsAll(tagged.intersect(validVersions))) {
      throw new SchemaException(file, path, "is tagged in versions that are not flexible");
    }
    if (!versions.containsAll(tagged)) {
      throw new SchemaException(file, path, "is tagged in versions that it is not part of");
    }
    if (!nullable.isEmpty() && !type.canBeNull()) {
      throw new SchemaException(file, path, "this type cannot be null");
    }
    FieldType inner = type instanceof ArrayType a ? a.element() : type;
    if (node.has("fields")) {
      if (!(inner instanceof StructType s)) {
        throw new SchemaException(file, path, "has fields, but is no struct");
      }
      struct(s.name(), node, path);
    }
    return new Field(
        name,
        type,
        versions,
        nullable,
        tagged,
        tag,
        node.path("ignorable").asBoolean(false),
        versions(node, "flexibleVersions", path, flexible),
        defaultValue(node, type, !nullable.intersect(validVersions).isEmpty(), path));
  }

  private FieldType type(String text, String path) {
    try {
      return FieldType.parse(text);
    } catch (IllegalArgumentException e) {
      throw new SchemaException(file, path, e.getMessage());
    }
  }

  /** The default as Java source. */
  private String defaultValue(JsonNode node, FieldType type, boolean nullable, String path) {
    JsonNode d = node.get("default");
    // To Kafka's own generator a null that is not in quotes is no default at all; so also here, for
    // the bytes depend on it.
    String text = d == null || d.isNull() ? "" : d.asText();
    if (text.equals("null")) {
      if (!nullable) {
        throw new SchemaException(file, path, "its default is null, but it is not nullable");
      }
      return "null";
    }
    if (type instanceof Primitive p) {
      try {
        return primitiveDefault(p, text, nullable);
      } catch (IllegalArgumentException e) {
        throw new SchemaException(file, path, "'" + text + "' is no default of this type");
      }
    }
    if (!text.isEmpty()) {
      throw new SchemaException(file, path, "'" + text + "' is no default of this type");
    }
    return type instanceof StructType s ? "new " + s.name() + "()" : "new ArrayList<>()";
  }

  private static String primitiveDefault(Primitive p, String text, boolean nullable) {
    switch (p) {
      case BOOL:
        if (!text.isEmpty() && !text.equals("true") && !text.equals("false")) {
          throw new IllegalArgumentException();
        }
        return text.isEmpty() ? "false" : text;
      case INT8:
        return "(byte) " + (text.isEmpty() ? 0 : Byte.decode(text));
      case INT16:
        return "(short) " + (text.isEmpty() ? 0 : Short.decode(text));
      case UINT16:
      case INT32:
        return "" + (text.isEmpty() ? 0 : Integer.decode(text));
      case UINT32:
      case INT64:
        return (text.isEmpty() ? 0 : Long.decode(text)) + "L";
      case FLOAT64:
        return "" + (text.isEmpty() ? 0.0 : Double.parseDouble(text));
      case STRING:
        if (text.indexOf('"') >= 0 || text.indexOf('\\') >= 0) {
          throw new IllegalArgumentException();
        }
        return "\"" + text + "\"";
      default:
        if (!text.isEmpty()) {
          throw new IllegalArgumentException();
        }
    }
    return switch (p) {
      case UUID -> "Uuid.ZERO";
      case BYTES -> "new byte[0]";
      default -> nullable ? "null" : "Records.EMPTY";
    };
  }

  /** The structs in order, the message's own first, each with the versions that can reach it. */
  private List<Struct> resolve(String root) {
    Map<String, Versions> reached = new LinkedHashMap<>();
    reach(root, validVersions, reached, new ArrayList<>());
    List<Struct> all = new ArrayList<>();
    reached.forEach(
        (name, versions) -> {
          // What was only in versions that are gone is not generated.
          List<Field> fields = new ArrayList<>(structs.get(name));
          fields.removeIf(f -> f.versions().intersect(versions).isEmpty());
          all.add(new Struct(name, versions, List.copyOf(fields)));
        });
    return List.copyOf(all);
  }

  private void reach(
      String name, Versions versions, Map<String, Versions> reached, List<String> path) {
    if (path.contains(name)) {
      // Reading it could recurse as deep as a hostile peer likes.
      throw new SchemaException(file, String.join(".", path), name + " would hold itself");
    }
    reached.merge(name, versions, Versions::hull);
    path.add(name);
    for (Field f : structs.get(name)) {
      FieldType inner = f.type() instanceof ArrayType a ? a.element() : f.type();
      if (inner instanceof StructType s) {
        if (!structs.containsKey(s.name())) {
          throw new SchemaException(
              file, String.join(".", path) + "." + f.name(), "no struct named " + s.name());
        }
        Versions in = f.versions().intersect(versions);
        if (!in.isEmpty()) {
          reach(s.name(), in, reached, path);
        }
      }
    }
    path.remove(path.size() - 1);
  }

  private Versions versions(JsonNode node, String key, String field, Versions absent) {
    JsonNode v = node.get(key);
    if (v == null) {
      if (absent == null) {
        throw new SchemaException(file, field, key + " is missing");
      }
      return absent;
    }
    try {
      return Versions.parse(v.asText());
    } catch (IllegalArgumentException e) {
      throw new SchemaException(file, field, key + ": " + e.getMessage());
    }
  }

  private String text(JsonNode node, String key, String field) {
    JsonNode v = node.get(key);
    if (v == null || !v.isTextual()) {
      throw new SchemaException(file, field, key + " is missing");
    }
    return v.asText();
  }
}
