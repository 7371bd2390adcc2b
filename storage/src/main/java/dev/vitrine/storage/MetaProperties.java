package dev.vitrine.storage;

import dev.vitrine.protocol.Uuid;
import dev.vitrine.seam.Disk;
import java.io.IOException;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Properties;

/**
 * {@code meta.properties} of a log directory, version 1: whose it is. {@code format} writes it; a
 * node refuses a directory of another cluster or node.
 *
 * @param directoryId null in what Kafka before 3.7 has written
 */
public record MetaProperties(String clusterId, int nodeId, Uuid directoryId) {
  public static final String FILE = "meta.properties";

  /** Durable when it returns. */
  public void write(Disk disk, Path logDir) {
    String text = "#\nnode.id=" + nodeId + "\n";
    if (directoryId != null) {
      text += "directory.id=" + directoryId + "\n";
    }
    text += "version=1\ncluster.id=" + clusterId + "\n";
    AtomicFile.write(disk, logDir.resolve(FILE), text);
  }

  /**
   * Null if the directory has not been formatted.
   *
   * @throws UncheckedIOException if the file is malformed or of another version; the message names
   *     it
   */
  public static MetaProperties read(Disk disk, Path logDir) {
    Path path = logDir.resolve(FILE);
    String text = AtomicFile.read(disk, path);
    if (text == null) {
      return null;
    }
    try {
      Properties p = new Properties();
      p.load(new StringReader(text));
      if (!"1".equals(p.getProperty("version"))) {
        throw new IllegalArgumentException("version is " + p.getProperty("version") + ", not 1");
      }
      if (p.getProperty("cluster.id") == null) {
        throw new IllegalArgumentException("there is no cluster.id");
      }
      String directoryId = p.getProperty("directory.id");
      return new MetaProperties(
          p.getProperty("cluster.id"),
          Integer.parseInt(p.getProperty("node.id")),
          directoryId == null ? null : Uuid.fromString(directoryId));
    } catch (IllegalArgumentException | IOException e) {
      throw new UncheckedIOException(
          new IOException("Malformed " + path + ": " + e.getMessage(), e));
    }
  }
}
