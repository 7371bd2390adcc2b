package dev.vitrine.quorum;

import dev.vitrine.protocol.ApiMessage;
import dev.vitrine.seam.Endpoint;

/**
 * How a replica asks the others. Belongs to the quorum's shard. Must not try again by itself, and
 * must not let a vote wait behind a fetch that waits at the leader.
 */
public interface QuorumTransport {
  /**
   * Never calls back from within.
   *
   * @param nodeId below -1 for one of which only the endpoint is known
   */
  void send(int nodeId, Endpoint to, ApiMessage request, int timeoutMs, Callback callback);

  /** The replica has stopped: nothing more is sent. */
  default void close() {}

  /** Hears exactly one of the two, on the quorum's shard, as a task of its own. */
  interface Callback {
    /** Records of a response live until this returns. */
    void completed(ApiMessage response);

    void failed(Failure why);
  }

  /** Why there is no answer. */
  enum Failure {
    /** None came in time. */
    TIMEOUT,
    /** The connection ended or could not be made. */
    DISCONNECTED,
    /** The host is there, and nobody listens: the process is gone. */
    REFUSED,
    /** The peer doesn't serve the API in a version that can carry the request. */
    UNSUPPORTED
  }
}
