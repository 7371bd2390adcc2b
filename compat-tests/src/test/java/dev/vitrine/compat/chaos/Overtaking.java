package dev.vitrine.compat.chaos;

import java.util.HashMap;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * What a producer's first record in a partition was overtaken by.
 *
 * <p>A broker that knows nothing of a producer takes any sequence number from it, as Apache Kafka's
 * does, so the first of several requests on their way to it may come out behind later ones. Then it
 * is refused, the client takes a new epoch and sends again all that was not acknowledged: what had
 * overtaken it may so be there twice. That is no fault of the log, and from then on the broker
 * insists.
 */
final class Overtaking {
  private Overtaking() {}

  /** The log without what overtook. */
  static NavigableMap<Long, String> without(RunHistory history, NavigableMap<Long, String> log) {
    Map<String, RunHistory.Write> first = new HashMap<>();
    for (String value : log.values()) {
      RunHistory.Write write = history.written(value);
      if (write != null) {
        first.merge(write.client(), write, (a, b) -> b.call() < a.call() ? b : a);
      }
    }
    NavigableMap<Long, String> rest = new TreeMap<>();
    Map<String, Boolean> firstIsOut = new HashMap<>();
    log.forEach(
        (offset, value) -> {
          RunHistory.Write write = history.written(value);
          boolean out =
              write == null
                  || firstIsOut.merge(
                      write.client(),
                      first.get(write.client()).value().equals(value),
                      Boolean::logicalOr);
          if (out) {
            rest.put(offset, value);
          }
        });
    return rest;
  }
}
