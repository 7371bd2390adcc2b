package dev.vitrine.broker.fault;

import dev.vitrine.protocol.Errors;
import dev.vitrine.protocol.message.ApiKeys;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * What goes wrong with some requests of one API. Immutable but for the count of how often it still
 * does.
 *
 * @param id names it, to take it away again
 * @param match which requests
 * @param delayMs by how much they are handled late, in milliseconds
 * @param outcome what becomes of them then
 * @param error for {@link Outcome#ERROR}
 * @param left how many more; negative for all
 */
public record ApiFault(
    int id, Match match, long delayMs, Outcome outcome, Errors error, AtomicInteger left) {
  /** What becomes of a request. */
  public enum Outcome {
    /** It is handled as ever. */
    HANDLE,
    /** It is not handled, and answered with an error. */
    ERROR,
    /** It is not handled, and never answered. */
    DROP,
    /** It is handled, and never answered: the answer was lost. */
    DROP_ANSWER
  }

  /**
   * Which requests; null for any. A request matches that names the topic or the group among others.
   */
  public record Match(ApiKeys api, String topic, String group, String client) {}

  /** Takes one of those that are left. */
  boolean take() {
    return left.getAndUpdate(n -> n > 0 ? n - 1 : n) != 0;
  }

  public String describe() {
    StringBuilder text = new StringBuilder().append(match.api);
    if (match.topic != null) {
      text.append(" topic ").append(match.topic);
    }
    if (match.group != null) {
      text.append(" group ").append(match.group);
    }
    if (match.client != null) {
      text.append(" client ").append(match.client);
    }
    if (delayMs > 0) {
      text.append(" delay ").append(delayMs).append(" ms");
    }
    switch (outcome) {
      case ERROR -> text.append(" error ").append(error);
      case DROP -> text.append(" drop");
      case DROP_ANSWER -> text.append(" drop-answer");
      default -> {}
    }
    int n = left.get();
    return n < 0 ? text.toString() : text + ", " + n + " times more";
  }
}
