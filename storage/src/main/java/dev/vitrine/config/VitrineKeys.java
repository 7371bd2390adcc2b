package dev.vitrine.config;

import static dev.vitrine.config.ConfigRule.atLeast;
import static dev.vitrine.config.ConfigRule.oneOf;

/** What only Vitrine has. Every such key starts with {@code vitrine.}. */
final class VitrineKeys {
  private VitrineKeys() {}

  static void define(ConfigTable.Builder t) {
    t.int32("vitrine.shards", null, atLeast(1))
        .doc("Event loops of a broker; one for each two cores, at least one, when not set.");
    t.int64("vitrine.writeback.ms", 30_000L, atLeast(0))
        .doc("How often what was written is synced to the disk; 0 is never.");
    t.bool("vitrine.faults", false)
        .doc(
            "Whether this node may be broken on purpose: its fault points can be set, and it keeps the ledger of what was synced that a power cut goes by.");
    t.string("vitrine.node.dir", null)
        .doc(
            "A folder of this node alone, not in log.dirs but on the same file system: for the ledger of power cuts, and for port and token of vitrine.http.listener.");
    t.string("vitrine.http.listener", null)
        .doc(
            "HOST:PORT where this node tells its metrics and, with vitrine.faults, takes commands by HTTP; port 0 is any, and is written into vitrine.node.dir. None when not set.");
    t.bool("vitrine.client.telemetry", false)
        .doc(
            "Whether clients may push their metrics (KIP-714): their last values are told with the node's own by vitrine.http.listener.");
    t.string("vitrine.failure.detection", "connection", oneOf("connection", "session"))
        .doc(
            "How a controller finds a dead broker: by its closed connection and its refusing listener, or only by its session.");
    t.string("vitrine.truncation", "leader-epoch", oneOf("leader-epoch", "high-watermark"))
        .doc(
            "How a follower truncates; high-watermark is what Kafka did before 0.11, and loses records.");
  }
}
