package dev.vitrine.compat.cli;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/** What lines with {@code ~} say of how a command is run. A value. */
record Rules(List<String> lines) {
  private static final String UNTIL = "until ";
  private static final String STOP = "stop at ";
  private static final String CAPTURE = "capture ";

  /** What it must print, sooner or later. */
  Optional<Pattern> until() {
    return after(UNTIL);
  }

  /** What it prints when it is to be stopped. */
  Optional<Pattern> stopAt() {
    return after(STOP);
  }

  boolean ownProcess() {
    return lines.contains("process") || stopAt().isPresent();
  }

  /** Names for what the first group of a pattern finds. */
  Map<String, Pattern> captures() {
    Map<String, Pattern> captures = new LinkedHashMap<>();
    for (String line : lines) {
      if (line.startsWith(CAPTURE)) {
        String[] parts = line.split(" ", 3);
        captures.put(parts[1], Pattern.compile(parts[2]));
      }
    }
    return captures;
  }

  private Optional<Pattern> after(String word) {
    return lines.stream()
        .filter(line -> line.startsWith(word))
        .map(line -> Pattern.compile(line.substring(word.length())))
        .findFirst();
  }
}
