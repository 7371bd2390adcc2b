package dev.vitrine.broker.fault;

import dev.vitrine.broker.api.ApiHandler;
import dev.vitrine.broker.api.RequestContext;
import dev.vitrine.protocol.ApiMessage;
import dev.vitrine.protocol.Uuid;
import dev.vitrine.protocol.message.ApiKeys;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/**
 * The fault points of all APIs of one node. Set from any thread; asked on the shards, where it
 * costs one look at a list that is empty as a rule.
 */
public final class ApiFaults {
  private volatile List<ApiFault> faults = List.of();
  private volatile Function<Uuid, String> topicNames = id -> null;
  private int lastId;

  /** How a topic is called that a request names by its id; null where that is not known. */
  public void topicNames(Function<Uuid, String> names) {
    topicNames = names;
  }

  /** In the order in which they were set. */
  public List<ApiFault> list() {
    return faults.stream().filter(f -> f.left().get() != 0).toList();
  }

  /** The first of those that match a request is the one that happens. */
  public synchronized void add(java.util.function.IntFunction<ApiFault> fault) {
    change(
        now -> {
          now.add(fault.apply(++lastId));
          return now;
        });
  }

  /** Takes away all of one API; of every API for null. */
  public synchronized void clear(ApiKeys api) {
    change(
        now -> {
          now.removeIf(f -> api == null || f.match().api() == api);
          return now;
        });
  }

  private void change(UnaryOperator<List<ApiFault>> how) {
    faults = List.copyOf(how.apply(new ArrayList<>(list())));
  }

  /** The handler, with the fault point of its API before it. */
  public ApiHandler around(ApiKeys api, ApiHandler handler) {
    return new FaultPoint(api, handler, this);
  }

  /** What is to go wrong with this request; null if nothing is. */
  ApiFault take(ApiKeys api, RequestContext context, ApiMessage request) {
    for (ApiFault f : faults) {
      if (f.match().api() == api && matches(f.match(), context, request) && f.take()) {
        return f;
      }
    }
    return null;
  }

  private boolean matches(ApiFault.Match match, RequestContext context, ApiMessage request) {
    return (match.client() == null || match.client().equals(context.clientId()))
        && (match.topic() == null
            || RequestSubjects.topics(request, topicNames).contains(match.topic()))
        && (match.group() == null || RequestSubjects.groups(request).contains(match.group()));
  }
}
