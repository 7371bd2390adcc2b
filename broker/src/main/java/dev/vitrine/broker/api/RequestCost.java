package dev.vitrine.broker.api;

import dev.vitrine.broker.quota.BrokerQuotas.Cost;
import dev.vitrine.protocol.ApiMessage;
import dev.vitrine.protocol.message.ApiKeys;
import dev.vitrine.quota.QuotaRules;
import dev.vitrine.quota.QuotaType;

/** What a request counts for. Stateless. */
final class RequestCost {
  /** Of a frame: Kafka counts it with what is fetched, but not with what is produced. */
  private static final int LENGTH_BYTES = 4;

  private RequestCost() {}

  /**
   * Whether it counts at all. What a broker passes on is counted by the controller; a follower's
   * fetch, which names no answer for being throttled, by nobody.
   *
   * @param emptiable whether another answer can be sent in place of the one that is over a quota
   */
  static boolean isCounted(ReceivedRequest request, boolean emptiable) {
    return request != null
        && request.message() != null
        && (request.api() == ApiKeys.FETCH ? emptiable : !request.entry().forwarded());
  }

  /**
   * @param answer null if none is wanted: the client is then, as in Kafka, held back for its bytes
   *     alone
   * @param frameBytes of a Produce
   */
  static Cost of(ReceivedRequest request, ApiMessage answer, int frameBytes, long nanos) {
    String user = QuotaRules.userOf(RequestContext.ANONYMOUS);
    String clientId = request.header().clientId();
    long counted = answer == null ? -1 : nanos;
    return switch (request.api()) {
      case PRODUCE -> new Cost(user, clientId, QuotaType.PRODUCE, frameBytes, counted);
      case FETCH -> {
        int bytes = LENGTH_BYTES + answer.size(request.version());
        yield new Cost(user, clientId, QuotaType.FETCH, bytes, counted);
      }
      default -> new Cost(user, clientId, null, 0, counted);
    };
  }
}
