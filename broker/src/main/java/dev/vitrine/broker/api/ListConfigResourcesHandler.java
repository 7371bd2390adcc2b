package dev.vitrine.broker.api;

import dev.vitrine.metadata.ConfigResource;
import dev.vitrine.metadata.MetadataImage;
import dev.vitrine.protocol.ApiMessage;
import dev.vitrine.protocol.Errors;
import dev.vitrine.protocol.message.ListConfigResourcesRequest;
import dev.vitrine.protocol.message.ListConfigResourcesResponse;
import java.util.List;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * ListConfigResources 0–1: what can be described. All topics and brokers, and the groups and
 * subscriptions to clients' metrics for which something is set (KIP-1142). Version 0 is the older
 * ListClientMetricsResources and only asks for subscriptions; in version 1 no kind means all kinds,
 * and a kind that nobody knows is UNSUPPORTED_VERSION.
 */
public final class ListConfigResourcesHandler implements ApiHandler {
  private static final List<Byte> ALL_KINDS =
      List.of(
          ConfigResource.GROUP,
          ConfigResource.CLIENT_METRICS,
          ConfigResource.BROKER_LOGGER,
          ConfigResource.BROKER,
          ConfigResource.TOPIC);

  private final Supplier<MetadataImage> metadata;

  public ListConfigResourcesHandler(Supplier<MetadataImage> metadata) {
    this.metadata = metadata;
  }

  @Override
  public void handle(RequestContext context, ApiMessage message, Responder responder) {
    List<Byte> asked = ((ListConfigResourcesRequest) message).resourceTypes();
    List<Byte> kinds =
        context.version() == 0
            ? List.of(ConfigResource.CLIENT_METRICS)
            : asked.isEmpty() ? ALL_KINDS : asked;
    ListConfigResourcesResponse response = new ListConfigResourcesResponse();
    if (!ALL_KINDS.containsAll(kinds)) {
      responder.respond(response.errorCode(Errors.UNSUPPORTED_VERSION.code()));
      return;
    }
    MetadataImage image = metadata.get();
    for (byte kind : ALL_KINDS) {
      if (kinds.contains(kind)) {
        names(
            image,
            kind,
            name ->
                response
                    .configResources()
                    .add(
                        new ListConfigResourcesResponse.ConfigResource()
                            .resourceName(name)
                            .resourceType(kind)));
      }
    }
    responder.respond(response);
  }

  private static void names(MetadataImage image, byte kind, Consumer<String> to) {
    switch (kind) {
      case ConfigResource.TOPIC -> image.topics().all().forEach(topic -> to.accept(topic.name()));
      case ConfigResource.BROKER, ConfigResource.BROKER_LOGGER ->
          new TreeSet<>(image.cluster().brokers().keySet())
              .forEach(id -> to.accept(String.valueOf(id)));
      default -> {
        for (ConfigResource resource : image.configs().resources().keySet()) {
          if (resource.type() == kind) {
            to.accept(resource.name());
          }
        }
      }
    }
  }
}
