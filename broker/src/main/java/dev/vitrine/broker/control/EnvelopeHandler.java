package dev.vitrine.broker.control;

import dev.vitrine.broker.api.ApiHandler;
import dev.vitrine.broker.api.ApiTable;
import dev.vitrine.broker.api.RequestContext;
import dev.vitrine.broker.api.Responder;
import dev.vitrine.protocol.ApiMessage;
import dev.vitrine.protocol.Errors;
import dev.vitrine.protocol.MessageWriter;
import dev.vitrine.protocol.message.ApiKeys;
import dev.vitrine.protocol.message.EnvelopeRequest;
import dev.vitrine.protocol.message.EnvelopeResponse;
import dev.vitrine.protocol.message.RequestHeader;
import dev.vitrine.protocol.message.ResponseHeader;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Envelope (KIP-590): a client's request that a broker passes on, with who the client is. Unpacks
 * it, lets the active controller decide, packs the answer. On the quorum loop.
 */
public final class EnvelopeHandler implements ApiHandler {
  private static final Logger LOG = LoggerFactory.getLogger(EnvelopeHandler.class);

  /** What brokers pass on of the quorum's own requests. */
  private static final List<ApiKeys> OF_THE_QUORUM =
      List.of(ApiKeys.DESCRIBE_QUORUM, ApiKeys.ADD_RAFT_VOTER, ApiKeys.REMOVE_RAFT_VOTER);

  private final ApiTable table;
  private final ControllerHandler controller;
  private final QuorumHandler quorum;

  /**
   * @param table what may be in an envelope: the APIs of the controllers' listener that {@link
   *     ControllerHandler} serves, and some of the quorum
   */
  public EnvelopeHandler(ApiTable table, ControllerHandler controller, QuorumHandler quorum) {
    this.table = table;
    this.controller = controller;
    this.quorum = quorum;
  }

  /** What brokers pass on: of configurations all but loggers, which each node has its own of. */
  private boolean isForwarded(ApiTable.Entry entry) {
    return entry.handler() == controller
        || entry.handler() instanceof ControllerConfigsHandler
        || OF_THE_QUORUM.contains(entry.api());
  }

  @Override
  public void handle(RequestContext context, ApiMessage message, Responder responder) {
    EnvelopeRequest envelope = (EnvelopeRequest) message;
    if (!controller.isActive()) {
      responder.respond(new EnvelopeResponse().errorCode(Errors.NOT_CONTROLLER.code()));
      return;
    }
    OpenEnvelope open;
    try {
      open = OpenEnvelope.open(envelope, table, this::isForwarded);
    } catch (OpenEnvelope.Refused e) {
      LOG.warn(
          "An envelope of connection {} is refused: {}", context.connectionId(), e.getMessage());
      responder.respond(new EnvelopeResponse().errorCode(e.error().code()));
      return;
    }
    ApiKeys api = open.api();
    RequestHeader header = open.header();
    ApiMessage request = open.request();
    RequestContext original = context.forwarded(header, open.principal(), open.address());
    if (OF_THE_QUORUM.contains(api)) {
      // A leader that has removed itself is none any more when it says so.
      quorum.handle(original, request, a -> responder.respond(pack(header, api, a)));
    } else {
      controller.handle(original, request, a -> responder.respond(packIfActive(header, api, a)));
    }
  }

  private EnvelopeResponse packIfActive(RequestHeader header, ApiKeys api, ApiMessage answer) {
    return controller.isActive()
        ? pack(header, api, answer)
        : new EnvelopeResponse().errorCode(Errors.NOT_CONTROLLER.code());
  }

  private static EnvelopeResponse pack(RequestHeader header, ApiKeys api, ApiMessage answer) {
    short version = header.requestApiVersion();
    ByteBuf out = Unpooled.buffer();
    MessageWriter w = new MessageWriter(out);
    new ResponseHeader()
        .correlationId(header.correlationId())
        .write(w, api.responseHeaderVersion(version));
    answer.write(w, version);
    return new EnvelopeResponse().responseData(ByteBufUtil.getBytes(out));
  }
}
