package dev.vitrine.compat.clients;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * The clients of Debian's Python, which need not be the first Python on the path: their packages
 * are only there for the system's own.
 */
final class PythonClients {
  private static final Path SYSTEM = Path.of("/usr/bin/python3");

  private PythonClients() {}

  static List<MatrixClient> all() {
    return List.of(
        client(
            "kafka-python",
            "kafka_python.py",
            "kafka, lz4.frame, snappy, zstandard",
            "python3-kafka, python3-lz4, python3-snappy and python3-zstandard"),
        client("confluent-kafka", "confluent.py", "confluent_kafka", "python3-confluent-kafka"));
  }

  private static MatrixClient client(String name, String script, String modules, String packages) {
    return new ProgramClient(
        name,
        () -> List.of(python(), "-B"),
        () -> Programs.SCRIPTS.resolve(script),
        () ->
            Programs.succeeds(List.of(python(), "-c", "import " + modules))
                ? Optional.empty()
                : Optional.of(
                    "%s can't import %s (Debian's packages %s)"
                        .formatted(python(), modules, packages)));
  }

  private static String python() {
    return Files.isExecutable(SYSTEM) ? SYSTEM.toString() : "python3";
  }
}
