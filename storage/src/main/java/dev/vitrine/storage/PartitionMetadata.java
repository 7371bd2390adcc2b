package dev.vitrine.storage;

import dev.vitrine.protocol.Uuid;
import dev.vitrine.seam.Disk;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;

/** {@code partition.metadata}: the id of the topic that a log's folder belongs to. */
final class PartitionMetadata {
  private static final String VERSION = "version: 0";
  private static final String TOPIC_ID = "topic_id: ";

  private PartitionMetadata() {}

  /** As Kafka writes it, without a newline at the end. */
  static String text(Uuid topicId) {
    return VERSION + "\n" + TOPIC_ID + topicId;
  }

  /**
   * The topic's id; null if there is no file.
   *
   * @throws UncheckedIOException if it is malformed
   */
  static Uuid read(Disk disk, Path logDir) {
    Path path = logDir.resolve(LogFiles.PARTITION_METADATA);
    String text = AtomicFile.read(disk, path);
    if (text == null) {
      return null;
    }
    String[] lines = text.split("\n");
    if (lines.length == 2 && lines[0].equals(VERSION) && lines[1].startsWith(TOPIC_ID)) {
      try {
        return Uuid.fromString(lines[1].substring(TOPIC_ID.length()).trim());
      } catch (IllegalArgumentException e) {
        // Said below.
      }
    }
    throw new UncheckedIOException(new IOException("Malformed " + path + ": \"" + text + "\""));
  }
}
