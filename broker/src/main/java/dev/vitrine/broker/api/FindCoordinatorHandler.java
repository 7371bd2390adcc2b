package dev.vitrine.broker.api;

import dev.vitrine.metadata.BrokerEndpoint;
import dev.vitrine.metadata.MetadataImage;
import dev.vitrine.metadata.PartitionImage;
import dev.vitrine.metadata.TopicImage;
import dev.vitrine.protocol.ApiMessage;
import dev.vitrine.protocol.Errors;
import dev.vitrine.protocol.message.FindCoordinatorRequest;
import dev.vitrine.protocol.message.FindCoordinatorResponse;
import dev.vitrine.protocol.message.FindCoordinatorResponse.Coordinator;
import java.util.function.Supplier;

/**
 * FindCoordinator, versions 0 to 6: which broker leads the partition of {@code __consumer_offsets}
 * that a group belongs to; the topic is made when somebody first asks. Version 4 brought several
 * keys, version 6 share groups.
 *
 * <p>Two kinds of key have no coordinator here. COORDINATOR_NOT_AVAILABLE would let clients ask for
 * ever, so transactional ids get TRANSACTIONAL_ID_AUTHORIZATION_FAILED, which the Java client and
 * librdkafka take as final, and share groups get INVALID_REQUEST.
 */
public final class FindCoordinatorHandler implements ApiHandler {
  private static final short FIRST_WITH_MANY_KEYS = 4;
  private static final byte GROUP = 0;
  private static final byte TRANSACTION = 1;
  private static final byte SHARE = 2;
  static final String NO_TRANSACTIONS = "This broker does not offer transactions.";

  private final Supplier<MetadataImage> metadata;
  private final TopicCreator creator;

  public FindCoordinatorHandler(Supplier<MetadataImage> metadata, TopicCreator creator) {
    this.metadata = metadata;
    this.creator = creator;
  }

  @Override
  public void handle(RequestContext context, ApiMessage message, Responder responder) {
    FindCoordinatorRequest request = (FindCoordinatorRequest) message;
    FindCoordinatorResponse response = new FindCoordinatorResponse();
    if (context.version() >= FIRST_WITH_MANY_KEYS) {
      for (String key : request.coordinatorKeys()) {
        response.coordinators().add(find(context, request.keyType(), key));
      }
    } else {
      Coordinator found = find(context, request.keyType(), request.key());
      Errors error = Errors.forCode(found.errorCode());
      String text = error == Errors.NONE ? "NONE" : error.message();
      response
          .errorCode(found.errorCode())
          .errorMessage(found.errorMessage().isEmpty() ? text : found.errorMessage())
          .nodeId(found.nodeId())
          .host(found.host())
          .port(found.port());
    }
    responder.respond(response);
  }

  private Coordinator find(RequestContext context, byte keyType, String key) {
    return switch (keyType) {
      case GROUP -> groupCoordinator(context, key);
      case TRANSACTION ->
          none(key, Errors.TRANSACTIONAL_ID_AUTHORIZATION_FAILED).errorMessage(NO_TRANSACTIONS);
      case SHARE -> none(key, Errors.INVALID_REQUEST);
      default -> none(key, Errors.INVALID_REQUEST).errorMessage(Errors.INVALID_REQUEST.message());
    };
  }

  private Coordinator groupCoordinator(RequestContext context, String group) {
    MetadataImage image = metadata.get();
    TopicImage topic = image.topic(InternalTopics.CONSUMER_OFFSETS);
    if (topic == null) {
      creator.create(context, InternalTopics.CONSUMER_OFFSETS);
      return none(group, Errors.COORDINATOR_NOT_AVAILABLE);
    }
    PartitionImage p = topic.partition(partitionOf(group, topic.partitionCount()));
    BrokerEndpoint at = p == null ? null : image.aliveEndpoint(p.leader(), context.listenerName());
    return at == null
        ? none(group, Errors.COORDINATOR_NOT_AVAILABLE)
        : new Coordinator()
            .key(group)
            .nodeId(p.leader())
            .host(at.host())
            .port(at.port())
            .errorMessage("");
  }

  /** The partition of {@code __consumer_offsets} that holds the group, out of so many. */
  public static int partitionOf(String group, int partitions) {
    return (group.hashCode() & 0x7fffffff) % partitions;
  }

  private static Coordinator none(String key, Errors error) {
    return new Coordinator()
        .key(key)
        .nodeId(-1)
        .host("")
        .port(-1)
        .errorCode(error.code())
        .errorMessage("");
  }
}
