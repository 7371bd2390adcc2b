package dev.vitrine.broker.control;

import dev.vitrine.broker.api.ApiHandler;
import dev.vitrine.broker.api.ErrorResponses;
import dev.vitrine.broker.api.RequestContext;
import dev.vitrine.broker.api.Responder;
import dev.vitrine.protocol.ApiMessage;
import dev.vitrine.protocol.Errors;
import dev.vitrine.protocol.message.DescribeQuorumResponse;
import dev.vitrine.rpc.RpcCallback;
import dev.vitrine.rpc.RpcFailure;
import dev.vitrine.rpc.RpcRequest;
import dev.vitrine.seam.Shard;
import io.netty.buffer.ByteBuf;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * DescribeQuorum, versions 0 to 2, as brokers answer it: only the quorum's leader knows how far the
 * others are, so it is asked on the client's behalf. Without an envelope: the quorum answers
 * everybody alike. One for all shards.
 */
public final class DescribeQuorumHandler implements ApiHandler {
  private static final Logger LOG = LoggerFactory.getLogger(DescribeQuorumHandler.class);

  private final Map<Shard, ControllerChannel> controllers;
  private final long timeoutMs;

  public DescribeQuorumHandler(Map<Shard, ControllerChannel> controllers, long timeoutMs) {
    this.controllers = controllers;
    this.timeoutMs = timeoutMs;
  }

  @Override
  public void handle(RequestContext context, ApiMessage request, Responder responder) {
    controllers
        .get(context.shard())
        .send(
            RpcRequest.of(request).upTo(context.version()),
            timeoutMs,
            DescribeQuorumHandler::isNotLeader,
            new RpcCallback() {
              @Override
              public void completed(ApiMessage response, short version, ByteBuf frame) {
                responder.respond(response);
              }

              @Override
              public void failed(RpcFailure failure) {
                LOG.warn("The quorum cannot be described: {}", failure.message());
                responder.respond(
                    ErrorResponses.of(request, context.version(), Errors.REQUEST_TIMED_OUT));
              }
            });
  }

  private static boolean isNotLeader(ApiMessage message) {
    short notLeader = Errors.NOT_LEADER_OR_FOLLOWER.code();
    DescribeQuorumResponse response = (DescribeQuorumResponse) message;
    return response.errorCode() == notLeader
        || response.topics().stream()
            .flatMap(t -> t.partitions().stream())
            .anyMatch(p -> p.errorCode() == notLeader);
  }
}
