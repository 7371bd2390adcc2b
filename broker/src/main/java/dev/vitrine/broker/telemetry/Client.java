package dev.vitrine.broker.telemetry;

import dev.vitrine.broker.api.RequestContext;
import dev.vitrine.protocol.Uuid;
import java.util.Map;
import java.util.TreeMap;

/**
 * Who pushes, and over which connection. Immutable.
 *
 * @param properties those that a subscription can match, by Kafka's names
 */
record Client(Uuid instanceId, String connectionId, Map<String, String> properties) {
  static final String INSTANCE_ID = "client_instance_id";
  static final String ID = "client_id";
  static final String SOFTWARE_NAME = "client_software_name";
  static final String SOFTWARE_VERSION = "client_software_version";

  static Client of(Uuid instanceId, RequestContext context) {
    Map<String, String> properties = new TreeMap<>();
    properties.put(INSTANCE_ID, instanceId.toString());
    if (context.clientId() != null) {
      properties.put(ID, context.clientId());
    }
    properties.put(SOFTWARE_NAME, context.connection().softwareName());
    properties.put(SOFTWARE_VERSION, context.connection().softwareVersion());
    properties.put("client_source_address", context.clientAddress().replaceFirst("^.*/", ""));
    properties.put("client_source_port", port(context.connectionId()));
    return new Client(instanceId, context.connectionId(), properties);
  }

  /** A connection's id is {@code local:port-remote:port-…}, and a remote address has no dash. */
  private static String port(String connectionId) {
    String[] parts = connectionId.split("-");
    String remote = parts.length < 2 ? "" : parts[1];
    return remote.substring(remote.lastIndexOf(':') + 1);
  }
}
