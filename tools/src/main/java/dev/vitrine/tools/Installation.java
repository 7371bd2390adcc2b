package dev.vitrine.tools;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * What the script {@code vitrine} has built and runs from: how a node's JVM is started, and where
 * the last started cluster is remembered.
 *
 * @param java the java executable
 * @param options JVM options of a node
 * @param classPath class path of a node
 * @param mainClass what a node runs; its one argument is the configuration file
 * @param state folder for small notes between commands
 */
record Installation(
    Path java, List<String> options, String classPath, String mainClass, Path state) {
  static final String NODE_MAIN = "dev.vitrine.broker.Main";

  /** As the script told it by system properties. */
  static Installation fromScript() {
    Path root = Path.of(System.getProperty("vitrine.root", ".")).toAbsolutePath().normalize();
    Path target = root.resolve("tools/target");
    List<String> options = new ArrayList<>();
    options.add("@" + root.resolve("tools/src/main/launch/node.options"));
    String archive = System.getProperty("vitrine.node.archive", "");
    if (!archive.isEmpty()) {
      options.add("-XX:SharedArchiveFile=" + archive);
    }
    options.addAll(words(System.getenv("VITRINE_NODE_OPTS")));
    return new Installation(
        Path.of(System.getProperty("java.home"), "bin", "java"),
        options,
        nodeClassPath(target),
        NODE_MAIN,
        Path.of(System.getProperty("vitrine.state", "target/vitrine")).toAbsolutePath());
  }

  private static List<String> words(String text) {
    return text == null || text.isBlank() ? List.of() : List.of(text.strip().split("\\s+"));
  }

  private static String nodeClassPath(Path target) {
    try {
      return Arrays.stream(Files.readString(target.resolve("node.classpath")).strip().split(":"))
          .map(jar -> target.resolve(jar).toString())
          .collect(Collectors.joining(":"));
    } catch (IOException e) {
      throw CommandFailure.failed("%s is missing: build first (mvn package)", e.getMessage());
    }
  }

  Installation withOption(String option) {
    List<String> more = new ArrayList<>(options);
    more.add(option);
    return new Installation(java, List.copyOf(more), classPath, mainClass, state);
  }

  List<String> nodeCommand(NodeDirectory node) {
    List<String> command = new ArrayList<>(ownSession());
    command.add(java.toString());
    command.add(NodeDirectory.MARK + node.path());
    command.addAll(options);
    command.addAll(List.of(mainClass, node.configuration().toString()));
    return command;
  }

  /** The class path goes by the environment: on the command line it would hide all else in ps. */
  Map<String, String> nodeEnvironment() {
    return Map.of("CLASSPATH", classPath);
  }

  /**
   * Puts a node out of reach of the terminal: neither its Ctrl-C nor its end may stop a node, since
   * it is the supervisor who stops nodes, in order. Each of these becomes the JVM itself, so the
   * pid stays.
   */
  private static List<String> ownSession() {
    for (String folder : List.of("/usr/bin", "/bin", "/usr/local/bin")) {
      Path setsid = Path.of(folder, "setsid");
      if (Files.isExecutable(setsid)) {
        return List.of(setsid.toString());
      }
    }
    return List.of("/bin/sh", "-c", "trap '' HUP INT; exec \"$@\"", "sh");
  }

  /** Remembered so that Kafka's tools find the cluster from any directory. */
  void rememberLast(Path cluster) {
    try {
      Files.createDirectories(state);
      Files.writeString(state.resolve("last-cluster"), cluster + "\n");
    } catch (IOException e) {
      // A checkout that can't be written to: the tools then need --bootstrap-server, and say so.
    }
  }

  Optional<Path> last() {
    try {
      return Optional.of(Path.of(Files.readString(state.resolve("last-cluster")).strip()));
    } catch (IOException e) {
      return Optional.empty();
    }
  }
}
