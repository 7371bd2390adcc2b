package dev.vitrine.controller;

/**
 * Who asks. For a request that a broker forwarded this is the original client, not the broker.
 *
 * @param principal Kafka's text form, such as {@code User:ANONYMOUS}
 * @param clientId as in the request header, may be null
 * @param listener the name of the listener that the client came in by
 * @param deadlineTicks on {@code Shard.ticks()}: later than this nothing is decided any more
 */
public record RequestContext(
    String principal, String clientId, String listener, long deadlineTicks) {
  /** For what nodes ask in their own name. */
  public static RequestContext internal(String listener) {
    return new RequestContext("User:ANONYMOUS", null, listener, Long.MAX_VALUE);
  }
}
