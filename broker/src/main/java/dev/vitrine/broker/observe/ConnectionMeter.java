package dev.vitrine.broker.observe;

/** The connections of one listener that one shard has. Belongs to the shard. */
public final class ConnectionMeter {
  private final String listener;
  private long opened;
  private long closed;

  ConnectionMeter(String listener) {
    this.listener = listener;
  }

  public void opened() {
    opened++;
  }

  public void closed() {
    closed++;
  }

  void tell(String shard, Sample into) {
    into.add(Metric.CONNECTIONS, opened - closed, listener, shard);
    into.add(Metric.CONNECTIONS_OPENED, opened, listener, shard);
    into.add(Metric.CONNECTIONS_CLOSED, closed, listener, shard);
  }
}
