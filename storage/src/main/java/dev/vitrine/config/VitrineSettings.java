package dev.vitrine.config;

import dev.vitrine.seam.Endpoint;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What only Vitrine has.
 *
 * @param shards 0 when not set: see {@link #shards(int)}
 * @param writebackMs 0 for never
 * @param faults whether the node may be broken on purpose
 * @param nodeDir a folder of this node alone; null for none
 * @param httpListener where it takes commands; null for nowhere
 * @param detectsByConnection whether a dead broker is found before its session ends
 * @param truncateToHighWatermark what Kafka did before 0.11; it loses records, for teaching
 */
public record VitrineSettings(
    int shards,
    long writebackMs,
    boolean faults,
    String nodeDir,
    Endpoint httpListener,
    boolean detectsByConnection,
    boolean truncateToHighWatermark) {

  private static final Pattern ENDPOINT = Pattern.compile("([A-Za-z0-9.-]+):(\\d{1,5})");

  static VitrineSettings of(ConfigValues v) {
    return new VitrineSettings(
        v.isSet("vitrine.shards") ? v.int32("vitrine.shards") : 0,
        v.int64("vitrine.writeback.ms"),
        v.bool("vitrine.faults"),
        v.isSet("vitrine.node.dir") ? v.string("vitrine.node.dir") : null,
        v.isSet("vitrine.http.listener") ? endpoint(v.string("vitrine.http.listener")) : null,
        v.string("vitrine.failure.detection").equals("connection"),
        v.string("vitrine.truncation").equals("high-watermark"));
  }

  private static Endpoint endpoint(String text) {
    Matcher m = ENDPOINT.matcher(text);
    if (!m.matches() || Integer.parseInt(m.group(2)) > 65535) {
      throw new ConfigException(
          "Invalid value " + text + " for configuration vitrine.http.listener: not HOST:PORT");
    }
    return new Endpoint(m.group(1), Integer.parseInt(m.group(2)));
  }

  /** How many shards a machine with so many processors gets: one for each two, at least one. */
  public int shards(int processors) {
    return shards > 0 ? shards : Math.max(1, processors / 2);
  }
}
