package dev.vitrine.compat.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Commands for both clusters, read from a text file, whose form is told in {@code
 * src/test/cli/README.md}. A value.
 */
record Script(String name, boolean smoke, List<Step> steps) {

  static Script read(Path file) throws IOException {
    List<Step> steps = new ArrayList<>();
    List<String> lines = Files.readAllLines(file);
    for (int i = 0; i < lines.size(); i++) {
      int number = i + 1;
      String line = lines.get(i).strip();
      while (line.endsWith("\\")) {
        line = line.substring(0, line.length() - 1) + lines.get(++i).strip();
      }
      if (line.isEmpty() || line.startsWith("#")) {
        continue;
      }
      if (line.startsWith("<") || line.startsWith("~")) {
        String rest = line.length() > 2 ? line.substring(2) : "";
        steps.add(with(steps.remove(steps.size() - 1), line.charAt(0), rest));
      } else {
        steps.add(step(file.getFileName() + ":" + number, number, line));
      }
    }
    return new Script(file.getFileName().toString(), lines.get(0).equals("# smoke"), steps);
  }

  private static Step step(String where, int number, String line) {
    List<String> words = words(line);
    Step.Kind kind =
        switch (words.get(0)) {
          case "$" -> Step.Kind.RUN;
          case "&" -> Step.Kind.START;
          case "wait" -> Step.Kind.WAIT;
          case "file" -> Step.Kind.FILE;
          case "node" -> Step.Kind.NODE;
          default -> throw new IllegalArgumentException(where + ": " + line);
        };
    return new Step(number, kind, words.subList(1, words.size()), "", List.of());
  }

  private static Step with(Step step, char what, String rest) {
    String input = what == '<' ? step.input() + rest + "\n" : step.input();
    List<String> rules = new ArrayList<>(step.rules());
    if (what == '~') {
      rules.add(rest);
    }
    return new Step(step.line(), step.kind(), step.words(), input, List.copyOf(rules));
  }

  /** As a shell splits them: by spaces that are not between quotes. */
  static List<String> words(String line) {
    List<String> words = new ArrayList<>();
    StringBuilder word = null;
    char quote = 0;
    for (char c : line.toCharArray()) {
      if (quote != 0) {
        if (c == quote) {
          quote = 0;
        } else {
          word.append(c);
        }
      } else if (c == '\'' || c == '"') {
        quote = c;
        word = word == null ? new StringBuilder() : word;
      } else if (c == ' ') {
        if (word != null) {
          words.add(word.toString());
        }
        word = null;
      } else {
        word = word == null ? new StringBuilder() : word;
        word.append(c);
      }
    }
    if (word != null) {
      words.add(word.toString());
    }
    return List.copyOf(words);
  }
}
