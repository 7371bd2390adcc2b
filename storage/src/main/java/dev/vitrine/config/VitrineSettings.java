package dev.vitrine.config;

/**
 * What only Vitrine has.
 *
 * @param shards 0 when not set: see {@link #shards(int)}
 * @param writebackMs 0 for never
 * @param detectsByConnection whether a dead broker is found before its session ends
 * @param truncateToHighWatermark what Kafka did before 0.11; it loses records, for teaching
 */
public record VitrineSettings(
    int shards,
    long writebackMs,
    boolean faults,
    boolean detectsByConnection,
    boolean truncateToHighWatermark) {

  static VitrineSettings of(ConfigValues v) {
    return new VitrineSettings(
        v.isSet("vitrine.shards") ? v.int32("vitrine.shards") : 0,
        v.int64("vitrine.writeback.ms"),
        v.bool("vitrine.faults"),
        v.string("vitrine.failure.detection").equals("connection"),
        v.string("vitrine.truncation").equals("high-watermark"));
  }

  /** How many shards a machine with so many processors gets: one for each two, at least one. */
  public int shards(int processors) {
    return shards > 0 ? shards : Math.max(1, processors / 2);
  }
}
