package dev.vitrine.compat;

import java.nio.file.Path;
import java.util.List;

/** What the tests speak to. Chosen with {@code -Dtarget=vitrine|kafka}. */
public interface Target {
  String name();

  /** JVM options, main class and arguments that make a node of this configuration. */
  List<String> nodeCommand(Path configuration);

  String classPath();

  /** Makes the folders that the configuration names ready for a first start. */
  void format(Path configuration, String clusterId) throws Exception;

  static Target chosen() {
    String name = System.getProperty("target", "vitrine");
    return switch (name) {
      case "vitrine" -> new VitrineTarget();
      case "kafka" -> new KafkaTarget();
      default -> throw new IllegalArgumentException("-Dtarget is vitrine or kafka, not " + name);
    };
  }

  /** What others are compared with. */
  static Target kafka() {
    return new KafkaTarget();
  }

  /** For what only our own nodes promise, such as the words of a log line. */
  static boolean isVitrine() {
    return System.getProperty("target", "vitrine").equals("vitrine");
  }
}
