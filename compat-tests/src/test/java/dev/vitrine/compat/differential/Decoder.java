package dev.vitrine.compat.differential;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.BooleanNode;
import com.fasterxml.jackson.databind.node.DoubleNode;
import com.fasterxml.jackson.databind.node.IntNode;
import com.fasterxml.jackson.databind.node.LongNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.vitrine.compat.differential.Schema.Field;
import dev.vitrine.protocol.Uuid;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;

/**
 * Reads a message into a tree that holds all that was on the wire and nothing else: a tagged field
 * that was not sent is not in it. Used by one thread.
 */
final class Decoder {
  private final ByteBuffer in;
  private final int version;

  private Decoder(ByteBuffer in, int version) {
    this.in = in;
    this.version = version;
  }

  /** The whole of the buffer; what is left over at its end stands in {@code (rest)}. */
  static ObjectNode decode(Schema schema, int version, ByteBuffer in) {
    ObjectNode tree =
        new Decoder(in, version).struct(schema.fields(), schema.flexible().contains(version));
    if (in.hasRemaining()) {
      tree.put("(rest)", HexFormat.of().formatHex(take(in, in.remaining())));
    }
    return tree;
  }

  /** Tagged fields alone, as in a header, none of which is known. */
  static ObjectNode tags(ByteBuffer in) {
    return new Decoder(in, 0).struct(List.of(), true);
  }

  private ObjectNode struct(List<Field> fields, boolean flexible) {
    ObjectNode tree = Json.READER.createObjectNode();
    for (Field f : fields) {
      if (f.versions().contains(version) && !f.tagged().contains(version)) {
        tree.set(f.name(), field(f));
      }
    }
    for (int tags = flexible ? varint() : 0; tags > 0; tags--) {
      int tag = varint();
      ByteBuffer bytes = ByteBuffer.wrap(take(in, varint()));
      Field known =
          fields.stream()
              .filter(f -> f.tag() == tag && f.tagged().contains(version))
              .findFirst()
              .orElse(null);
      if (known != null) {
        tree.set(known.name(), new Decoder(bytes, version).field(known));
      } else {
        tree.withObject("/_tags").put("" + tag, HexFormat.of().formatHex(bytes.array()));
      }
    }
    return tree;
  }

  private JsonNode field(Field f) {
    boolean flexible = f.flexible().contains(version);
    if (!f.array()) {
      return f.isStruct() ? structOrNull(f, flexible) : scalar(f.type(), flexible);
    }
    int length = length(flexible);
    if (length < 0) {
      return Json.NULL;
    }
    ArrayNode array = Json.READER.createArrayNode();
    for (int i = 0; i < length; i++) {
      array.add(f.isStruct() ? struct(f.fields(), flexible) : scalar(f.type(), flexible));
    }
    return array;
  }

  private JsonNode structOrNull(Field f, boolean flexible) {
    boolean isNull = f.nullable().contains(version) && in.get() < 0;
    return isNull ? Json.NULL : struct(f.fields(), flexible);
  }

  private JsonNode scalar(String type, boolean flexible) {
    return switch (type) {
      case "bool" -> BooleanNode.valueOf(in.get() != 0);
      case "int8" -> IntNode.valueOf(in.get());
      case "int16" -> IntNode.valueOf(in.getShort());
      case "uint16" -> IntNode.valueOf(in.getShort() & 0xffff);
      case "int32" -> IntNode.valueOf(in.getInt());
      case "uint32" -> LongNode.valueOf(in.getInt() & 0xffffffffL);
      case "int64" -> LongNode.valueOf(in.getLong());
      case "float64" -> DoubleNode.valueOf(in.getDouble());
      case "uuid" -> TextNode.valueOf(new Uuid(in.getLong(), in.getLong()).toString());
      case "string" -> {
        int length = flexible ? varint() - 1 : in.getShort();
        yield length < 0
            ? Json.NULL
            : TextNode.valueOf(new String(take(in, length), StandardCharsets.UTF_8));
      }
      case "bytes" -> {
        int length = length(flexible);
        yield length < 0 ? Json.NULL : TextNode.valueOf(HexFormat.of().formatHex(take(in, length)));
      }
      case "records" -> {
        int length = length(flexible);
        yield length < 0 ? Json.NULL : RecordsText.read(ByteBuffer.wrap(take(in, length)));
      }
      default -> throw new IllegalArgumentException("unknown type " + type);
    };
  }

  private static byte[] take(ByteBuffer in, int length) {
    byte[] bytes = new byte[length];
    in.get(bytes);
    return bytes;
  }

  private int length(boolean flexible) {
    return flexible ? varint() - 1 : in.getInt();
  }

  private int varint() {
    int value = 0;
    for (int shift = 0; ; shift += 7) {
      int b = in.get();
      value |= (b & 0x7f) << shift;
      if (b >= 0) {
        return value;
      }
    }
  }
}
