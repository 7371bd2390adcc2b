package dev.vitrine.broker.observe;

import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/**
 * What one shard counts of topics, and of all of them together, also those that are gone. Belongs
 * to the shard.
 */
public final class TopicMeters {
  private final Map<String, TopicMeter> byName = new HashMap<>();
  private final TopicMeter gone = new TopicMeter();
  private long replicationBytesIn;
  private long replicationBytesOut;

  /** Made when it is first asked for. */
  public TopicMeter of(String topic) {
    TopicMeter meter = byName.get(topic);
    if (meter == null) {
      meter = new TopicMeter();
      byName.put(topic, meter);
    }
    return meter;
  }

  /** The topic is deleted. What was counted still counts in the sum of all topics. */
  public void forget(String topic) {
    TopicMeter meter = byName.remove(topic);
    if (meter != null) {
      gone.add(meter);
    }
  }

  /** As a follower. */
  public void replicatedIn(int bytes) {
    replicationBytesIn += bytes;
  }

  /** To a follower. */
  public void replicatedOut(int bytes) {
    replicationBytesOut += bytes;
  }

  void tell(Sample into) {
    TopicMeter all = new TopicMeter();
    all.add(gone);
    new TreeMap<>(byName)
        .forEach(
            (topic, meter) -> {
              all.add(meter);
              meter.tell(into, topic);
            });
    all.tell(into);
    into.add(Metric.REPLICATION_BYTES_IN, replicationBytesIn);
    into.add(Metric.REPLICATION_BYTES_OUT, replicationBytesOut);
  }
}
