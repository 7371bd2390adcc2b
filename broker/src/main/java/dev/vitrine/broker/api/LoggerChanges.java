package dev.vitrine.broker.api;

import dev.vitrine.config.ConfigException;
import dev.vitrine.config.ConfigException.Kind;
import dev.vitrine.metadata.ConfigResource;
import dev.vitrine.protocol.Errors;
import dev.vitrine.protocol.message.IncrementalAlterConfigsRequest;
import dev.vitrine.protocol.message.IncrementalAlterConfigsRequest.AlterConfigsResource;
import dev.vitrine.protocol.message.IncrementalAlterConfigsRequest.AlterableConfig;
import dev.vitrine.protocol.message.IncrementalAlterConfigsResponse.AlterConfigsResourceResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Changes of this node's log levels by IncrementalAlterConfigs (KIP-412, and KIP-919 for
 * controllers). They last as long as the process; nothing of them is in the metadata. Of one
 * resource either all is done or nothing. Any thread.
 */
public final class LoggerChanges {
  private static final byte SET = 0;
  private static final byte DELETE = 1;
  private static final List<String> OPERATIONS = List.of("SET", "DELETE", "APPEND", "SUBTRACT");

  /** In the order in which Kafka lists them. */
  private static final List<String> LEVELS =
      List.of("DEBUG", "ERROR", "FATAL", "INFO", "TRACE", "WARN");

  private final Loggers loggers;
  private final int nodeId;

  public LoggerChanges(Loggers loggers, int nodeId) {
    this.loggers = loggers;
    this.nodeId = nodeId;
  }

  /**
   * Makes the request's changes of loggers, takes them out of it, and tells what became of them.
   */
  public List<AlterConfigsResourceResponse> takeFrom(IncrementalAlterConfigsRequest request) {
    List<AlterConfigsResource> ours =
        request.resources().stream()
            .filter(resource -> resource.resourceType() == ConfigResource.BROKER_LOGGER)
            .toList();
    if (ours.isEmpty()) {
      return List.of();
    }
    request.resources(
        new ArrayList<>(
            request.resources().stream().filter(resource -> !ours.contains(resource)).toList()));
    boolean twice =
        ours.stream().map(AlterConfigsResource::resourceName).distinct().count() < ours.size();
    return ours.stream()
        .map(
            resource ->
                twice
                    ? answer(resource, refused("Each resource must appear at most once."))
                    : apply(resource, request.validateOnly()))
        .toList();
  }

  private AlterConfigsResourceResponse apply(AlterConfigsResource resource, boolean validateOnly) {
    try {
      checkName(resource.resourceName());
      Set<String> known = loggers.levels().keySet();
      for (AlterableConfig change : resource.configs()) {
        check(change, known);
      }
    } catch (ConfigException e) {
      return answer(resource, e);
    }
    if (!validateOnly) {
      for (AlterableConfig change : resource.configs()) {
        if (change.configOperation() == SET) {
          loggers.set(change.name(), change.value());
        } else {
          loggers.unset(change.name());
        }
      }
    }
    return answer(resource, null);
  }

  private static AlterConfigsResourceResponse answer(
      AlterConfigsResource resource, ConfigException refusal) {
    Errors error = refusal == null ? Errors.NONE : ConfigErrors.of(refusal);
    return new AlterConfigsResourceResponse()
        .resourceType(resource.resourceType())
        .resourceName(resource.resourceName())
        .errorCode(error.code())
        .errorMessage(refusal == null ? null : refusal.getMessage());
  }

  private void checkName(String name) {
    int id;
    try {
      id = Integer.parseInt(name);
    } catch (NumberFormatException notAnId) {
      throw refused("Node id must be an integer, but it is: " + name);
    }
    if (id != nodeId) {
      throw refused("Unexpected node id. Expected " + nodeId + ", but received " + id);
    }
  }

  private static void check(AlterableConfig change, Set<String> known) {
    int operation = change.configOperation();
    if (operation != SET && operation != DELETE) {
      throw refused(
          operation < 0 || operation >= OPERATIONS.size()
              ? "Unknown operation type "
                  + operation
                  + " is not allowed for the BROKER_LOGGER resource"
              : OPERATIONS.get(operation)
                  + " operation is not allowed for the BROKER_LOGGER resource");
    }
    if (!known.contains(change.name())) {
      throw new ConfigException("Logger " + change.name() + " does not exist!");
    }
    if (operation == DELETE && change.name().equals(Loggers.ROOT)) {
      throw refused("Removing the log level of the root logger is not allowed");
    }
    if (operation == SET && !LEVELS.contains(change.value())) {
      throw new ConfigException(
          "Cannot set the log level of "
              + change.name()
              + " to "
              + change.value()
              + " as it is not a supported log level. Valid log levels are "
              + String.join(", ", LEVELS));
    }
  }

  private static ConfigException refused(String why) {
    return new ConfigException(Kind.INVALID_REQUEST, why);
  }
}
