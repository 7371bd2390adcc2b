package dev.vitrine.protocol.record;

/** Who gave the records of a batch their timestamps: the producer, or the broker at append. */
public enum TimestampType {
  CREATE_TIME("CreateTime"),
  LOG_APPEND_TIME("LogAppendTime");

  private final String configName;

  TimestampType(String configName) {
    this.configName = configName;
  }

  /** The value of {@code message.timestamp.type}. */
  public String configName() {
    return configName;
  }

  /**
   * @throws IllegalArgumentException if there is no such type
   */
  public static TimestampType forConfigName(String name) {
    for (TimestampType t : values()) {
      if (t.configName.equals(name)) {
        return t;
      }
    }
    throw new IllegalArgumentException("unknown timestamp type " + name);
  }
}
