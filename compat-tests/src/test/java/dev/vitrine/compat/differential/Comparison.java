package dev.vitrine.compat.differential;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.vitrine.compat.differential.Rules.Rule;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/** Compares two answers, field by field. Counts the fields. Used by one thread. */
final class Comparison {
  private static final long MOMENT_MS = 600_000;
  private static final long LONG_AGO = 1_000_000_000_000L;

  /** What an id holds that is none. */
  private static final Set<String> UNSET =
      Set.of("", "null", "0", "-1", "AAAAAAAAAAAAAAAAAAAAAA", "AAAAAAAAAAAAAAAAAAAAAQ");

  private final Rules rules;
  private final Pairs pairs;
  private final String script;
  private final Consumer<Difference> differences;
  private String name = "";
  private String where;
  private String api;
  private int version;
  private long fields;

  Comparison(Rules rules, Pairs pairs, String script, Consumer<Difference> differences) {
    this.rules = rules;
    this.pairs = pairs;
    this.script = script;
    this.differences = differences;
  }

  long fields() {
    return fields;
  }

  /** Of the step whose answers come next. */
  void name(String step) {
    name = step.isEmpty() ? "" : "#" + step;
  }

  void compare(int line, String api, int version, Answer ours, Answer kafkas) {
    this.where = script + ":" + line;
    this.api = api;
    this.version = version;
    scalar("(outcome)", Rule.EXACT, ours.outcome(), kafkas.outcome());
    if (ours.outcome().equals(kafkas.outcome())) {
      object("", ours.tree(), kafkas.tree());
    }
  }

  private void value(String path, JsonNode ours, JsonNode kafkas) {
    Rule rule = rules.of(api, path.replaceAll("\\[[^\\]]*]", "[]"));
    if (rule.kind() == Rules.Kind.ANY) {
      return;
    }
    if (ours instanceof ObjectNode left && kafkas instanceof ObjectNode right) {
      object(path + ".", left, right);
    } else if (ours != null && ours.isArray() && kafkas != null && kafkas.isArray()) {
      if (rule.kind() == Rules.Kind.BY) {
        byKey(
            path, rule, keyed(ours, rule, pairs::translateWhole), keyed(kafkas, rule, key -> key));
      } else {
        array(path, ours, kafkas);
      }
    } else {
      scalar(path, rule, text(ours), text(kafkas));
    }
  }

  private static String text(JsonNode value) {
    return value == null ? "(absent)" : value.isContainerNode() ? value.toString() : value.asText();
  }

  private void object(String prefix, ObjectNode ours, ObjectNode kafkas) {
    Set<String> names = new LinkedHashSet<>();
    ours.fieldNames().forEachRemaining(names::add);
    kafkas.fieldNames().forEachRemaining(names::add);
    for (String name : names) {
      value(prefix + name, ours.get(name), kafkas.get(name));
    }
  }

  private void array(String path, JsonNode ours, JsonNode kafkas) {
    scalar(path + ".length", Rule.EXACT, "" + ours.size(), "" + kafkas.size());
    for (int i = 0; i < Math.min(ours.size(), kafkas.size()); i++) {
      value(path + "[" + i + "]", ours.get(i), kafkas.get(i));
    }
  }

  private void byKey(
      String path,
      Rule rule,
      Map<String, List<JsonNode>> ours,
      Map<String, List<JsonNode>> kafkas) {
    List<JsonNode> oursAlone = new ArrayList<>();
    List<JsonNode> kafkasAlone = new ArrayList<>();
    Set<String> keys = new LinkedHashSet<>(kafkas.keySet());
    keys.addAll(ours.keySet());
    for (String key : keys) {
      List<JsonNode> left = ours.getOrDefault(key, List.of());
      List<JsonNode> right = kafkas.getOrDefault(key, List.of());
      int both = Math.min(left.size(), right.size());
      for (int i = 0; i < both; i++) {
        value(path + "[" + key + "]", left.get(i), right.get(i));
      }
      oursAlone.addAll(left.subList(both, left.size()));
      kafkasAlone.addAll(right.subList(both, right.size()));
    }
    alone(path, rule, oursAlone, kafkasAlone);
  }

  /** Perhaps the key is an id that is new: then they are the same in their order. */
  private void alone(String path, Rule rule, List<JsonNode> ours, List<JsonNode> kafkas) {
    if (ours.size() == 1 && kafkas.size() == 1) {
      value(path + "[" + key(kafkas.get(0), rule) + "]", ours.get(0), kafkas.get(0));
      return;
    }
    ours.forEach(one -> value(path + "[" + key(one, rule) + "]", one, null));
    kafkas.forEach(one -> value(path + "[" + key(one, rule) + "]", null, one));
  }

  private static String key(JsonNode element, Rule rule) {
    return key(element, rule, text -> text);
  }

  private static String key(JsonNode element, Rule rule, UnaryOperator<String> translation) {
    StringBuilder key = new StringBuilder();
    for (String name : rule.argument().isEmpty() ? new String[0] : rule.argument().split(",")) {
      key.append(key.isEmpty() ? "" : ",").append(translation.apply(text(element.get(name))));
    }
    return key.isEmpty() ? element.toString() : key.toString();
  }

  /** A key of ours holds Kafka's ids where they are known. */
  private static Map<String, List<JsonNode>> keyed(
      JsonNode array, Rule rule, UnaryOperator<String> translation) {
    Map<String, List<JsonNode>> keyed = new TreeMap<>();
    for (JsonNode element : array) {
      keyed.computeIfAbsent(key(element, rule, translation), k -> new ArrayList<>()).add(element);
    }
    return keyed;
  }

  private void scalar(String path, Rule rule, String ours, String kafkas) {
    fields++;
    boolean same =
        switch (rule.kind()) {
          case ID ->
              UNSET.contains(ours) || UNSET.contains(kafkas)
                  ? ours.equals(kafkas)
                  : pairs.same(rule.argument(), ours, kafkas);
          case TIME -> ours.equals(kafkas) || isSameMoment(ours, kafkas);
          default -> ours.equals(kafkas) || pairs.translate(ours).equals(kafkas);
        };
    if (!same) {
      differences.accept(new Difference(script + name, where, api, version, path, ours, kafkas));
    }
  }

  private static boolean isSameMoment(String ours, String kafkas) {
    try {
      long left = Long.parseLong(ours);
      long right = Long.parseLong(kafkas);
      return left > LONG_AGO && Math.abs(left - right) < MOMENT_MS;
    } catch (NumberFormatException e) {
      return false;
    }
  }
}
