package dev.vitrine.storage.powercut;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** What a power cut has taken, told for people: by partition where it is records. One thread. */
public final class Losses {
  private final Collection<Path> roots;
  private final boolean torn;
  private final Map<String, Long> endsBefore = new TreeMap<>();
  private final Map<String, Long> endsAfter = new TreeMap<>();
  private final Set<Path> files = new HashSet<>();
  private final Set<String> checkpoints = new TreeSet<>();
  private long bytes;

  Losses(Collection<Path> roots, boolean torn) {
    this.roots = roots;
    this.torn = torn;
  }

  void before() throws IOException {
    LogEnds.read(roots, false, endsBefore);
  }

  void after() throws IOException {
    LogEnds.read(roots, torn, endsAfter);
  }

  /** So many bytes at the end of a file. */
  void bytes(Path file, long count) {
    files.add(file);
    bytes += count;
  }

  /** Its content, or its name, is an older one again. */
  void fellBack(Path file) {
    files.add(file);
    if (roots.contains(file.getParent())) {
      checkpoints.add(file.getFileName().toString());
    }
  }

  /** A file or folder that nobody had synced the name of. */
  void gone(Path path) throws IOException {
    if (Files.isDirectory(path)) {
      for (Path entry : LedgerFolder.list(path)) {
        gone(entry);
      }
    } else if (!path.getFileName().toString().equals(".lock")) {
      bytes(path, Files.size(path));
    }
  }

  /** A line for each partition whose records have changed, and each other file that fell back. */
  public List<String> lines() {
    List<String> lines = new ArrayList<>();
    Set<String> partitions = new TreeSet<>(endsBefore.keySet());
    partitions.addAll(endsAfter.keySet());
    for (String p : partitions) {
      Long before = endsBefore.get(p);
      Long after = endsAfter.get(p);
      if (after == null) {
        lines.add(
            before == 0
                ? p + " is gone (its folder was not synced)"
                : p
                    + " is gone with offsets up to "
                    + (before - 1)
                    + " (its folder was not synced)");
      } else if (before == null) {
        lines.add(p + " is back (its deletion was not synced)");
      } else if (after < before) {
        lines.add(p + " lost offsets " + after + "-" + (before - 1) + " (not synced)");
      } else if (after > before) {
        lines.add(
            "%s has offsets %d-%d again (their truncation was not synced)"
                .formatted(p, before, after - 1));
      }
    }
    for (String name : checkpoints) {
      lines.add(name + " fell back to what was synced");
    }
    return lines;
  }

  /** All of it in one line. */
  public String summary() {
    long records = 0;
    int partitions = 0;
    for (Map.Entry<String, Long> e : endsBefore.entrySet()) {
      long lost = e.getValue() - endsAfter.getOrDefault(e.getKey(), 0L);
      if (lost > 0) {
        partitions++;
        records += lost;
      }
    }
    if (files.isEmpty()) {
      return "nothing was lost, all was synced";
    }
    return "%s of %s lost; %,d bytes of %s were not synced"
        .formatted(
            count(records, "record"),
            count(partitions, "partition"),
            bytes,
            count(files.size(), "file"));
  }

  private static String count(long n, String what) {
    return "%,d %s".formatted(n, n == 1 ? what : what + "s");
  }
}
