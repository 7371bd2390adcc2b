package dev.vitrine.compat.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;

/**
 * The differences that are meant, each with its reason, from {@code differences.txt}. One that no
 * longer occurs is an error, too.
 */
final class KnownDifferences {
  private record Known(int number, String script, Pattern at, String side, Pattern line) {}

  private final List<Known> known = new ArrayList<>();
  private final Set<Integer> seen = new TreeSet<>();

  static KnownDifferences read(Path file) throws IOException {
    KnownDifferences all = new KnownDifferences();
    String script = null;
    Pattern at = null;
    List<String[]> sides = new ArrayList<>();
    for (String line : Files.readAllLines(file)) {
      String[] parts = line.strip().split(": ", 2);
      switch (parts[0]) {
        case "script" -> {
          script = parts[1];
          at = Pattern.compile("");
        }
        case "at" -> at = Pattern.compile(parts[1]);
        case "kafka", "vitrine" -> sides.add(parts);
        case "because" -> {
          for (String[] side : sides) {
            all.known.add(
                new Known(all.known.size(), script, at, side[0], Pattern.compile(side[1])));
          }
          sides.clear();
        }
        default -> {
          if (!line.isBlank() && !line.startsWith("#")) {
            throw new IllegalArgumentException(file + ": " + line);
          }
        }
      }
    }
    return all;
  }

  /** Whether it is one of them; remembers that it has occurred. */
  boolean has(Difference difference) {
    boolean found = false;
    for (Known entry : known) {
      if (entry.script.equals(difference.script())
          && entry.side.equals(difference.side())
          && entry.at.matcher(difference.where()).find()
          && entry.line.matcher(difference.line()).matches()) {
        seen.add(entry.number);
        found = true;
      }
    }
    return found;
  }

  int seen() {
    return seen.size();
  }

  /** Those of the given scripts that have not occurred. */
  List<String> gone(Set<String> scripts) {
    return known.stream()
        .filter(entry -> scripts.contains(entry.script) && !seen.contains(entry.number))
        .map(entry -> entry.script + ": " + entry.side + ": " + entry.line)
        .toList();
  }
}
