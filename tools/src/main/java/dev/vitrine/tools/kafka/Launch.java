package dev.vitrine.tools.kafka;

import java.io.IOException;
import java.io.Reader;
import java.lang.reflect.InvocationTargetException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import java.util.stream.Stream;

/**
 * Runs one of Apache Kafka's tools in this JVM: {@code Launch kafka-topics ARG ...}. Standard
 * streams and exit code are the tool's. Where the arguments don't say which cluster, they get the
 * address of the running one in {@code --data DIR} (which only this class knows and takes out),
 * else in {@code ./vitrine-data}, else the last that was started.
 */
public final class Launch {
  private static final int FAILED = 1;
  private static final int USAGE = 2;
  private static final String RUN_CLASS = "kafka-run-class";

  private Launch() {}

  public static void main(String[] args) throws Throwable {
    String name = args.length == 0 ? "" : args[0];
    List<String> rest = new ArrayList<>(Arrays.asList(args).subList(1, Math.max(1, args.length)));
    Tool tool = tool(name, rest);
    if (tool == null) {
      System.err.println("vitrine: " + refusal(name));
      System.exit(USAGE);
      return;
    }
    Path data = null;
    if (rest.size() >= 2 && rest.get(0).equals("--data")) {
      data = Path.of(rest.get(1));
      rest.subList(0, 2).clear();
    }
    if (tool.needsBootstrap(rest)) {
      Optional<String> servers =
          bootstrapServers(data, Path.of(System.getProperty("vitrine.state", ".")));
      if (servers.isEmpty()) {
        System.err.println(
            "vitrine: no cluster is known here: start one with `vitrine up`, or say --bootstrap-server HOST:PORT");
        System.exit(FAILED);
      }
      rest = tool.withBootstrap(rest, servers.get());
    }
    run(tool, rest);
  }

  /** Any class, too, as Kafka's own script runs it: that one is told where the cluster is. */
  private static Tool tool(String name, List<String> args) {
    if (name.equals(RUN_CLASS) && !args.isEmpty()) {
      return new Tool(args.remove(0), Tool.Bootstrap.NONE);
    }
    return Tool.all().get(name);
  }

  static String refusal(String name) {
    String why = Tool.absent().get(name);
    if (name.equals(RUN_CLASS)) {
      return RUN_CLASS + " takes the name of a class and its arguments";
    }
    return "there is no "
        + name
        + (why == null ? "; there are " + String.join(", ", Tool.all().keySet()) : ": " + why);
  }

  private static void run(Tool tool, List<String> args) throws Throwable {
    try {
      Class.forName(tool.mainClass())
          .getMethod("main", String[].class)
          .invoke(null, (Object) args.toArray(String[]::new));
    } catch (InvocationTargetException e) {
      throw e.getCause();
    } catch (ClassNotFoundException | NoSuchMethodException e) {
      System.err.println(
          "vitrine: Apache Kafka has no class to run of the name " + tool.mainClass());
      System.exit(FAILED);
    }
  }

  static Optional<String> bootstrapServers(Path data, Path state) {
    if (data != null) {
      return serversOf(data);
    }
    Path here = Path.of("vitrine-data");
    Optional<Path> last = last(state);
    if (last.isPresent() && !isRunning(here)) {
      return serversOf(last.get());
    }
    return serversOf(here);
  }

  private static Optional<Path> last(Path state) {
    try {
      return Optional.of(Path.of(Files.readString(state.resolve("last-cluster")).strip()));
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  /** Good enough for a default: whether the process of one of its nodes seems to be there. */
  private static boolean isRunning(Path data) {
    return nodes(data).stream()
        .anyMatch(
            node -> {
              try {
                long pid = Long.parseLong(Files.readString(node.resolve("pid")).strip());
                return ProcessHandle.of(pid).isPresent();
              } catch (IOException | NumberFormatException e) {
                return false;
              }
            });
  }

  /** The client addresses in the nodes' configurations. */
  private static Optional<String> serversOf(Path data) {
    List<String> servers = new ArrayList<>();
    for (Path node : nodes(data)) {
      Properties properties = new Properties();
      try (Reader in = Files.newBufferedReader(node.resolve("server.properties"))) {
        properties.load(in);
      } catch (IOException | IllegalArgumentException e) {
        continue;
      }
      for (String listener : properties.getProperty("listeners", "").split(",")) {
        if (listener.strip().startsWith("PLAINTEXT://")) {
          servers.add(listener.strip().substring("PLAINTEXT://".length()));
        }
      }
    }
    return servers.isEmpty() ? Optional.empty() : Optional.of(String.join(",", servers));
  }

  private static List<Path> nodes(Path data) {
    try (Stream<Path> all = Files.list(data)) {
      return all.filter(path -> path.getFileName().toString().startsWith("node-"))
          .sorted()
          .toList();
    } catch (IOException e) {
      return List.of();
    }
  }
}
