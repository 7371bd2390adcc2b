package dev.vitrine.compat.cli;

/** What a tool that has ended printed to which stream, and its exit code. A value. */
record Output(int exitCode, String out, String err) {
  /** Instead of an exit code: it had to be given up. */
  static final int HUNG = -1;
}
