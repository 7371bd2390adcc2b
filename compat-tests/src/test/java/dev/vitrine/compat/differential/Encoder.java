package dev.vitrine.compat.differential;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.IntNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.vitrine.compat.differential.Schema.Field;
import dev.vitrine.protocol.Uuid;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.Iterator;
import java.util.List;
import java.util.TreeMap;

/**
 * Writes a message as a script describes it, in the names of its schema. A field that is left out
 * holds its default, one that the version does not have is not written, and nothing else is mended:
 * null is written where it may not be. What is written how is told in HACKING.md. Used by one
 * thread.
 */
final class Encoder {
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final int version;

  private Encoder(int version) {
    this.version = version;
  }

  static byte[] encode(Schema schema, int version, JsonNode value) {
    Encoder encoder = new Encoder(version);
    encoder.struct(schema.fields(), schema.flexible().contains(version), value);
    return encoder.out.toByteArray();
  }

  private void struct(List<Field> fields, boolean flexible, JsonNode value) {
    checkNames(fields, value);
    TreeMap<Integer, byte[]> tags = new TreeMap<>();
    for (Field f : fields) {
      if (!f.versions().contains(version)) {
        continue;
      }
      JsonNode given = value.get(f.name());
      if (!f.tagged().contains(version)) {
        field(f, given == null ? f.preset() : given);
      } else if (given != null) {
        Encoder inner = new Encoder(version);
        inner.field(f, given);
        tags.put(f.tag(), inner.out.toByteArray());
      }
    }
    if (!flexible) {
      return;
    }
    value
        .path("_tags")
        .properties()
        .forEach(t -> tags.put(Integer.parseInt(t.getKey()), hex(t.getValue().asText())));
    varint(tags.size());
    tags.forEach(
        (tag, bytes) -> {
          varint(tag);
          varint(bytes.length);
          out.writeBytes(bytes);
        });
  }

  private static void checkNames(List<Field> fields, JsonNode value) {
    if (!value.isObject()) {
      throw new IllegalArgumentException("an object is wanted, not " + value);
    }
    for (Iterator<String> names = value.fieldNames(); names.hasNext(); ) {
      String name = names.next();
      if (!name.equals("_tags") && fields.stream().noneMatch(f -> f.name().equals(name))) {
        throw new IllegalArgumentException("no field " + name + " in any version");
      }
    }
  }

  private void field(Field f, JsonNode value) {
    boolean flexible = f.flexible().contains(version);
    if (f.array()) {
      array(f, flexible, value);
    } else if (f.isStruct()) {
      if (f.nullable().contains(version)) {
        out.write(value == null || value.isNull() ? -1 : 1);
      }
      if (value == null || !value.isNull()) {
        struct(f.fields(), flexible, value == null ? Json.READER.createObjectNode() : value);
      }
    } else {
      scalar(f.type(), flexible, value);
    }
  }

  private void array(Field f, boolean flexible, JsonNode value) {
    if (value == null) {
      length(0, flexible);
      return;
    }
    if (value.isNull()) {
      length(-1, flexible);
      return;
    }
    List<JsonNode> elements = elements(value);
    length(elements.size(), flexible);
    for (JsonNode element : elements) {
      if (f.isStruct()) {
        struct(f.fields(), flexible, element);
      } else {
        scalar(f.type(), flexible, element);
      }
    }
  }

  /** An array, or {@code {repeat: VALUE, times: N}}, in which {@code #} is the index. */
  private static List<JsonNode> elements(JsonNode value) {
    List<JsonNode> elements = new ArrayList<>();
    if (value.has("repeat")) {
      String text = value.get("repeat").toString();
      for (int i = 0; i < value.path("times").asInt(); i++) {
        elements.add(Json.parse(text.replace("#", "" + i)));
      }
    } else if (value.isArray()) {
      value.forEach(elements::add);
    } else {
      throw new IllegalArgumentException("an array is wanted, not " + value);
    }
    return elements;
  }

  private void scalar(String type, boolean flexible, JsonNode value) {
    switch (type) {
      case "bool" -> out.write(value == null ? 0 : bool(value));
      case "int8" -> out.write((int) number(value));
      case "int16", "uint16" -> out.writeBytes(bytes(2).putShort((short) number(value)).array());
      case "int32", "uint32" -> out.writeBytes(bytes(4).putInt((int) number(value)).array());
      case "int64" -> out.writeBytes(bytes(8).putLong(number(value)).array());
      case "float64" ->
          out.writeBytes(bytes(8).putDouble(value == null ? 0 : value.asDouble()).array());
      case "uuid" -> {
        Uuid id =
            value == null || value.asText().isEmpty() ? Uuid.ZERO : Uuid.fromString(value.asText());
        out.writeBytes(
            bytes(16).putLong(id.mostSignificantBits()).putLong(id.leastSignificantBits()).array());
      }
      case "string" -> {
        byte[] text = value == null ? new byte[0] : blob(value);
        if (flexible) {
          varint(text == null ? 0 : text.length + 1);
        } else {
          out.writeBytes(bytes(2).putShort((short) (text == null ? -1 : text.length)).array());
        }
        out.writeBytes(text == null ? new byte[0] : text);
      }
      case "bytes", "records" -> {
        byte[] blob =
            value == null
                ? new byte[0]
                : type.equals("records") && !value.isNull()
                    ? RecordsText.build(value)
                    : blob(value);
        length(blob == null ? -1 : blob.length, flexible);
        out.writeBytes(blob == null ? new byte[0] : blob);
      }
      default -> throw new IllegalArgumentException("unknown type " + type);
    }
  }

  private static int bool(JsonNode value) {
    return value.isNumber() ? value.intValue() : Boolean.parseBoolean(value.asText()) ? 1 : 0;
  }

  private static long number(JsonNode value) {
    return value == null ? 0 : value.isTextual() ? Long.decode(value.asText()) : value.longValue();
  }

  /**
   * Text; null; or an object: {@code {hex: TEXT}}, {@code {repeat: TEXT, times: N}}, or {@code
   * {message: NAME, version: N, ...}} for an embedded message behind its version.
   */
  static byte[] blob(JsonNode value) {
    if (value.isNull()) {
      return null;
    }
    if (value.has("hex")) {
      return hex(value.get("hex").asText());
    }
    if (value.has("repeat")) {
      return value
          .get("repeat")
          .asText()
          .repeat(value.path("times").asInt())
          .getBytes(StandardCharsets.UTF_8);
    }
    if (value.has("message")) {
      ObjectNode fields = value.deepCopy();
      String name = fields.remove("message").asText();
      JsonNode version = fields.remove("version");
      int v = (version == null ? IntNode.valueOf(0) : version).asInt();
      byte[] body = encode(Schema.of(name), v, fields);
      return ByteBuffer.allocate(2 + body.length).putShort((short) v).put(body).array();
    }
    if (value.isContainerNode()) {
      throw new IllegalArgumentException("text is wanted, not " + value);
    }
    return value.asText().getBytes(StandardCharsets.UTF_8);
  }

  static byte[] hex(String text) {
    return HexFormat.of().parseHex(text.replaceAll("[\\s_]", ""));
  }

  private static ByteBuffer bytes(int size) {
    return ByteBuffer.allocate(size);
  }

  private void length(int length, boolean flexible) {
    if (flexible) {
      varint(length + 1);
    } else {
      out.writeBytes(bytes(4).putInt(length).array());
    }
  }

  private void varint(int value) {
    int left = value;
    while ((left & ~0x7f) != 0) {
      out.write(left & 0x7f | 0x80);
      left >>>= 7;
    }
    out.write(left);
  }
}
