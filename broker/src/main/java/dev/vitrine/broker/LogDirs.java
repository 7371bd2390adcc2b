package dev.vitrine.broker;

import dev.vitrine.config.NodeSettings;
import dev.vitrine.protocol.Uuid;
import dev.vitrine.seam.Disk;
import dev.vitrine.storage.LogDirectory;
import dev.vitrine.storage.MetaProperties;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Opens {@code log.dirs} at the start of a node. As in Kafka, one that can't be read is offline and
 * the node runs on the others, except the one of the metadata; one that was never formatted is
 * refused. Blocks, before the node runs.
 */
final class LogDirs {
  private static final Logger LOG = LoggerFactory.getLogger(LogDirs.class);

  /**
   * @param offline could not be opened
   */
  record Opened(List<LogDirectory> online, Set<Path> offline) {}

  private final Disk disk;
  private final NodeSettings node;
  private final Supplier<Uuid> newId;
  private final Map<Path, MetaProperties> formatted = new LinkedHashMap<>();
  private final Set<Path> offline = new LinkedHashSet<>();

  /**
   * @param newId of a directory that has none
   */
  LogDirs(Disk disk, NodeSettings node, Supplier<Uuid> newId) {
    this.disk = disk;
    this.node = node;
    this.newId = newId;
  }

  static Set<Path> paths(NodeSettings node) {
    Set<Path> paths = new LinkedHashSet<>();
    node.logDirs().forEach(d -> paths.add(absolute(d)));
    paths.add(absolute(node.metadataLogDir()));
    return paths;
  }

  private static Path absolute(String dir) {
    return Path.of(dir).toAbsolutePath().normalize();
  }

  /**
   * @throws IllegalStateException if the node can't run with them; the message says why
   */
  Opened open() {
    paths(node).forEach(this::look);
    Path metadata = absolute(node.metadataLogDir());
    requireOnline(metadata);
    String clusterId = formatted.get(metadata).clusterId();
    formatted.forEach((path, meta) -> check(path, meta, clusterId));
    List<LogDirectory> online = new ArrayList<>();
    for (Path path : paths(node)) {
      if (!offline.contains(path)) {
        open(path, clusterId, online);
      }
    }
    requireOnline(metadata);
    return new Opened(online, offline);
  }

  private void look(Path path) {
    try {
      MetaProperties meta = MetaProperties.read(disk, path);
      if (meta == null) {
        if (disk.exists(path)) {
          disk.list(path); // may say that it is no directory, or not ours to read
        }
        throw new IllegalStateException(
            "No readable meta.properties file in "
                + path
                + ": format it first (vitrine format FILE.properties)");
      }
      formatted.put(path, meta);
    } catch (UncheckedIOException e) {
      goOffline(path, e);
    }
  }

  private void requireOnline(Path metadata) {
    if (offline.contains(metadata)) {
      throw new IllegalStateException(
          "The directory of the metadata, " + metadata + ", can't be used");
    }
  }

  private void check(Path path, MetaProperties meta, String clusterId) {
    if (meta.nodeId() != node.nodeId()) {
      throw new IllegalStateException(
          path + " belongs to node " + meta.nodeId() + ", but node.id is " + node.nodeId());
    }
    if (!clusterId.equals(meta.clusterId())) {
      throw new IllegalStateException(
          path
              + " belongs to cluster "
              + meta.clusterId()
              + ", the other directories to "
              + clusterId);
    }
  }

  private void open(Path path, String clusterId, List<LogDirectory> to) {
    try {
      if (formatted.get(path).directoryId() == null) {
        // Written before directories had ids.
        new MetaProperties(clusterId, node.nodeId(), newId.get()).write(disk, path);
      }
      to.add(LogDirectory.open(disk, path));
    } catch (UncheckedIOException e) {
      goOffline(path, e);
    }
  }

  private void goOffline(Path path, UncheckedIOException why) {
    LOG.error("Log directory {} is offline: it can't be opened", path, why);
    offline.add(path);
  }
}
