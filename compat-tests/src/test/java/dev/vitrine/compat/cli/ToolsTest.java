package dev.vitrine.compat.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import dev.vitrine.compat.ClusterUnderTest;
import dev.vitrine.compat.LocalCluster;
import dev.vitrine.compat.Target;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Apache Kafka's own tools print the same, to both their streams, and end with the same exit code
 * when they speak to Apache Kafka and when they speak to the target. With {@code -Dtarget=kafka}
 * two clusters of Apache Kafka are compared: what differs then is not a matter of Vitrine, and a
 * command or a rule of the comparison is wrong.
 *
 * <p>The commands are in {@code src/test/cli}; {@code -Dcli=NAME} takes one script alone.
 */
class ToolsTest {
  private static final Path SCRIPTS = Path.of("src/test/cli");
  private static final int NODES = 3;
  private static final Map<String, String> CONFIG =
      Map.of("auto.leader.rebalance.enable", "false", "log.segment.delete.delay.ms", "1000");

  @TempDir Path temp;
  private final List<Difference> unexpected = new ArrayList<>();
  private final Set<String> tools = new TreeSet<>();
  private int commands;
  private int lines;

  @Test
  @Tag("smoke")
  void commonTools() throws Exception {
    assumeFalse(System.getProperty("process.tests", "").contains("full"), "all tools are compared");
    compare(scripts().stream().filter(s -> s.smoke() || !only().isEmpty()).toList());
  }

  @Test
  @Tag("full")
  void allTools() throws Exception {
    compare(scripts());
  }

  private static List<String> only() {
    String names = System.getProperty("cli", "");
    return names.isEmpty() ? List.of() : List.of(names.split(","));
  }

  private static List<Script> scripts() throws IOException {
    List<Script> scripts = new ArrayList<>();
    try (Stream<Path> files = Files.list(SCRIPTS)) {
      for (Path file : files.sorted().toList()) {
        String name = file.getFileName().toString();
        boolean wanted = only().isEmpty() || only().contains(name.split("\\.")[0]);
        if (wanted && name.endsWith(".cli")) {
          scripts.add(Script.read(file));
        }
      }
    }
    return scripts;
  }

  private void compare(List<Script> scripts) throws Exception {
    KnownDifferences known = KnownDifferences.read(SCRIPTS.resolve("differences.txt"));
    ExecutorService threads = Executors.newFixedThreadPool(2);
    try (ClusterUnderTest kafkas =
            LocalCluster.start(Target.kafka(), "tools-kafka", NODES, CONFIG);
        ClusterUnderTest ours = LocalCluster.start(Target.chosen(), "tools", NODES, CONFIG);
        ToolHost host = new ToolHost()) {
      Side kafka = new Side(kafkas, host, temp.resolve("kafka"));
      Side vitrine = new Side(ours, host, temp.resolve("vitrine"));
      for (Script script : scripts) {
        kafka.begin();
        vitrine.begin();
        for (Step step : script.steps()) {
          Future<List<String>> theirs = threads.submit(() -> kafka.perform(step));
          Future<List<String>> mine = threads.submit(() -> vitrine.perform(step));
          note(script, step, theirs.get(), mine.get(), known);
        }
      }
    } finally {
      threads.shutdownNow();
    }
    report(scripts, known);
  }

  private void note(
      Script script, Step step, List<String> kafka, List<String> vitrine, KnownDifferences known)
      throws IOException {
    if (step.kind() == Step.Kind.RUN || step.kind() == Step.Kind.START) {
      tools.add(step.words().get(0));
      commands++;
    }
    lines += kafka.size();
    transcript("kafka", script, step, kafka);
    transcript("vitrine", script, step, vitrine);
    Difference.between(script, step, kafka, vitrine).stream()
        .filter(difference -> !known.has(difference))
        .forEach(unexpected::add);
    String last = kafka.isEmpty() ? "" : kafka.get(kafka.size() - 1);
    if (last.equals("hangs") || last.startsWith(Side.NEVER)) {
      unexpected.add(new Difference(script.name(), Difference.where(script, step), "kafka", last));
    }
  }

  /** For who looks into a failure, or writes a script. */
  private static void transcript(String side, Script script, Step step, List<String> printed)
      throws IOException {
    Path folder = Files.createDirectories(Path.of("target", "cli", side));
    Path file = folder.resolve(script.name());
    if (step == script.steps().get(0)) {
      Files.deleteIfExists(file);
    }
    String text =
        step.kind() + " " + String.join(" ", step.words()) + "\n" + String.join("\n", printed);
    Files.writeString(
        file,
        text + (printed.isEmpty() ? "" : "\n"),
        java.nio.file.StandardOpenOption.CREATE,
        java.nio.file.StandardOpenOption.APPEND);
  }

  private void report(List<Script> scripts, KnownDifferences known) {
    Set<String> names = scripts.stream().map(Script::name).collect(Collectors.toSet());
    System.out.printf(
        "tools: %d tools, %d commands, %,d lines compared: all equal but %d exceptions%n",
        tools.size(), commands, lines, known.seen() + unexpected.size());
    StringBuilder text = new StringBuilder();
    String where = "";
    for (Difference difference : unexpected) {
      if (!difference.where().equals(where)) {
        where = difference.where();
        text.append("\n").append(where).append("\n");
      }
      text.append("  ").append(difference.side()).append(": ");
      text.append(difference.line()).append("\n");
    }
    assertEquals("", text.toString());
    if (Target.isVitrine()) {
      assertEquals(List.of(), known.gone(names), "known differences that are none any more");
    }
  }
}
