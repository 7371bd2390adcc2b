package dev.vitrine.compat;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The script `vitrine`, as a user calls it, with notes of its own between the commands. */
final class VitrineScript {
  private final Path root =
      Path.of(System.getProperty("vitrine.root", "..")).toAbsolutePath().normalize();
  private final Path temp;
  private int calls;

  /** What a command ended with, and what it printed to which stream. */
  record Result(int exitCode, String out, String err) {}

  /**
   * @param temp for notes and output
   */
  VitrineScript(Path temp) {
    this.temp = temp;
  }

  /** Fails unless the command does what it was asked. */
  Result ok(String input, String... args) throws IOException, InterruptedException {
    Result result = run(input, args);
    assertEquals(0, result.exitCode(), () -> List.of(args) + ": " + result);
    return result;
  }

  Result run(String input, String... args) throws IOException, InterruptedException {
    Path in = Files.writeString(temp.resolve("in-" + calls), input);
    Path out = temp.resolve("out-" + calls);
    Path err = temp.resolve("err-" + calls++);
    Process process =
        process(args)
            .redirectInput(in.toFile())
            .redirectOutput(out.toFile())
            .redirectError(err.toFile())
            .start();
    int exitCode = process.waitFor();
    return new Result(exitCode, Files.readString(out), Files.readString(err));
  }

  ProcessBuilder process(String... args) {
    List<String> command = new ArrayList<>(List.of(root.resolve("vitrine").toString()));
    command.addAll(List.of(args));
    ProcessBuilder builder = new ProcessBuilder(command).directory(temp.toFile());
    builder.environment().put("VITRINE_STATE", temp.resolve("state").toString());
    builder.environment().put("VITRINE_NO_BUILD", "1");
    builder.environment().put("VITRINE_NODE_OPTS", Jvm.mark());
    builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
    return builder;
  }
}
