package dev.vitrine.broker.api;

import dev.vitrine.config.ConfigException;
import dev.vitrine.config.ConfigException.Kind;
import dev.vitrine.metadata.ConfigResource;
import dev.vitrine.metadata.LiveConfig;
import dev.vitrine.metadata.MetadataImage;
import dev.vitrine.protocol.ApiMessage;
import dev.vitrine.protocol.message.AlterConfigsRequest;
import dev.vitrine.protocol.message.AlterConfigsRequest.AlterConfigsResource;
import dev.vitrine.protocol.message.AlterConfigsResponse;
import dev.vitrine.protocol.message.AlterConfigsResponse.AlterConfigsResourceResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/**
 * AlterConfigs 0–2, the older form, which replaces everything that is set for a resource: checked
 * and passed on as {@link IncrementalAlterConfigsHandler} does it.
 */
public final class AlterConfigsHandler implements ApiHandler {
  private final Supplier<MetadataImage> metadata;
  private final LiveConfig config;
  private final Forwarder forwarder;

  public AlterConfigsHandler(
      Supplier<MetadataImage> metadata, LiveConfig config, Forwarder forwarder) {
    this.metadata = metadata;
    this.config = config;
    this.forwarder = forwarder;
  }

  @Override
  public void handle(RequestContext context, ApiMessage message, Responder responder) {
    AlterConfigsRequest request = (AlterConfigsRequest) message;
    MetadataImage image = metadata.get();
    List<AlterConfigsResource> remaining = new ArrayList<>();
    List<AlterConfigsResourceResponse> refused = new ArrayList<>();
    for (AlterConfigsResource resource : request.resources()) {
      AlterConfigsResourceResponse refusal = refusal(image, resource);
      if (refusal == null) {
        remaining.add(resource);
      } else {
        refused.add(refusal);
      }
    }
    if (remaining.isEmpty()) {
      responder.respond(new AlterConfigsResponse().responses(refused));
      return;
    }
    forwarder.forward(
        context,
        new AlterConfigsRequest().resources(remaining).validateOnly(request.validateOnly()),
        answer -> {
          if (answer == null) {
            responder.close();
            return;
          }
          ((AlterConfigsResponse) answer).responses().addAll(0, refused);
          responder.respond(answer);
        });
  }

  /** Null if the controller may decide. */
  private AlterConfigsResourceResponse refusal(MetadataImage image, AlterConfigsResource resource) {
    if (resource.resourceType() != ConfigResource.BROKER
        && resource.resourceType() != ConfigResource.BROKER_LOGGER) {
      return null;
    }
    try {
      if (resource.resourceType() == ConfigResource.BROKER_LOGGER) {
        throw new ConfigException(
            Kind.INVALID_REQUEST, "Unknown resource type " + resource.resourceType());
      }
      BrokerChange.checkReplacement(resource.resourceName(), resource.configs(), config.at(image));
      return null;
    } catch (ConfigException e) {
      return new AlterConfigsResourceResponse()
          .errorCode(ConfigErrors.of(e).code())
          .errorMessage(e.getMessage())
          .resourceType(resource.resourceType())
          .resourceName(resource.resourceName());
    }
  }
}
