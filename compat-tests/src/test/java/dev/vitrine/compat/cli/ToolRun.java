package dev.vitrine.compat.cli;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * A tool that runs in this JVM: its standard streams, and what became of it. The tool's threads
 * write to it, whoever started it reads; it does not start or end anything itself.
 */
final class ToolRun {
  private static final InheritableThreadLocal<ToolRun> CURRENT = new InheritableThreadLocal<>();

  private final InputStream in;
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();
  private final List<Runnable> hooks = new ArrayList<>();
  private Integer exitCode;

  ToolRun(String input) {
    this.in = new ByteArrayInputStream(input.getBytes(StandardCharsets.UTF_8));
  }

  /** The tool that this thread runs, or that started it; null if none. */
  static ToolRun current() {
    return CURRENT.get();
  }

  /** Makes this thread, and all that it starts from now on, the tool's. */
  void adopt() {
    CURRENT.set(this);
  }

  InputStream in() {
    return in;
  }

  /** After the end nobody reads what is printed, as when a process is gone. */
  synchronized void print(boolean error, byte[] bytes, int offset, int length) {
    if (exitCode == null) {
      (error ? err : out).write(bytes, offset, length);
    }
  }

  synchronized void log(String line) {
    byte[] bytes = (line + "\n").getBytes(StandardCharsets.UTF_8);
    print(true, bytes, 0, bytes.length);
  }

  /** The first one counts. */
  synchronized void exit(int code) {
    if (exitCode == null) {
      exitCode = code;
    }
  }

  synchronized boolean hasEnded() {
    return exitCode != null;
  }

  synchronized void addHook(Runnable hook) {
    hooks.add(hook);
  }

  /** To be run once the tool wants to end, before it has. */
  synchronized List<Runnable> takeHooks() {
    List<Runnable> all = List.copyOf(hooks);
    hooks.clear();
    return all;
  }

  synchronized Output output() {
    return new Output(
        exitCode == null ? Output.HUNG : exitCode,
        out.toString(StandardCharsets.UTF_8),
        err.toString(StandardCharsets.UTF_8));
  }
}
