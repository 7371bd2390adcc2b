package dev.vitrine.broker.observe;

import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads version 0.0.4 of Prometheus' text format, and is stricter than Prometheus: each family has
 * its help and its type, stands in one piece, and no series comes twice.
 */
public final class PrometheusText {
  private static final Pattern NAME = Pattern.compile("[a-zA-Z_:][a-zA-Z0-9_:]*");
  private static final Pattern HEAD = Pattern.compile("# (HELP|TYPE) (\\S+) (.*)");
  private static final Pattern SERIES = Pattern.compile("([^{ ]+)(?:\\{(.*)})? (\\S+)");
  private static final Pattern LABEL =
      Pattern.compile("([a-zA-Z_][a-zA-Z0-9_]*)=\"((?:[^\"\\\\\\n]|\\\\[\\\\\"n])*)\"(?:,|$)");
  private static final Set<String> TYPES = Set.of("counter", "gauge", "summary", "histogram");

  private final Map<String, String> types = new LinkedHashMap<>();
  private final Set<String> helped = new HashSet<>();
  private final Map<String, Map<Map<String, String>, Double>> series = new TreeMap<>();
  private String family;

  /**
   * @throws AssertionError if it is not
   */
  public static PrometheusText parse(String text) {
    PrometheusText parsed = new PrometheusText();
    if (!text.endsWith("\n")) {
      throw new AssertionError("the last line has no end");
    }
    for (String line : text.split("\n")) {
      parsed.line(line);
    }
    return parsed;
  }

  private void line(String line) {
    Matcher head = HEAD.matcher(line);
    if (head.matches()) {
      head(line, head.group(1).equals("HELP"), head.group(2), head.group(3));
      return;
    }
    Matcher m = SERIES.matcher(line);
    if (!m.matches() || !NAME.matcher(m.group(1)).matches() || !isOfFamily(m.group(1))) {
      throw new AssertionError("not a series of " + family + ": " + line);
    }
    Double before =
        series
            .computeIfAbsent(m.group(1), n -> new LinkedHashMap<>())
            .put(labels(m.group(2), line), number(m.group(3)));
    if (before != null) {
      throw new AssertionError("comes twice: " + line);
    }
  }

  private void head(String line, boolean help, String name, String text) {
    if (!NAME.matcher(name).matches()) {
      throw new AssertionError("not a name: " + line);
    }
    boolean first = help ? helped.add(name) : types.put(name, text) == null;
    if (!first || !help && (!TYPES.contains(text) || !helped.contains(name))) {
      throw new AssertionError("out of place: " + line);
    }
    family = name;
  }

  private boolean isOfFamily(String name) {
    String type = family == null ? null : types.get(family);
    return type != null
        && (name.equals(family)
            || type.equals("summary") && name.matches(family + "_(sum|count)")
            || type.equals("histogram") && name.matches(family + "_(sum|count|bucket)"));
  }

  private static Map<String, String> labels(String text, String line) {
    Map<String, String> labels = new TreeMap<>();
    if (text == null) {
      return labels;
    }
    Matcher m = LABEL.matcher(text);
    int at = 0;
    while (at < text.length()) {
      if (!m.find(at) || m.start() != at || labels.put(m.group(1), unescape(m.group(2))) != null) {
        throw new AssertionError("labels of " + line);
      }
      at = m.end();
    }
    return labels;
  }

  private static String unescape(String text) {
    return text.replaceAll("\\\\n", "\n").replaceAll("\\\\([\\\\\"])", "$1");
  }

  private static double number(String text) {
    return switch (text) {
      case "+Inf" -> Double.POSITIVE_INFINITY;
      case "-Inf" -> Double.NEGATIVE_INFINITY;
      default -> Double.parseDouble(text);
    };
  }

  /** The families' names with their types. */
  public Map<String, String> types() {
    return types;
  }

  /** All series of that name, by their labels; none if there is no such name. */
  public Map<Map<String, String>, Double> all(String name) {
    return series.getOrDefault(name, Map.of());
  }

  /**
   * @param labels name, value, name, value…
   * @return not a number if there is no such series
   */
  public double value(String name, String... labels) {
    Map<String, String> wanted = new TreeMap<>();
    for (int i = 0; i < labels.length; i += 2) {
      wanted.put(labels[i], labels[i + 1]);
    }
    return all(name).getOrDefault(wanted, Double.NaN);
  }
}
