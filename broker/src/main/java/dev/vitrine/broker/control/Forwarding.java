package dev.vitrine.broker.control;

import dev.vitrine.broker.api.ApiHandler;
import dev.vitrine.broker.api.ErrorResponses;
import dev.vitrine.broker.api.RequestContext;
import dev.vitrine.broker.api.Responder;
import dev.vitrine.protocol.ApiMessage;
import dev.vitrine.protocol.Errors;
import dev.vitrine.protocol.MalformedMessageException;
import dev.vitrine.protocol.MessageWriter;
import dev.vitrine.protocol.message.DefaultPrincipalData;
import dev.vitrine.protocol.message.EnvelopeRequest;
import dev.vitrine.protocol.message.EnvelopeResponse;
import dev.vitrine.protocol.message.RequestHeader;
import dev.vitrine.protocol.message.ResponseHeader;
import dev.vitrine.rpc.RpcCallback;
import dev.vitrine.rpc.RpcFailure;
import dev.vitrine.rpc.RpcRequest;
import dev.vitrine.seam.Shard;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.util.Map;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What clients ask of a broker and only the controller can decide: passed on in an Envelope, and
 * the controller's answer passed back (KIP-590). One for all shards, with each shard's way to the
 * controller.
 */
public final class Forwarding implements ApiHandler {
  private static final Logger LOG = LoggerFactory.getLogger(Forwarding.class);

  private final Map<Shard, ControllerChannel> controllers;
  private final long timeoutMs;

  /**
   * @param timeoutMs {@code request.timeout.ms}: how long to look for an active controller
   */
  public Forwarding(Map<Shard, ControllerChannel> controllers, long timeoutMs) {
    this.controllers = controllers;
    this.timeoutMs = timeoutMs;
  }

  @Override
  public void handle(RequestContext context, ApiMessage request, Responder responder) {
    forward(
        context,
        request,
        answer -> {
          if (answer == null) {
            responder.close();
          } else {
            responder.respond(answer);
          }
        });
  }

  /**
   * Passes one request on.
   *
   * @param answered gets the controller's answer on the connection's shard; or, when none came in
   *     time, one that says REQUEST_TIMED_OUT; or null if the request has no answer that could say
   *     so
   */
  public void forward(RequestContext context, ApiMessage request, Consumer<ApiMessage> answered) {
    EnvelopeRequest envelope =
        new EnvelopeRequest()
            .requestData(pack(context, request))
            .requestPrincipal(principal(context.principal()))
            .clientHostAddress(IpAddress.bytes(context.clientAddress()));
    controllers
        .get(context.shard())
        .send(
            RpcRequest.of(envelope),
            timeoutMs,
            r -> ((EnvelopeResponse) r).errorCode() == Errors.NOT_CONTROLLER.code(),
            new RpcCallback() {
              @Override
              public void completed(ApiMessage response, short version, ByteBuf frame) {
                answered.accept(unpack(context, request, (EnvelopeResponse) response));
              }

              @Override
              public void failed(RpcFailure failure) {
                LOG.warn(
                    "A request of {} for the controller is not answered: {}",
                    context.api(),
                    failure.message());
                answered.accept(
                    ErrorResponses.of(request, context.version(), Errors.REQUEST_TIMED_OUT));
              }
            });
  }

  private static byte[] pack(RequestContext context, ApiMessage request) {
    RequestHeader header = context.header();
    ByteBuf out = Unpooled.buffer();
    MessageWriter w = new MessageWriter(out);
    header.write(w, context.api().requestHeaderVersion(context.version()));
    request.write(w, context.version());
    return ByteBufUtil.getBytes(out);
  }

  private static ApiMessage unpack(
      RequestContext context, ApiMessage request, EnvelopeResponse envelope) {
    Errors error = Errors.forCode(envelope.errorCode());
    if (error != Errors.NONE) {
      LOG.warn("The controller does not take a forwarded {}: {}", context.api(), error);
      return ErrorResponses.of(
          request,
          context.version(),
          error == Errors.UNSUPPORTED_VERSION ? error : Errors.UNKNOWN_SERVER_ERROR);
    }
    try {
      ByteBuf in = Unpooled.wrappedBuffer(envelope.responseData());
      new ResponseHeader().read(in, context.api().responseHeaderVersion(context.version()));
      ApiMessage answer = context.api().newResponse();
      answer.read(in, context.version());
      return answer;
    } catch (MalformedMessageException | NullPointerException e) {
      LOG.error("The controller's answer to a forwarded {} cannot be read", context.api(), e);
      return ErrorResponses.of(request, context.version(), Errors.UNKNOWN_SERVER_ERROR);
    }
  }

  /** Kafka's form: a version and {@code DefaultPrincipalData}. */
  private static byte[] principal(String principal) {
    int colon = principal.indexOf(':');
    ByteBuf out = Unpooled.buffer();
    out.writeShort(DefaultPrincipalData.HIGHEST_SUPPORTED_VERSION);
    new DefaultPrincipalData()
        .type(principal.substring(0, colon))
        .name(principal.substring(colon + 1))
        .write(new MessageWriter(out), DefaultPrincipalData.HIGHEST_SUPPORTED_VERSION);
    return ByteBufUtil.getBytes(out);
  }
}
