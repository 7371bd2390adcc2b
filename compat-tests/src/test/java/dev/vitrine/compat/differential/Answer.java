package dev.vitrine.compat.differential;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.vitrine.protocol.message.ApiKeys;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.HexFormat;

/**
 * What came back. A value.
 *
 * @param outcome in one word
 * @param tree empty unless it was answered
 */
record Answer(String outcome, ObjectNode tree) {
  static final Answer CLOSED = new Answer("closed", Json.READER.createObjectNode());
  static final Answer NOTHING = new Answer("nothing", Json.READER.createObjectNode());

  static Answer read(ByteBuffer bytes, ApiKeys api, int version, int expectedId) {
    int correlationId = bytes.getInt();
    if (expectedId >= 0 && correlationId != expectedId) {
      return new Answer("of another request", Json.READER.createObjectNode());
    }
    Schema schema = Schema.of(Apis.name(api) + "Response");
    // A client that asks in a version that the node does not have is answered in the first.
    int read = schema.versions().contains(version) ? version : 0;
    ByteBuffer body = bytes.slice();
    try {
      ObjectNode header =
          api.responseHeaderVersion((short) read) > 0
              ? Decoder.tags(body)
              : Json.READER.createObjectNode();
      ObjectNode tree = Decoder.decode(schema, read, body.slice());
      if (!header.isEmpty()) {
        tree.set("(header)", header);
      }
      return new Answer("answered", tree);
    } catch (BufferUnderflowException | IllegalArgumentException | NegativeArraySizeException e) {
      ObjectNode tree = Json.READER.createObjectNode();
      byte[] copy = new byte[bytes.slice().remaining()];
      bytes.slice().get(copy);
      return new Answer(
          "unreadable", tree.put("bytes", HexFormat.of().formatHex(copy)).put("why", "" + e));
    }
  }

  /** The value at {@code a.b[0].c}; null if there is none. */
  JsonNode at(String path) {
    String pointer = "/" + path.replace("[", ".").replace("]", "").replace('.', '/');
    JsonNode value = tree.at(pointer);
    return value.isMissingNode() ? null : value;
  }
}
