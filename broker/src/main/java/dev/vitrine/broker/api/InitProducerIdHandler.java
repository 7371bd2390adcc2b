package dev.vitrine.broker.api;

import dev.vitrine.protocol.ApiMessage;
import dev.vitrine.protocol.Errors;
import dev.vitrine.protocol.message.InitProducerIdRequest;
import dev.vitrine.protocol.message.InitProducerIdResponse;
import dev.vitrine.seam.Shard;
import java.util.function.Consumer;
import java.util.function.LongConsumer;

/**
 * InitProducerId, versions 0 to 5, for idempotent producers: a fresh id with epoch 0, whatever id
 * the producer had before. Where the controller gives no ids, COORDINATOR_LOAD_IN_PROGRESS makes
 * the client come again, as with Kafka.
 *
 * <p>A transactional id is refused with TRANSACTIONAL_ID_AUTHORIZATION_FAILED, as {@link
 * FindCoordinatorHandler} does; an empty one is INVALID_REQUEST, as is an id without an epoch or an
 * epoch without an id.
 */
public final class InitProducerIdHandler implements ApiHandler {
  private final Consumer<LongConsumer> ids;

  /**
   * @param ids gives the next producer id, or a negative number, on any thread
   */
  public InitProducerIdHandler(Consumer<LongConsumer> ids) {
    this.ids = ids;
  }

  @Override
  public void handle(RequestContext context, ApiMessage message, Responder responder) {
    InitProducerIdRequest request = (InitProducerIdRequest) message;
    if (request.producerId() == -1 != (request.producerEpoch() == -1)
        || "".equals(request.transactionalId())) {
      responder.respond(refused(Errors.INVALID_REQUEST));
    } else if (request.transactionalId() != null) {
      responder.respond(refused(Errors.TRANSACTIONAL_ID_AUTHORIZATION_FAILED));
    } else {
      Shard shard = context.shard();
      ids.accept(id -> shard.execute(() -> responder.respond(response(id))));
    }
  }

  private static InitProducerIdResponse response(long id) {
    return id < 0
        ? refused(Errors.COORDINATOR_LOAD_IN_PROGRESS)
        : new InitProducerIdResponse().producerId(id).producerEpoch((short) 0);
  }

  private static InitProducerIdResponse refused(Errors error) {
    return new InitProducerIdResponse()
        .errorCode(error.code())
        .producerId(-1)
        .producerEpoch((short) -1);
  }
}
