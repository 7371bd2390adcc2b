package dev.vitrine.config;

/**
 * What holds for all logs of a broker together; what a topic can override is in {@link
 * TopicConfigs}. All times in milliseconds.
 */
public record LogSettings(
    long retentionCheckIntervalMs,
    long flushCheckIntervalMs,
    int recoveryPointCheckpointIntervalMs,
    int logStartOffsetCheckpointIntervalMs,
    long initialTaskDelayMs,
    long dirFailureTimeoutMs,
    int recoveryThreadsPerDataDir) {

  static LogSettings of(ConfigValues v) {
    return new LogSettings(
        v.int64("log.retention.check.interval.ms"),
        v.int64("log.flush.scheduler.interval.ms"),
        v.int32("log.flush.offset.checkpoint.interval.ms"),
        v.int32("log.flush.start.offset.checkpoint.interval.ms"),
        v.int64("log.initial.task.delay.ms"),
        v.int64("log.dir.failure.timeout.ms"),
        v.int32("num.recovery.threads.per.data.dir"));
  }
}
