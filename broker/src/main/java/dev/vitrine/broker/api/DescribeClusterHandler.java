package dev.vitrine.broker.api;

import dev.vitrine.metadata.BrokerEndpoint;
import dev.vitrine.metadata.BrokerRegistration;
import dev.vitrine.metadata.ControllerRegistration;
import dev.vitrine.metadata.MetadataImage;
import dev.vitrine.protocol.ApiMessage;
import dev.vitrine.protocol.Errors;
import dev.vitrine.protocol.message.DescribeClusterRequest;
import dev.vitrine.protocol.message.DescribeClusterResponse;
import dev.vitrine.protocol.message.DescribeClusterResponse.DescribeClusterBroker;
import java.util.List;
import java.util.function.IntSupplier;
import java.util.function.Supplier;

/**
 * DescribeCluster, versions 0 to 2: the brokers on a broker's listener, the controllers on a
 * controller's (KIP-919). Who asks for the other kind is told MISMATCHED_ENDPOINT_TYPE, in version
 * 0 INVALID_REQUEST. Fenced brokers are told since version 2, to who wants them (KIP-1073).
 */
public final class DescribeClusterHandler implements ApiHandler {
  private static final byte BROKERS = 1;
  private static final byte CONTROLLERS = 2;

  private final ListenerType type;
  private final Supplier<MetadataImage> metadata;
  private final String clusterId;
  private final IntSupplier activeController;

  /**
   * @param activeController its node id, or -1; asked on a controllers' listener only
   */
  public DescribeClusterHandler(
      ListenerType type,
      Supplier<MetadataImage> metadata,
      String clusterId,
      IntSupplier activeController) {
    this.type = type;
    this.metadata = metadata;
    this.clusterId = clusterId;
    this.activeController = activeController;
  }

  @Override
  public void handle(RequestContext context, ApiMessage message, Responder responder) {
    DescribeClusterRequest request = (DescribeClusterRequest) message;
    byte served = type == ListenerType.BROKER ? BROKERS : CONTROLLERS;
    if (request.endpointType() != served) {
      responder.respond(mismatch(context, request.endpointType()));
      return;
    }
    DescribeClusterResponse response =
        new DescribeClusterResponse().clusterId(clusterId).controllerId(-1);
    if (context.version() >= 1) {
      response.endpointType(served);
    }
    if (request.includeClusterAuthorizedOperations()) {
      response.clusterAuthorizedOperations(Operations.ON_CLUSTER);
    }
    if (served == BROKERS) {
      addBrokers(context, request, response);
    } else {
      addControllers(context, response);
    }
    responder.respond(response);
  }

  private DescribeClusterResponse mismatch(RequestContext context, byte wanted) {
    boolean known = wanted == BROKERS || wanted == CONTROLLERS;
    Errors error = known ? Errors.MISMATCHED_ENDPOINT_TYPE : Errors.UNSUPPORTED_ENDPOINT_TYPE;
    String text =
        known
            ? "The request was sent to an endpoint of type %s, but we wanted an endpoint of type %s"
                .formatted(type, wanted == BROKERS ? "BROKER" : "CONTROLLER")
            : "Unsupported endpoint type " + wanted;
    return new DescribeClusterResponse()
        .errorCode((context.version() == 0 ? Errors.INVALID_REQUEST : error).code())
        .errorMessage(text);
  }

  private void addBrokers(
      RequestContext context, DescribeClusterRequest request, DescribeClusterResponse response) {
    MetadataImage image = metadata.get();
    List<BrokerRegistration> alive = image.aliveBrokers(context.listenerName());
    if (!alive.isEmpty()) {
      response.controllerId(alive.get(context.shard().random().nextInt(alive.size())).id());
    }
    for (BrokerRegistration b : image.cluster().brokers().values()) {
      BrokerEndpoint at = b.endpoint(context.listenerName());
      if (at != null && (!b.fenced() || request.includeFencedBrokers())) {
        response.brokers().add(node(b.id(), at).rack(b.rack()).isFenced(b.fenced()));
      }
    }
  }

  private void addControllers(RequestContext context, DescribeClusterResponse response) {
    response.controllerId(activeController.getAsInt());
    for (ControllerRegistration c : metadata.get().cluster().controllers().values()) {
      BrokerEndpoint at = c.endpoints().get(context.listenerName());
      if (at != null) {
        response.brokers().add(node(c.id(), at));
      }
    }
  }

  private static DescribeClusterBroker node(int id, BrokerEndpoint at) {
    return new DescribeClusterBroker().brokerId(id).host(at.host()).port(at.port()).rack(null);
  }
}
