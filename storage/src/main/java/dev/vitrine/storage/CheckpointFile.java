package dev.vitrine.storage;

import dev.vitrine.seam.Disk;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Kafka's checkpoint format: a line with the version 0, a line with the number of entries, and a
 * line for each.
 */
final class CheckpointFile {
  private CheckpointFile() {}

  static void write(Disk disk, Path path, List<String> entries) {
    StringBuilder text = new StringBuilder("0\n").append(entries.size()).append('\n');
    entries.forEach(e -> text.append(e).append('\n'));
    AtomicFile.write(disk, path, text.toString());
  }

  /**
   * The fields of each entry; none if the file is missing or empty, as Kafka creates it.
   *
   * @throws UncheckedIOException if the file is not in this format; the message names it
   */
  static List<String[]> read(Disk disk, Path path, int fields) {
    String text = AtomicFile.read(disk, path);
    List<String[]> out = new ArrayList<>();
    if (text == null || text.isEmpty()) {
      return out;
    }
    String[] lines = text.split("\n");
    if (!lines[0].equals("0")) {
      throw malformed(path, "version \"" + lines[0] + "\" is not 0");
    }
    if (lines.length < 2 || !lines[1].equals(Integer.toString(lines.length - 2))) {
      throw malformed(path, "the number of entries is not what the second line says");
    }
    for (int i = 2; i < lines.length; i++) {
      String[] entry = lines[i].split(" ");
      if (entry.length != fields) {
        throw malformed(path, "line " + (i + 1) + " is \"" + lines[i] + "\"");
      }
      out.add(entry);
    }
    return out;
  }

  static UncheckedIOException malformed(Path path, String why) {
    return new UncheckedIOException(new IOException("Malformed checkpoint " + path + ": " + why));
  }
}
