package dev.vitrine.compat.cli;

import dev.vitrine.compat.Jvm;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/** Runs a tool in a JVM of its own: one that ends its JVM itself, or that runs until it is told. */
final class ToolProcess {
  private static final int POLL_MS = 50;

  private final Path folder;

  /**
   * @param folder for what it prints
   */
  ToolProcess(Path folder) {
    this.folder = folder;
  }

  /**
   * @param stopAt once it has printed that, it gets SIGTERM; null if it ends by itself
   */
  Output run(String mainClass, List<String> args, String input, Pattern stopAt, Duration limit)
      throws IOException, InterruptedException {
    Path in = Files.writeString(folder.resolve("process.in"), input);
    Path out = folder.resolve("process.out");
    Path err = folder.resolve("process.err");
    List<String> command =
        new ArrayList<>(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx256m"));
    command.add(mainClass);
    command.addAll(args);
    Process process =
        Jvm.builder(command)
            .redirectErrorStream(false)
            .redirectInput(in.toFile())
            .redirectOutput(out.toFile())
            .redirectError(err.toFile())
            .start();
    long deadline = System.nanoTime() + limit.toNanos();
    while (!process.waitFor(POLL_MS, TimeUnit.MILLISECONDS)) {
      if (stopAt != null && stopAt.matcher(Files.readString(out)).find()) {
        process.destroy();
        stopAt = null;
      }
      if (System.nanoTime() > deadline) {
        process.destroyForcibly().waitFor();
        return new Output(Output.HUNG, Files.readString(out), Files.readString(err));
      }
    }
    return new Output(process.exitValue(), Files.readString(out), Files.readString(err));
  }
}
