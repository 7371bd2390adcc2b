package dev.vitrine.compat.cli;

import dev.vitrine.compat.ClusterUnderTest;
import dev.vitrine.tools.kafka.Tool;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * One of the two clusters that are compared, and the tools that speak to it. Used by one thread.
 */
final class Side {
  private static final Duration LIMIT = Duration.ofSeconds(90);
  private static final Duration UNTIL = Duration.ofSeconds(30);

  /** Begins a line that says what a tool should have printed and did not. */
  static final String NEVER = "never: ";

  private static final int RETRY_MS = 200;

  private final ClusterUnderTest cluster;
  private final ToolHost host;
  private final Path folder;
  private final Map<String, String> names = new TreeMap<>();
  private Normaliser normaliser;
  private ToolRun started;
  private Thread thread;

  /**
   * @param folder for the files of scripts; empty
   */
  Side(ClusterUnderTest cluster, ToolHost host, Path folder) throws IOException {
    this.cluster = cluster;
    this.host = host;
    this.folder = Files.createDirectories(folder);
    begin();
  }

  /** Forgets what the last script has named. */
  void begin() {
    names.clear();
    names.put("bootstrap", cluster.bootstrap());
    normaliser = new Normaliser();
    for (int id : cluster.nodes()) {
      names.put("client-" + id, cluster.host(id) + ":" + cluster.clientPort(id));
      names.put("controller-" + id, cluster.host(id) + ":" + cluster.controllerPort(id));
      names.put("data-" + id, cluster.logDir(id).toString());
      normaliser.replace(cluster.logDir(id).toString(), "{data-" + id + "}");
      normaliser.replace(String.valueOf(cluster.clientPort(id)), "{port-" + id + "}");
      normaliser.replace(String.valueOf(cluster.controllerPort(id)), "{control-" + id + "}");
    }
    normaliser.replace(folder.toString(), "{files}");
  }

  /** What the step printed, normalised; nothing if it prints nothing. */
  List<String> perform(Step step) throws Exception {
    switch (step.kind()) {
      case FILE -> {
        Path file = folder.resolve(step.words().get(0));
        Files.writeString(file, resolve(step.input()));
        names.put(step.words().get(0), file.toString());
      }
      case NODE -> node(step.words().get(0), Integer.parseInt(step.words().get(1)));
      case START -> start(step);
      case WAIT -> {
        thread.join(LIMIT.toMillis());
        return normaliser.lines(started.output(), step.rules());
      }
      case RUN -> {
        return run(step);
      }
    }
    return List.of();
  }

  private void node(String what, int id) throws Exception {
    switch (what) {
      case "stop" -> cluster.stop(id);
      case "kill" -> cluster.kill(id);
      case "start" -> {
        cluster.start(id);
        cluster.awaitReady();
      }
      default -> throw new IllegalArgumentException("node " + what);
    }
  }

  private void start(Step step) {
    started = new ToolRun(resolve(step.input()));
    thread = host.start(started, tool(step).mainClass(), args(step));
  }

  private List<String> run(Step step) throws Exception {
    Rules rules = new Rules(step.rules());
    long deadline = System.nanoTime() + UNTIL.toNanos();
    while (true) {
      Output output = runOnce(step, rules);
      List<String> lines = normaliser.lines(output, step.rules());
      boolean asWanted =
          rules.until().map(wanted -> wanted.matcher(String.join("\n", lines)).find()).orElse(true);
      if (asWanted) {
        capture(rules, output);
        return lines;
      }
      if (System.nanoTime() > deadline) {
        lines.add(NEVER + rules.until().orElseThrow());
        return lines;
      }
      Thread.sleep(RETRY_MS);
    }
  }

  private void capture(Rules rules, Output output) {
    rules
        .captures()
        .forEach(
            (name, pattern) -> {
              Matcher matcher = pattern.matcher(output.out());
              if (!matcher.find()) {
                throw new AssertionError("no " + pattern + " in " + output);
              }
              names.put(name, matcher.group(1));
            });
  }

  private Output runOnce(Step step, Rules rules) throws Exception {
    if (rules.ownProcess()) {
      Pattern stopAt = rules.stopAt().orElse(null);
      return new ToolProcess(folder)
          .run(tool(step).mainClass(), args(step), resolve(step.input()), stopAt, LIMIT);
    }
    ToolRun run = new ToolRun(resolve(step.input()));
    host.start(run, tool(step).mainClass(), args(step)).join(LIMIT.toMillis());
    return run.output();
  }

  private static Tool tool(Step step) {
    String name = step.words().get(0);
    Tool tool = Tool.all().get(name);
    if (tool == null) {
      throw new IllegalArgumentException("there is no " + name);
    }
    return tool;
  }

  /** With the address of the cluster, as {@code ./vitrine kafka-*} adds it. */
  private List<String> args(Step step) {
    List<String> args = new ArrayList<>();
    step.words().subList(1, step.words().size()).forEach(word -> args.add(resolve(word)));
    Tool tool = tool(step);
    boolean alone = step.rules().contains("alone");
    return !alone && tool.needsBootstrap(args)
        ? tool.withBootstrap(args, cluster.bootstrap())
        : args;
  }

  private String resolve(String text) {
    String resolved = text;
    for (Map.Entry<String, String> name : names.entrySet()) {
      resolved = resolved.replace("{" + name.getKey() + "}", name.getValue());
    }
    return resolved;
  }
}
