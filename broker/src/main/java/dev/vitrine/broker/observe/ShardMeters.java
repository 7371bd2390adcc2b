package dev.vitrine.broker.observe;

import java.util.Map;
import java.util.TreeMap;

/**
 * All that one shard counts: plain fields, which nobody else ever touches. Who wants to know asks
 * the shard by a task.
 */
public final class ShardMeters {
  private final String number;
  private final RequestMeters requests = new RequestMeters();
  private final TopicMeters topics = new TopicMeters();
  private final Map<String, ConnectionMeter> connections = new TreeMap<>();
  private long isrShrinks;
  private long isrExpansions;
  private long failedIsrUpdates;

  /** Of a shard that nobody asks, as in tests of single parts. */
  public ShardMeters() {
    this("0");
  }

  ShardMeters(String number) {
    this.number = number;
  }

  public RequestMeters requests() {
    return requests;
  }

  public TopicMeters topics() {
    return topics;
  }

  public ConnectionMeter connections(String listener) {
    return connections.computeIfAbsent(listener, ConnectionMeter::new);
  }

  /** The controller has agreed that a follower leaves the in-sync set. */
  public void isrShrunk() {
    isrShrinks++;
  }

  /** The controller has agreed that a follower joins the in-sync set. */
  public void isrExpanded() {
    isrExpansions++;
  }

  /** The controller has refused a change of an in-sync set. */
  public void isrUpdateFailed() {
    failedIsrUpdates++;
  }

  void tell(Sample into) {
    requests.tell(into);
    topics.tell(into);
    connections.values().forEach(c -> c.tell(number, into));
    into.add(Metric.ISR_SHRINKS, isrShrinks);
    into.add(Metric.ISR_EXPANDS, isrExpansions);
    into.add(Metric.FAILED_ISR_UPDATES, failedIsrUpdates);
  }
}
