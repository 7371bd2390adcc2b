package dev.vitrine.tools;

/**
 * A command can't do what was asked. Its message is the one line that the user sees; there is never
 * a stack trace to it.
 */
final class CommandFailure extends RuntimeException {
  /** What the process ends with when the command line was right but its work failed. */
  static final int FAILED = 1;

  /** What the process ends with when the command line itself is wrong. */
  static final int USAGE = 2;

  private static final long serialVersionUID = 1;

  private final int exitCode;

  private CommandFailure(int exitCode, String message) {
    super(message, null, false, false);
    this.exitCode = exitCode;
  }

  static CommandFailure failed(String format, Object... args) {
    return new CommandFailure(FAILED, String.format(format, args));
  }

  static CommandFailure usage(String format, Object... args) {
    return new CommandFailure(USAGE, String.format(format, args));
  }

  int exitCode() {
    return exitCode;
  }
}
