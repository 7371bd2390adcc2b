package dev.vitrine.compat.differential;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.TextNode;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A message as Kafka's own schema file in kafka-clients describes it, read anew here so that
 * neither Vitrine's messages nor Kafka's stand between a script and the wire: what no generated
 * class would write, or would mend, can be sent and is seen. A value.
 */
record Schema(String name, Range versions, Range flexible, List<Field> fields) {
  /** Both ends inclusive; empty if {@code highest < lowest}. */
  record Range(int lowest, int highest) {
    static final Range NONE = new Range(0, -1);

    static Range parse(String text) {
      if (text.equals("none")) {
        return NONE;
      }
      if (text.endsWith("+")) {
        return new Range(Integer.parseInt(text.substring(0, text.length() - 1)), Short.MAX_VALUE);
      }
      String[] ends = text.split("-");
      return new Range(Integer.parseInt(ends[0]), Integer.parseInt(ends[ends.length - 1]));
    }

    boolean contains(int version) {
      return version >= lowest && version <= highest;
    }
  }

  /**
   * @param type the schema's word for it; of an array, of its elements
   * @param fields of a struct or of an array's structs, otherwise empty
   * @param preset the value of a field that a script leaves out; null if it is the type's own
   */
  record Field(
      String name,
      String type,
      boolean array,
      Range versions,
      Range nullable,
      Range tagged,
      int tag,
      Range flexible,
      JsonNode preset,
      List<Field> fields) {
    boolean isStruct() {
      return !fields.isEmpty();
    }
  }

  private static final Map<String, Schema> READ = new HashMap<>();

  /**
   * @param name such as {@code FetchRequest}
   */
  static Schema of(String name) {
    return READ.computeIfAbsent(name, Schema::read);
  }

  private static Schema read(String name) {
    try (InputStream in =
        Schema.class.getClassLoader().getResourceAsStream("common/message/" + name + ".json")) {
      if (in == null) {
        throw new IllegalArgumentException("no message " + name);
      }
      JsonNode json = Json.READER.readTree(in);
      Map<String, JsonNode> common = new LinkedHashMap<>();
      json.path("commonStructs").forEach(s -> common.put(s.path("name").asText(), s));
      gatherStructs(json, common);
      Range flexible = Range.parse(json.path("flexibleVersions").asText("none"));
      return new Schema(
          name,
          Range.parse(json.path("validVersions").asText()),
          flexible,
          fields(json, flexible, common));
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  /** A struct that is defined at one field may be named at another. */
  private static void gatherStructs(JsonNode node, Map<String, JsonNode> structs) {
    for (JsonNode field : node.path("fields")) {
      if (field.has("fields")) {
        structs.putIfAbsent(field.path("type").asText().replace("[]", ""), field);
        gatherStructs(field, structs);
      }
    }
  }

  private static List<Field> fields(JsonNode node, Range flexible, Map<String, JsonNode> structs) {
    List<Field> fields = new ArrayList<>();
    for (JsonNode f : node.path("fields")) {
      String type = f.path("type").asText();
      boolean array = type.startsWith("[]");
      String element = array ? type.substring(2) : type;
      String name = f.path("name").asText();
      Range tagged = Range.parse(f.path("taggedVersions").asText("none"));
      JsonNode preset = f.get("default");
      boolean isNull = preset != null && preset.asText().equals("null");
      fields.add(
          new Field(
              Character.toLowerCase(name.charAt(0)) + name.substring(1),
              element,
              array,
              f.has("versions") ? Range.parse(f.path("versions").asText()) : tagged,
              Range.parse(f.path("nullableVersions").asText("none")),
              tagged,
              f.path("tag").asInt(-1),
              f.has("flexibleVersions")
                  ? Range.parse(f.path("flexibleVersions").asText())
                  : flexible,
              isNull ? Json.NULL : preset == null ? null : TextNode.valueOf(preset.asText()),
              structs.containsKey(element)
                  ? fields(structs.get(element), flexible, structs)
                  : List.of()));
    }
    return fields;
  }
}
