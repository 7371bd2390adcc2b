package dev.vitrine.broker;

import dev.vitrine.config.ConfigException;
import dev.vitrine.config.KafkaConfig;
import dev.vitrine.metadata.FeaturesImage;
import dev.vitrine.protocol.Uuid;
import dev.vitrine.protocol.message.FeatureLevelRecord;
import dev.vitrine.quorum.ApiMessageAndVersion;
import dev.vitrine.quorum.OffsetAndEpoch;
import dev.vitrine.quorum.QuorumConfig;
import dev.vitrine.quorum.Snapshot;
import dev.vitrine.quorum.SnapshotWriter;
import dev.vitrine.quorum.VoterSet;
import dev.vitrine.seam.Disk;
import dev.vitrine.storage.LogDirectory;
import dev.vitrine.storage.MetaProperties;
import dev.vitrine.storage.NioDisk;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.List;
import java.util.random.RandomGenerator;

/**
 * Gives a node's log directories their identity, as {@code kafka-storage format} does: {@code
 * meta.properties} in each, and in the one of the metadata log the snapshot that the first
 * controller starts from, with the voters where they are in the log. Runs before a node, never
 * beside it; blocks.
 */
public final class Format {
  /** 4.4-IV2: the newest that Apache Kafka 4.4 has. */
  public static final short METADATA_VERSION = 33;

  private static final short ELR_VERSION = 1;
  private static final short GROUP_VERSION = 1;

  private final Disk disk;
  private final RandomGenerator random;
  private final long nowMs;

  Format(Disk disk, RandomGenerator random, long nowMs) {
    this.disk = disk;
    this.random = random;
    this.nowMs = nowMs;
  }

  /**
   * Formats what is not formatted yet.
   *
   * @param properties the node's {@code server.properties}
   * @param clusterId 22 characters of URL-safe Base64
   * @param quorum who votes at first, where the configuration does not say it
   * @throws ConfigException if the configuration is wrong
   * @throws IOException if the file cannot be read
   * @throws UncheckedIOException if a directory cannot be written, or belongs to another node or
   *     cluster
   */
  public static void format(Path properties, String clusterId, InitialQuorum quorum)
      throws IOException {
    new Format(new NioDisk(), new SecureRandom(), System.currentTimeMillis())
        .format(KafkaConfig.parse(Main.read(properties)), clusterId, quorum);
  }

  void format(KafkaConfig config, String clusterId) {
    format(config, clusterId, InitialQuorum.UNSAID);
  }

  void format(KafkaConfig config, String clusterId, InitialQuorum quorum) {
    int nodeId = config.node().nodeId();
    Path metadata = Path.of(config.node().metadataLogDir());
    Uuid directory = metadataDirectoryId(config, metadata, quorum);
    VoterSet voters = quorum.resolve(config, directory);
    formatDirectory(metadata, nodeId, clusterId, directory);
    for (String dir : config.node().logDirs()) {
      formatDirectory(Path.of(dir), nodeId, clusterId, newId());
    }
    if (config.node().isController()) {
      bootstrap(metadata.resolve(LogDirectory.METADATA.toString()), voters);
      disk.syncDirectory(metadata);
    }
  }

  /** What it is, or is to be: a voter that is named beforehand has its directory named too. */
  private Uuid metadataDirectoryId(KafkaConfig config, Path dir, InitialQuorum quorum) {
    MetaProperties there = MetaProperties.read(disk, dir);
    VoterSet named = quorum.named(config);
    VoterSet.Voter self = named == null ? null : named.voter(config.node().nodeId());
    if (there != null && self != null && !self.directoryId().equals(there.directoryId())) {
      throw new ConfigException(
          dir
              + " has the directory.id "
              + there.directoryId()
              + ", and --initial-controllers says "
              + self.directoryId());
    }
    if (there != null && there.directoryId() != null) {
      return there.directoryId();
    }
    return self == null ? newId() : self.directoryId();
  }

  private void formatDirectory(Path dir, int nodeId, String clusterId, Uuid directoryId) {
    disk.createDirectories(dir);
    MetaProperties there = MetaProperties.read(disk, dir);
    if (there == null) {
      new MetaProperties(clusterId, nodeId, directoryId).write(disk, dir);
    } else if (!there.clusterId().equals(clusterId) || there.nodeId() != nodeId) {
      throw new UncheckedIOException(
          new IOException(
              dir
                  + " belongs to node "
                  + there.nodeId()
                  + " of cluster "
                  + there.clusterId()
                  + ", not to node "
                  + nodeId
                  + " of cluster "
                  + clusterId));
    }
  }

  private Uuid newId() {
    return newId(random);
  }

  static Uuid newId(RandomGenerator random) {
    Uuid id;
    do {
      id = new Uuid(random.nextLong() & ~0xf000L | 0x4000L, random.nextLong() >>> 2 | 1L << 63);
    } while (id.isReserved() || id.toString().startsWith("-"));
    return id;
  }

  private void bootstrap(Path metadataLog, VoterSet voters) {
    disk.createDirectories(metadataLog);
    if (disk.exists(metadataLog.resolve(SnapshotWriter.fileName(OffsetAndEpoch.BOOTSTRAP)))) {
      return;
    }
    // Every other feature stays at 0 until its code exists.
    List<ApiMessageAndVersion> levels =
        List.of(
            level(FeaturesImage.METADATA_VERSION, METADATA_VERSION),
            level(FeaturesImage.ELR_VERSION, ELR_VERSION),
            level(FeaturesImage.GROUP_VERSION, GROUP_VERSION));
    SnapshotWriter.write(
        disk,
        metadataLog,
        new Snapshot(
            OffsetAndEpoch.BOOTSTRAP,
            nowMs,
            voters == null ? 0 : QuorumConfig.KRAFT_VERSIONS.max(),
            voters,
            levels),
        nowMs);
  }

  private static ApiMessageAndVersion level(String feature, short level) {
    return new ApiMessageAndVersion(
        new FeatureLevelRecord().name(feature).featureLevel(level), (short) 0);
  }
}
