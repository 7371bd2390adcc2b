package dev.vitrine.rpc;

import java.net.ConnectException;

/**
 * Why a request got no answer.
 *
 * @param message for a log line; names the peer
 * @param cause what the network said, or null
 */
public record RpcFailure(Kind kind, String message, Throwable cause) {
  /** What a caller may want to tell apart. */
  public enum Kind {
    /** The connection could not be made or has ended. */
    DISCONNECTED,
    /** No answer in time. */
    TIMED_OUT,
    /** The two sides share no version of this API, or the version cannot carry the request. */
    UNSUPPORTED_VERSION,
    /** The other side answered with bytes that are no answer to this request. */
    MALFORMED
  }

  /** Whether nobody listens there: a sign of a dead process, where a silent one may live. */
  public boolean isRefused() {
    return cause instanceof ConnectException;
  }
}
