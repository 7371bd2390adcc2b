package dev.vitrine.protocol.record;

/**
 * What a topic's configuration says about batches that are appended to it. A value: made anew when
 * the configuration changes, read by any thread.
 *
 * @param compacted whether {@code cleanup.policy} has {@code compact}, so that each record needs a
 *     key
 * @param timestampType {@code message.timestamp.type}
 * @param timestampBeforeMaxMs {@code message.timestamp.before.max.ms}
 * @param timestampAfterMaxMs {@code message.timestamp.after.max.ms}
 * @param compression {@code compression.type}; null for {@code producer}, which keeps what came
 * @param compressionLevel of that codec; ignored when it is null
 * @param maxMessageBytes {@code max.message.bytes}: the largest batch
 * @param maxDecompressedMessageBytes {@code max.decompressed.message.bytes}: the largest record of
 *     a compressed batch
 */
public record AppendRules(
    boolean compacted,
    TimestampType timestampType,
    long timestampBeforeMaxMs,
    long timestampAfterMaxMs,
    Compression compression,
    int compressionLevel,
    int maxMessageBytes,
    int maxDecompressedMessageBytes) {

  /** Kafka's defaults. */
  public static final AppendRules DEFAULTS =
      new AppendRules(
          false,
          TimestampType.CREATE_TIME,
          Long.MAX_VALUE,
          3_600_000,
          null,
          0,
          1_048_588,
          Integer.MAX_VALUE - 8);
}
