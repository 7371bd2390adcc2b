package dev.vitrine.broker.api;

import dev.vitrine.protocol.TopicPartition;
import dev.vitrine.protocol.Uuid;
import dev.vitrine.protocol.message.FetchRequest.FetchPartition;

/**
 * One partition of a fetch, as it is asked for and, in a session, what was last told of it. Belongs
 * to the shard of the connection.
 */
final class FetchTarget {
  /** By what a client names a partition: by id since Fetch version 13, by name before. */
  record Key(String topic, Uuid topicId, int partition) {
    boolean isOfTopic(Key other) {
      return topicId.equals(other.topicId) && topic.equals(other.topic);
    }
  }

  final Key key;
  private FetchPartition asked;
  private long toldHighWatermark = -1;
  private long toldLogStart = -1;

  FetchTarget(Key key, FetchPartition asked) {
    this.key = key;
    this.asked = asked;
  }

  FetchPartition asked() {
    return asked;
  }

  /** In another epoch it asks afresh: answers from before may have come too late to be taken. */
  void ask(FetchPartition again) {
    if (again.currentLeaderEpoch() != asked.currentLeaderEpoch()) {
      forgetTold();
    }
    asked = again;
  }

  /** Whether this answer must be sent although it brings no data: and remembers that it was. */
  boolean isNews(long highWatermark, long logStart) {
    boolean news = highWatermark != toldHighWatermark || logStart != toldLogStart;
    toldHighWatermark = highWatermark;
    toldLogStart = logStart;
    return news;
  }

  /**
   * An error or a divergence was told, which nothing else is taken from: the next good answer is
   * news, whatever it says.
   */
  void forgetTold() {
    toldHighWatermark = -1;
    toldLogStart = -1;
  }

  TopicPartition name(String topic) {
    return new TopicPartition(topic, key.partition);
  }
}
