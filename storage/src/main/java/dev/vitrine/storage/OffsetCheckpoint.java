package dev.vitrine.storage;

import dev.vitrine.protocol.TopicPartition;
import dev.vitrine.seam.Disk;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A file with an offset for each partition of a log directory, such as {@code
 * recovery-point-offset-checkpoint}. Written as a whole and durably; one caller at a time.
 */
public record OffsetCheckpoint(Disk disk, Path path) {
  /** Blocks for the syncs. */
  public void write(Map<TopicPartition, Long> offsets) {
    List<String> lines = new ArrayList<>(offsets.size());
    offsets.forEach((tp, o) -> lines.add(tp.topic() + " " + tp.partition() + " " + o));
    CheckpointFile.write(disk, path, lines);
  }

  /**
   * Empty if there is no file.
   *
   * @throws java.io.UncheckedIOException if the file is malformed
   */
  public Map<TopicPartition, Long> read() {
    Map<TopicPartition, Long> out = new TreeMap<>();
    for (String[] f : CheckpointFile.read(disk, path, 3)) {
      try {
        out.put(new TopicPartition(f[0], Integer.parseInt(f[1])), Long.parseLong(f[2]));
      } catch (NumberFormatException e) {
        throw CheckpointFile.malformed(path, "\"" + String.join(" ", f) + "\"");
      }
    }
    return out;
  }
}
