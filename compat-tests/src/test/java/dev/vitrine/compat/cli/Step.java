package dev.vitrine.compat.cli;

import java.util.List;

/**
 * One step of a {@link Script}. A value.
 *
 * @param line of the script's file, from 1
 * @param kind what is done
 * @param words the tool's name and arguments; or the file's name; or what is done to which node
 * @param input the lines for standard input, or of the file
 * @param rules what is said with {@code ~}
 */
record Step(int line, Kind kind, List<String> words, String input, List<String> rules) {
  /** What a step does. */
  enum Kind {
    /** Runs a tool and compares. */
    RUN,
    /** Starts a tool, which goes on. */
    START,
    /** Waits for the end of the tool that was started, and compares. */
    WAIT,
    /** Writes a file for the tools. */
    FILE,
    /** Stops, kills or starts a node. */
    NODE
  }
}
