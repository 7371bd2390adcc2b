package dev.vitrine.broker.api;

import dev.vitrine.config.ConfigDescriber;
import dev.vitrine.config.ConfigEntryView;
import dev.vitrine.config.ConfigSource;
import dev.vitrine.config.ConfigType;
import dev.vitrine.metadata.ConfigResource;
import dev.vitrine.metadata.LiveConfig;
import dev.vitrine.metadata.MetadataImage;
import dev.vitrine.metadata.TopicName;
import dev.vitrine.protocol.ApiMessage;
import dev.vitrine.protocol.Errors;
import dev.vitrine.protocol.message.DescribeConfigsRequest;
import dev.vitrine.protocol.message.DescribeConfigsRequest.DescribeConfigsResource;
import dev.vitrine.protocol.message.DescribeConfigsResponse;
import dev.vitrine.protocol.message.DescribeConfigsResponse.DescribeConfigsResourceResult;
import dev.vitrine.protocol.message.DescribeConfigsResponse.DescribeConfigsResult;
import dev.vitrine.protocol.message.DescribeConfigsResponse.DescribeConfigsSynonym;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * DescribeConfigs 1–4: every Kafka key of a topic, of this node, of all brokers, of a group or of a
 * subscription to clients' metrics, with its value and where that comes from; and the levels of
 * this node's loggers (KIP-412). On the controllers' listener it is the same (KIP-919).
 *
 * <ul>
 *   <li>Only what somebody set is anything but a default; a topic's key shows the broker's key that
 *       it falls back to among its synonyms, which are only told when asked for.
 *   <li>A broker is only described by itself; the name {@code ""} stands for all brokers.
 *   <li>A group or subscription need not exist; a topic must.
 *   <li>Secrets and values of unknown keys are null. Documentation is told from version 3 on, when
 *       asked for; it is our own.
 * </ul>
 */
public final class DescribeConfigsHandler implements ApiHandler {
  private final Supplier<MetadataImage> metadata;
  private final LiveConfig config;
  private final Loggers loggers;

  public DescribeConfigsHandler(
      Supplier<MetadataImage> metadata, LiveConfig config, Loggers loggers) {
    this.metadata = metadata;
    this.config = config;
    this.loggers = loggers;
  }

  @Override
  public void handle(RequestContext context, ApiMessage message, Responder responder) {
    DescribeConfigsRequest request = (DescribeConfigsRequest) message;
    MetadataImage image = metadata.get();
    DescribeConfigsResponse response = new DescribeConfigsResponse();
    for (DescribeConfigsResource resource : request.resources()) {
      DescribeConfigsResult result =
          new DescribeConfigsResult()
              .resourceType(resource.resourceType())
              .resourceName(resource.resourceName())
              .errorMessage("");
      describe(image, resource, request, result);
      response.results().add(result);
    }
    responder.respond(response);
  }

  private void describe(
      MetadataImage image,
      DescribeConfigsResource resource,
      DescribeConfigsRequest request,
      DescribeConfigsResult result) {
    String name = resource.resourceName();
    ConfigDescriber describer = new ConfigDescriber(config.at(image));
    Map<String, String> set = image.configs().of(new ConfigResource(resource.resourceType(), name));
    switch (resource.resourceType()) {
      case ConfigResource.TOPIC -> {
        if (checkTopic(image, name, result)) {
          fill(result, describer.topic(set), resource, request);
        }
      }
      case ConfigResource.BROKER -> {
        if (name.isEmpty()) {
          fill(result, describer.allBrokers(), resource, request);
        } else if (checkBroker(name, " or empty string, but", result)) {
          fill(result, describer.broker(), resource, request);
        }
      }
      case ConfigResource.BROKER_LOGGER -> {
        if (name.isEmpty()) {
          refuse(result, "Broker id must not be empty");
        } else if (checkBroker(name, " but", result)) {
          fill(result, levels(), resource, request);
        }
      }
      case ConfigResource.CLIENT_METRICS -> {
        if (name.isEmpty()) {
          refuse(result, "Client metrics subscription name must not be empty");
        } else {
          fill(result, describer.clientMetrics(set), resource, request);
        }
      }
      case ConfigResource.GROUP -> {
        if (name.isEmpty()) {
          refuse(result, "Group name must not be empty");
        } else {
          fill(result, describer.group(set), resource, request);
        }
      }
      default -> refuse(result, Errors.INVALID_REQUEST.message());
    }
  }

  private List<ConfigEntryView> levels() {
    return loggers.levels().entrySet().stream()
        .map(
            logger ->
                new ConfigEntryView(
                    logger.getKey(),
                    logger.getValue(),
                    ConfigSource.DYNAMIC_BROKER_LOGGER,
                    false,
                    false,
                    ConfigType.UNKNOWN,
                    null,
                    List.of()))
        .toList();
  }

  private static boolean checkTopic(
      MetadataImage image, String name, DescribeConfigsResult result) {
    String problem = TopicName.problem(name);
    if (problem != null) {
      result.errorCode(Errors.INVALID_TOPIC_EXCEPTION.code()).errorMessage(problem);
    } else if (image.topic(name) == null) {
      result.errorCode(Errors.UNKNOWN_TOPIC_OR_PARTITION.code());
    }
    return result.errorCode() == Errors.NONE.code();
  }

  private boolean checkBroker(String name, String expectation, DescribeConfigsResult result) {
    int nodeId = config.fromFile().node().nodeId();
    try {
      int id = Integer.parseInt(name);
      if (id != nodeId) {
        refuse(
            result, "Unexpected broker id, expected " + nodeId + expectation + " received " + id);
      }
    } catch (NumberFormatException notAnId) {
      refuse(result, "Broker id must be an integer, but it is: " + name);
    }
    return result.errorCode() == Errors.NONE.code();
  }

  private static void refuse(DescribeConfigsResult result, String why) {
    result.errorCode(Errors.INVALID_REQUEST.code()).errorMessage(why);
  }

  private static void fill(
      DescribeConfigsResult result,
      List<ConfigEntryView> entries,
      DescribeConfigsResource resource,
      DescribeConfigsRequest request) {
    List<String> wanted = resource.configurationKeys();
    for (ConfigEntryView entry : entries) {
      if (wanted == null || wanted.isEmpty() || wanted.contains(entry.name())) {
        result.configs().add(told(entry, request));
      }
    }
  }

  private static DescribeConfigsResourceResult told(
      ConfigEntryView entry, DescribeConfigsRequest request) {
    DescribeConfigsResourceResult told =
        new DescribeConfigsResourceResult()
            .name(entry.name())
            .value(entry.value())
            .readOnly(entry.readOnly())
            .configSource(entry.source().id())
            .isSensitive(entry.sensitive())
            .configType(entry.type().id())
            .documentation(request.includeDocumentation() ? entry.documentation() : null);
    if (request.includeSynonyms()) {
      for (ConfigEntryView.Synonym synonym : entry.synonyms()) {
        told.synonyms()
            .add(
                new DescribeConfigsSynonym()
                    .name(synonym.name())
                    .value(synonym.value())
                    .source(synonym.source().id()));
      }
    }
    return told;
  }
}
