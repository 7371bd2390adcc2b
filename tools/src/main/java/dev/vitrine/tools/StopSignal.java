package dev.vitrine.tools;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * SIGSTOP and SIGCONT, which Java can't send, by the shell's own `kill`; and whether a process is
 * stopped so, which only Linux tells. Stateless. Whoever calls it has made sure whose process it
 * is.
 */
final class StopSignal {
  private StopSignal() {}

  static void stop(ProcessHandle process) {
    send("STOP", process.pid());
  }

  static void resume(ProcessHandle process) {
    send("CONT", process.pid());
  }

  private static void send(String signal, long pid) {
    try {
      Process shell =
          new ProcessBuilder("sh", "-c", "kill -" + signal + " " + pid)
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .start();
      if (shell.waitFor() != 0) {
        throw CommandFailure.failed("process %d can't be sent SIG%s", pid, signal);
      }
    } catch (IOException e) {
      throw CommandFailure.failed("sh can't be started: %s", e.getMessage());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw CommandFailure.failed("interrupted");
    }
  }

  /** Whether {@link #isStopped} knows. */
  static boolean canTell() {
    return Files.exists(Path.of("/proc/self/stat"));
  }

  static boolean isStopped(ProcessHandle process) {
    try {
      String stat = Files.readString(Path.of("/proc", String.valueOf(process.pid()), "stat"));
      return stat.charAt(stat.lastIndexOf(')') + 2) == 'T';
    } catch (IOException | IndexOutOfBoundsException e) {
      return false;
    }
  }
}
