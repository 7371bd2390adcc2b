package dev.vitrine.broker.api;

import dev.vitrine.config.ConfigException;
import dev.vitrine.metadata.ConfigResource;
import dev.vitrine.metadata.LiveConfig;
import dev.vitrine.metadata.MetadataImage;
import dev.vitrine.protocol.ApiMessage;
import dev.vitrine.protocol.message.IncrementalAlterConfigsRequest;
import dev.vitrine.protocol.message.IncrementalAlterConfigsRequest.AlterConfigsResource;
import dev.vitrine.protocol.message.IncrementalAlterConfigsResponse;
import dev.vitrine.protocol.message.IncrementalAlterConfigsResponse.AlterConfigsResourceResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/**
 * IncrementalAlterConfigs 0–1 (KIP-339): the broker changes its own loggers (KIP-412), looks at
 * changes of brokers' configuration and passes the rest, and what it does not refuse, on to the
 * controller. What it refuses does not keep the other resources of the request from being changed.
 * Its answers come first.
 */
public final class IncrementalAlterConfigsHandler implements ApiHandler {
  private final Supplier<MetadataImage> metadata;
  private final LiveConfig config;
  private final LoggerChanges loggers;
  private final Forwarder forwarder;

  public IncrementalAlterConfigsHandler(
      Supplier<MetadataImage> metadata,
      LiveConfig config,
      LoggerChanges loggers,
      Forwarder forwarder) {
    this.metadata = metadata;
    this.config = config;
    this.loggers = loggers;
    this.forwarder = forwarder;
  }

  @Override
  public void handle(RequestContext context, ApiMessage message, Responder responder) {
    IncrementalAlterConfigsRequest request = (IncrementalAlterConfigsRequest) message;
    MetadataImage image = metadata.get();
    List<AlterConfigsResource> remaining = new ArrayList<>();
    List<AlterConfigsResourceResponse> refused = new ArrayList<>(ChangeShape.takeFrom(request));
    refused.addAll(loggers.takeFrom(request));
    for (AlterConfigsResource resource : request.resources()) {
      AlterConfigsResourceResponse refusal = refusal(image, resource);
      if (refusal == null) {
        remaining.add(resource);
      } else {
        refused.add(refusal);
      }
    }
    if (remaining.isEmpty()) {
      responder.respond(new IncrementalAlterConfigsResponse().responses(refused));
      return;
    }
    forwarder.forward(
        context,
        new IncrementalAlterConfigsRequest()
            .resources(remaining)
            .validateOnly(request.validateOnly()),
        answer -> {
          if (answer == null) {
            responder.close();
            return;
          }
          ((IncrementalAlterConfigsResponse) answer).responses().addAll(0, refused);
          responder.respond(answer);
        });
  }

  /** Null if the controller may decide. */
  private AlterConfigsResourceResponse refusal(MetadataImage image, AlterConfigsResource resource) {
    if (resource.resourceType() != ConfigResource.BROKER) {
      return null;
    }
    String name = resource.resourceName();
    try {
      BrokerChange.checkIncremental(
          name,
          image.configs().of(new ConfigResource(ConfigResource.BROKER, name)),
          resource.configs(),
          config.at(image));
      return null;
    } catch (ConfigException e) {
      return new AlterConfigsResourceResponse()
          .errorCode(ConfigErrors.of(e).code())
          .errorMessage(e.getMessage())
          .resourceType(resource.resourceType())
          .resourceName(name);
    }
  }
}
