package dev.vitrine.config;

/**
 * What holds for all logs of a broker together; what a topic can override is in {@link
 * TopicConfigs}. All times in milliseconds.
 */
public record LogSettings(
    long retentionCheckIntervalMs,
    int recoveryPointCheckpointIntervalMs,
    long initialTaskDelayMs,
    long dirFailureTimeoutMs,
    Moves moves) {

  /**
   * How fast replicas may be moved between {@code log.dirs}.
   *
   * @param rate bytes a second
   * @param windows of the past that are looked at
   * @param windowMs the length of one
   */
  public record Moves(long rate, int windows, long windowMs) {}

  static LogSettings of(ConfigValues v) {
    return new LogSettings(
        v.int64("log.retention.check.interval.ms"),
        v.int32("log.flush.offset.checkpoint.interval.ms"),
        v.int64("log.initial.task.delay.ms"),
        v.int64("log.dir.failure.timeout.ms"),
        new Moves(
            v.int64("replica.alter.log.dirs.io.max.bytes.per.second"),
            v.int32("alter.log.dirs.replication.quota.window.num"),
            v.int32("alter.log.dirs.replication.quota.window.size.seconds") * 1000L));
  }
}
