package dev.vitrine.compat.differential;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** How fields are compared that can't be equal: the lines of {@code rules.txt}. A value. */
record Rules(List<Rule> rules) {
  enum Kind {
    /** Differs between clusters, but the same on one side is the same on the other. */
    ID,
    /** A moment, about the same one. */
    TIME,
    /** Not compared. */
    ANY,
    /** An array whose elements have no order; told apart by these fields, or as a whole. */
    BY,
    /** As it is; what a field is for which there is no rule. */
    EXACT
  }

  record Rule(String api, Pattern path, Kind kind, String argument) {
    static final Rule EXACT = new Rule("*", Pattern.compile(""), Kind.EXACT, "");
  }

  static Rules read(Path file) throws IOException {
    List<Rule> rules = new ArrayList<>();
    for (String line : Files.readAllLines(file)) {
      String text = line.replaceFirst("(^|\\s)#.*", "").strip();
      if (!text.isEmpty()) {
        String[] words = text.split("\\s+", 4);
        rules.add(
            new Rule(
                words[0],
                glob(words[1]),
                Kind.valueOf(words[2].toUpperCase(java.util.Locale.ROOT)),
                words.length > 3 ? words[3] : ""));
      }
    }
    return new Rules(rules);
  }

  /** In which {@code *} is anything. */
  static Pattern glob(String text) {
    StringBuilder regex = new StringBuilder();
    for (String part : text.split("\\*+", -1)) {
      regex.append(Pattern.quote(part)).append(".*");
    }
    regex.setLength(regex.length() - 2);
    return Pattern.compile(regex.toString(), Pattern.DOTALL);
  }

  /**
   * The first that fits.
   *
   * @param path with {@code []} for any element
   */
  Rule of(String api, String path) {
    for (Rule rule : rules) {
      if ((rule.api().equals("*") || rule.api().equals(api))
          && rule.path().matcher(path).matches()) {
        return rule;
      }
    }
    return Rule.EXACT;
  }
}
