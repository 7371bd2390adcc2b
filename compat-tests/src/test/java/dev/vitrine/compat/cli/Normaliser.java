package dev.vitrine.compat.cli;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Makes outputs of two clusters alike in what may differ: ids, times, addresses, folders. An id
 * that comes again gets the same name again, so it is seen if it is another one. One for each
 * script and side.
 */
final class Normaliser {
  private static final Pattern UUID =
      Pattern.compile("\\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\\b");
  private static final Pattern ID =
      Pattern.compile(
          "(?<![A-Za-z0-9_.-])(?=[0-9A-Z_-]*[a-z])(?=[a-z_-]*[0-9A-Z])[A-Za-z0-9_-]{22}(?![A-Za-z0-9_.(-])");

  /** Clients are numbered through in a JVM; groups of console consumers by chance. */
  private static final Pattern CLIENT =
      Pattern.compile("\\b(adminclient|producer|console-consumer)-\\d{1,6}\\b(?!-)");

  private static final Pattern MILLIS = Pattern.compile("\\b1[6-9]\\d{11}\\b");
  private static final Pattern DATE =
      Pattern.compile(
          "\\b\\d{4}-\\d\\d-\\d\\d[T ]\\d\\d:\\d\\d:\\d\\d([.,:]\\d{3,9})?(Z|[+-]\\d\\d:?\\d\\d)?");

  /**
   * The first line of what a tool says of all its options, which is the same whatever it speaks to.
   */
  private static final Pattern USAGE = Pattern.compile("Option +.*Description *");

  private static final Pattern SUBSTITUTION = Pattern.compile("/((?:[^/\\\\]|\\\\.)*)/([^/]*)/");

  private final Map<String, String> fixed = new LinkedHashMap<>();
  private final Map<String, String> ids = new LinkedHashMap<>();

  /** From now on, {@code text} counts as {@code name} where it is a word of its own. */
  void replace(String text, String name) {
    fixed.put(text, name);
  }

  /**
   * Standard output, then standard error, marked with {@code !}, then the exit code.
   *
   * @param rules of the step: what it says of substitutions and order
   */
  List<String> lines(Output output, List<String> rules) {
    List<String> out = lines(output.out(), rules);
    List<String> err = lines(output.err(), rules);
    List<String> all = new ArrayList<>();
    if (rules.contains("sort")) {
      out.sort(Comparator.naturalOrder());
      err.sort(Comparator.naturalOrder());
    }
    all.addAll(out);
    err.forEach(line -> all.add("! " + line));
    all.add(output.exitCode() == Output.HUNG ? "hangs" : "exit code " + output.exitCode());
    return all;
  }

  private List<String> lines(String text, List<String> rules) {
    List<String> lines = new ArrayList<>();
    for (String line : normalise(text, rules).split("\n")) {
      if (USAGE.matcher(line).matches()) {
        break;
      }
      if (!line.isBlank() && !line.startsWith("\tat ") && !line.startsWith("\t... ")) {
        lines.add(line.strip().replaceAll("[ \\t]+", " "));
      }
    }
    return lines;
  }

  private String normalise(String text, List<String> rules) {
    String result = text;
    for (Map.Entry<String, String> entry : fixed.entrySet()) {
      result =
          result.replaceAll(
              "(?<![0-9])" + Pattern.quote(entry.getKey()) + "(?![0-9])",
              Matcher.quoteReplacement(entry.getValue()));
    }
    result = DATE.matcher(result).replaceAll("{time}");
    result = MILLIS.matcher(result).replaceAll("{ms}");
    result = CLIENT.matcher(result).replaceAll("$1-{n}");
    result = UUID.matcher(result).replaceAll(id -> name(id.group()));
    result = ID.matcher(result).replaceAll(id -> name(id.group()));
    for (String rule : rules) {
      Matcher substitution = SUBSTITUTION.matcher(rule);
      if (substitution.matches()) {
        result =
            Pattern.compile(substitution.group(1), Pattern.MULTILINE)
                .matcher(result)
                .replaceAll(substitution.group(2).replace("\\n", "\n"));
      }
    }
    return result;
  }

  private String name(String id) {
    return ids.computeIfAbsent(id, unknown -> "{id-" + (ids.size() + 1) + "}");
  }
}
