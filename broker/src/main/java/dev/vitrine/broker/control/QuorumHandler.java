package dev.vitrine.broker.control;

import dev.vitrine.broker.api.ApiHandler;
import dev.vitrine.broker.api.RequestContext;
import dev.vitrine.broker.api.Responder;
import dev.vitrine.protocol.ApiMessage;
import dev.vitrine.quorum.QuorumDriver;
import dev.vitrine.seam.Shard;
import java.util.function.Consumer;

/**
 * The quorum's own requests, those of voters and observers: Vote, BeginQuorumEpoch, EndQuorumEpoch,
 * Fetch of the metadata log, FetchSnapshot, DescribeQuorum, AddRaftVoter, RemoveRaftVoter,
 * UpdateRaftVoter. Called on the connection's shard, answered by the quorum loop.
 */
public final class QuorumHandler implements ApiHandler {
  private final Shard quorumLoop;
  private final QuorumDriver quorum;

  public QuorumHandler(Shard quorumLoop, QuorumDriver quorum) {
    this.quorumLoop = quorumLoop;
    this.quorum = quorum;
  }

  @Override
  public void handle(RequestContext context, ApiMessage request, Responder responder) {
    handle(context, request, responder::respond);
  }

  void handle(RequestContext context, ApiMessage request, Consumer<ApiMessage> respond) {
    if (quorumLoop.isCurrent()) {
      quorum.handle(request, context.version(), respond);
    } else {
      quorumLoop.execute(() -> quorum.handle(request, context.version(), respond));
    }
  }
}
