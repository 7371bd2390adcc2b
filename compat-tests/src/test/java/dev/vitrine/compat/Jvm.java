package dev.vitrine.compat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Child JVMs. Each carries the pid of its test run, and none outlives it by much. */
public final class Jvm {
  static final String TEST_CLASS_PATH =
      System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
  private static final String MARK = "-Dvitrine.tests.of=";
  private static final Path JAVA = Path.of(System.getProperty("java.home"), "bin", "java");

  static {
    killOrphans();
  }

  private Jvm() {}

  /** What a program that has ended printed to both its streams. */
  record Result(int exitCode, String output) {}

  /** The JVM option that lets the next run find the nodes of this one. */
  static String mark() {
    return MARK + ProcessHandle.current().pid();
  }

  static ProcessBuilder builder(String classPath, List<String> command) {
    List<String> all = new ArrayList<>();
    all.add(JAVA.toString());
    all.add(mark());
    all.addAll(command);
    ProcessBuilder builder = new ProcessBuilder(all).redirectErrorStream(true);
    builder.environment().putAll(Map.of("CLASSPATH", classPath));
    return builder;
  }

  /** One with the tests' class path. */
  public static ProcessBuilder builder(List<String> command) {
    return builder(TEST_CLASS_PATH, command);
  }

  static Result run(String classPath, List<String> command)
      throws IOException, InterruptedException {
    Process process = builder(classPath, command).start();
    process.getOutputStream().close();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    return new Result(process.waitFor(), output);
  }

  /** Runs one of Kafka's tools. */
  static Result tool(String mainClass, List<String> args) throws IOException, InterruptedException {
    List<String> command =
        new ArrayList<>(
            List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx256m", mainClass));
    command.addAll(args);
    return run(TEST_CLASS_PATH, command);
  }

  /** A run that was killed could not end its nodes; the next one does. */
  private static void killOrphans() {
    ProcessHandle.allProcesses()
        .filter(
            process ->
                List.of(process.info().arguments().orElse(new String[0])).stream()
                    .filter(argument -> argument.startsWith(MARK))
                    .map(argument -> Long.parseLong(argument.substring(MARK.length())))
                    .anyMatch(parent -> ProcessHandle.of(parent).isEmpty()))
        .forEach(ProcessHandle::destroyForcibly);
  }
}
