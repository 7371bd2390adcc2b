package dev.vitrine.compat.differential;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.vitrine.compat.ClusterUnderTest;
import dev.vitrine.compat.RawConnection;
import dev.vitrine.protocol.message.ApiKeys;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * One of the two clusters during one script: its connections, and what its answers have been asked
 * to remember. Used by one thread.
 */
final class Side implements AutoCloseable {
  private static final Pattern VARIABLE =
      Pattern.compile("\\$\\{?([A-Za-z]\\w*(?:\\.[A-Za-z]\\w*)*)}?");

  final ClusterUnderTest cluster;
  final Map<String, JsonNode> variables = new HashMap<>();
  private final Map<String, RawConnection> connections = new LinkedHashMap<>();
  private final Map<String, Sent> pending = new HashMap<>();
  private int correlationId;

  /** A request whose answer has not been read. */
  record Sent(ApiKeys api, int version, int correlationId) {}

  Side(ClusterUnderTest cluster) {
    this.cluster = cluster;
  }

  /** {@code [NODE:]NAME}; one whose name begins with "controller" is to the controller. */
  private RawConnection connection(String name) throws IOException {
    RawConnection open = connections.get(name);
    if (open == null) {
      int colon = name.indexOf(':');
      int node = colon < 0 ? 1 : Integer.parseInt(name.substring(0, colon));
      boolean controller = name.substring(colon + 1).startsWith("controller");
      open =
          new RawConnection(controller ? cluster.controllerPort(node) : cluster.clientPort(node));
      connections.put(name, open);
    }
    return open;
  }

  void disconnect(String name) throws IOException {
    RawConnection open = connections.remove(name);
    if (open != null) {
      open.close();
    }
    pending.remove(name);
  }

  void send(String connection, ApiKeys api, int version, JsonNode body, ObjectNode header)
      throws IOException {
    String name = Apis.name(api);
    Schema schema = Schema.of(name + "Request");
    // A version that nobody has: what the highest would be.
    int written = schema.versions().contains(version) ? version : schema.versions().highest();
    byte[] bytes = Encoder.encode(schema, written, resolve(body));
    ObjectNode fields = Json.READER.createObjectNode();
    fields.put("requestApiKey", api.id());
    fields.put("requestApiVersion", version);
    fields.put("correlationId", ++correlationId);
    fields.put("clientId", "differential");
    fields.setAll((ObjectNode) resolve(header));
    byte[] head =
        Encoder.encode(
            Schema.of("RequestHeader"), api.requestHeaderVersion((short) written), fields);
    byte[] frame = ByteBuffer.allocate(head.length + bytes.length).put(head).put(bytes).array();
    pending.put(connection, new Sent(api, version, correlationId));
    write(connection, frame, true);
  }

  void write(String connection, byte[] bytes, boolean framed) throws IOException {
    try {
      if (framed) {
        connection(connection).sendFrame(bytes);
      } else {
        connection(connection).send(bytes);
      }
    } catch (java.net.SocketException e) {
      // Closed by the other end: reading will say so.
    }
  }

  /** What has been sent there and not been answered. */
  Sent pending(String connection) {
    Sent sent = pending.get(connection);
    if (sent == null) {
      throw new IllegalArgumentException("nothing was sent on @" + connection);
    }
    return sent;
  }

  /** The answer to what was sent last. */
  Answer receive(String connection) throws IOException {
    Sent sent = pending(connection);
    pending.remove(connection);
    return receive(connection, sent.api(), sent.version(), sent.correlationId());
  }

  /**
   * @param expectedId -1 for any
   */
  Answer receive(String connection, ApiKeys api, int version, int expectedId) throws IOException {
    Optional<ByteBuffer> bytes;
    try {
      bytes = connection(connection).receive();
    } catch (SocketTimeoutException e) {
      disconnect(connection);
      return Answer.NOTHING;
    }
    if (bytes.isEmpty()) {
      disconnect(connection);
      return Answer.CLOSED;
    }
    return Answer.read(bytes.get(), api, version, expectedId);
  }

  /** Variables in texts replaced: by their value if the text is nothing else. */
  JsonNode resolve(JsonNode value) {
    if (value.isTextual()) {
      Matcher whole = VARIABLE.matcher(value.asText());
      return whole.matches()
          ? variable(whole.group(1))
          : TextNode.valueOf(
              VARIABLE
                  .matcher(value.asText())
                  .replaceAll(m -> Matcher.quoteReplacement(variable(m.group(1)).asText())));
    }
    if (value.isArray()) {
      var array = Json.READER.createArrayNode();
      value.forEach(v -> array.add(resolve(v)));
      return array;
    }
    if (value.isObject()) {
      ObjectNode object = Json.READER.createObjectNode();
      value
          .properties()
          .forEach(
              f ->
                  object.set(
                      resolve(TextNode.valueOf(f.getKey())).asText(), resolve(f.getValue())));
      return object;
    }
    return value;
  }

  private JsonNode variable(String name) {
    JsonNode value = variables.get(name);
    if (value == null) {
      throw new IllegalArgumentException("no variable " + name);
    }
    return value;
  }

  void closeConnections() throws IOException {
    for (RawConnection connection : connections.values()) {
      connection.close();
    }
    connections.clear();
    pending.clear();
  }

  @Override
  public void close() {
    cluster.close();
  }
}
