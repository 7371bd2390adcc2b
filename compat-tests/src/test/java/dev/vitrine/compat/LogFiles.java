package dev.vitrine.compat;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The files of a node that is down, as Apache Kafka's own {@code kafka-dump-log} reads them. */
final class LogFiles {
  private static final String DUMP_LOG = "org.apache.kafka.tools.DumpLogSegments";

  /** What it says of a fault; it ends with 0 all the same. */
  private static final List<String> FAULTS =
      List.of(
          "Mismatches in",
          " is followed by ", // offsets that are not consecutive
          "Found timestamp mismatch",
          "Found out of order timestamp",
          "indexed offsets are not found",
          "invalid bytes at the end",
          "isvalid: false",
          "isValid: false",
          "Exception");

  /** It takes -1 for the offset before the first of any segment, so it complains of each. */
  private static final String START_OF_SEGMENT = "  -1 is followed by ";

  private LogFiles() {}

  /** The folders of all partitions in a node's log folder. */
  static List<Path> partitions(Path logDir) throws IOException {
    try (Stream<Path> entries = Files.list(logDir)) {
      return entries.filter(Files::isDirectory).sorted().toList();
    }
  }

  private static List<Path> files(Path partition, String... suffixes) throws IOException {
    try (Stream<Path> entries = Files.list(partition)) {
      return entries
          .filter(file -> Stream.of(suffixes).anyMatch(file.getFileName().toString()::endsWith))
          .sorted()
          .toList();
    }
  }

  /**
   * Reads every record of every segment of these partitions, and compares every index with its
   * segment.
   */
  static void requireSound(List<Path> partitions) throws Exception {
    List<Path> segments = new ArrayList<>();
    List<Path> indexes = new ArrayList<>();
    for (Path partition : partitions) {
      segments.addAll(files(partition, ".log"));
      indexes.addAll(files(partition, ".index", ".timeindex"));
    }
    assertFalse(segments.isEmpty(), "no segments in " + partitions);
    requireNoFault(dump(segments, "--deep-iteration", "--skip-record-metadata"));
    requireNoFault(dump(indexes));
    if (!Target.isVitrine()) {
      // Kafka preallocates it, doesn't trim it for this one log, and then fails its own check.
      indexes.removeIf(
          file ->
              file.toString().contains("__cluster_metadata-0/")
                  && file.toString().endsWith(".timeindex"));
    }
    String sanity = dump(indexes, "--index-sanity-check");
    requireNoFault(sanity);
    assertEquals(
        indexes.size(),
        sanity
            .lines()
            .filter(line -> line.endsWith(" passed sanity check.") || line.endsWith(" is empty."))
            .count(),
        sanity);
  }

  private static void requireNoFault(String output) {
    List<String> faults =
        output
            .lines()
            .filter(line -> FAULTS.stream().anyMatch(line::contains))
            .filter(line -> !line.startsWith(START_OF_SEGMENT))
            .limit(5)
            .toList();
    assertEquals(List.of(), faults);
  }

  /** The records of a partition, a line each: offset, times, sequence, key, value. */
  static List<String> records(Path partition) throws Exception {
    String output = dump(files(partition, ".log"), "--deep-iteration", "--print-data-log");
    requireNoFault(output);
    return output.lines().filter(line -> line.startsWith("| offset:")).toList();
  }

  /** The metadata log, decoded. */
  static String metadata(Path logDir) throws Exception {
    return dump(
        files(logDir.resolve("__cluster_metadata-0"), ".log"), "--cluster-metadata-decoder");
  }

  private static String dump(List<Path> files, String... options)
      throws IOException, InterruptedException {
    List<String> args = new ArrayList<>(List.of(options));
    args.add("--files");
    args.add(files.stream().map(Path::toString).collect(Collectors.joining(",")));
    Jvm.Result result = Jvm.tool(DUMP_LOG, args);
    assertEquals(0, result.exitCode(), result.output());
    return result.output();
  }
}
