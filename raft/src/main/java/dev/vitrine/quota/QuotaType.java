package dev.vitrine.quota;

/** What is limited for users and client ids. */
public enum QuotaType {
  /** Bytes a second that are produced to one broker. */
  PRODUCE("producer_byte_rate"),
  /** Bytes a second that are fetched from one broker. */
  FETCH("consumer_byte_rate"),
  /** Time of one broker's threads, in percent of one of them (KIP-124). */
  REQUEST("request_percentage"),
  /** Partitions a second that the controller makes or deletes (KIP-599). */
  CONTROLLER_MUTATION("controller_mutation_rate");

  private final String key;

  QuotaType(String key) {
    this.key = key;
  }

  /** As it is called in requests and records. */
  public String key() {
    return key;
  }

  /** Null if it is none of these. */
  static QuotaType of(String key) {
    for (QuotaType type : values()) {
      if (type.key.equals(key)) {
        return type;
      }
    }
    return null;
  }
}
