package dev.vitrine.broker.observe;

/** What one shard counts of one topic. Belongs to the shard. */
public final class TopicMeter {
  private long messagesIn;
  private long bytesIn;
  private long bytesOut;
  private long bytesRejected;
  private long produceRequests;
  private long failedProduceRequests;
  private long fetchRequests;
  private long failedFetchRequests;

  /** A batch is to be appended to one of its partitions. */
  public void produceRequest() {
    produceRequests++;
  }

  public void appended(long messages, int bytes) {
    messagesIn += messages;
    bytesIn += bytes;
  }

  /** A batch is too large. */
  public void rejected(int bytes) {
    bytesRejected += bytes;
  }

  /** For a reason that is the broker's own. */
  public void produceFailed() {
    failedProduceRequests++;
  }

  /** One of its partitions has been read for a fetch. */
  public void fetchRequest() {
    fetchRequests++;
  }

  /** For a reason that is the broker's own. */
  public void fetchFailed() {
    failedFetchRequests++;
  }

  public void consumed(int bytes) {
    bytesOut += bytes;
  }

  void add(TopicMeter other) {
    messagesIn += other.messagesIn;
    bytesIn += other.bytesIn;
    bytesOut += other.bytesOut;
    bytesRejected += other.bytesRejected;
    produceRequests += other.produceRequests;
    failedProduceRequests += other.failedProduceRequests;
    fetchRequests += other.fetchRequests;
    failedFetchRequests += other.failedFetchRequests;
  }

  /**
   * @param labels the topic's name, or nothing for all topics
   */
  void tell(Sample into, String... labels) {
    into.add(Metric.MESSAGES_IN, messagesIn, labels);
    into.add(Metric.BYTES_IN, bytesIn, labels);
    into.add(Metric.BYTES_OUT, bytesOut, labels);
    into.add(Metric.BYTES_REJECTED, bytesRejected, labels);
    into.add(Metric.PRODUCE_REQUESTS, produceRequests, labels);
    into.add(Metric.FAILED_PRODUCE_REQUESTS, failedProduceRequests, labels);
    into.add(Metric.FETCH_REQUESTS, fetchRequests, labels);
    into.add(Metric.FAILED_FETCH_REQUESTS, failedFetchRequests, labels);
  }
}
