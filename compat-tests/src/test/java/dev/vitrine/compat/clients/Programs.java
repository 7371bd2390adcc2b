package dev.vitrine.compat.clients;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** Programs of the machine that clients need. */
final class Programs {
  /** The scripts and the list of npm packages, as files. */
  static final Path SCRIPTS = Path.of("src", "test", "clients").toAbsolutePath();

  private Programs() {}

  /** Whether it is there and ends well; what it prints goes nowhere. */
  static boolean succeeds(List<String> command) {
    try {
      return new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .start()
              .waitFor()
          == 0;
    } catch (IOException e) {
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}
