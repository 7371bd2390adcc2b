package dev.vitrine.broker.control;

import dev.vitrine.broker.api.ApiHandler;
import dev.vitrine.broker.api.RequestContext;
import dev.vitrine.broker.api.Responder;
import dev.vitrine.protocol.ApiMessage;
import dev.vitrine.quorum.QuorumDriver;
import dev.vitrine.seam.Shard;

/**
 * The quorum's own requests, those of voters and observers: Vote, BeginQuorumEpoch, EndQuorumEpoch,
 * Fetch of the metadata log, FetchSnapshot, DescribeQuorum. Called on the connection's shard,
 * answered by the quorum loop.
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
    if (quorumLoop.isCurrent()) {
      quorum.handle(request, context.version(), responder::respond);
    } else {
      quorumLoop.execute(() -> quorum.handle(request, context.version(), responder::respond));
    }
  }
}
