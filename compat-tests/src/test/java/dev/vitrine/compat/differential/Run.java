package dev.vitrine.compat.differential;

import dev.vitrine.compat.Target;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/** Scripts, played one after another on the same two clusters. Used by one thread. */
final class Run {
  private static final boolean PROGRESS = Boolean.getBoolean("progress");

  private final Path folder;
  private final Rules rules;
  private final Exceptions exceptions;
  private final Pairs pairs = new Pairs();
  private final Set<String> played = new LinkedHashSet<>();
  private final List<String> broken = new ArrayList<>();
  private final Map<String, Set<Integer>> differences = new LinkedHashMap<>();
  private int requests;
  private long fields;

  Run(Path folder) throws Exception {
    this.folder = folder;
    this.rules = Rules.read(folder.resolve("rules.txt"));
    this.exceptions = Exceptions.read(folder.resolve("exceptions.json"));
  }

  /** In the order of their names. */
  List<Script> scripts() throws Exception {
    List<Script> scripts = new ArrayList<>();
    try (Stream<Path> files = Files.list(folder)) {
      for (Path file : files.filter(f -> f.toString().endsWith(".script")).sorted().toList()) {
        scripts.add(Script.read(file));
      }
    }
    return scripts;
  }

  /** Its differences are remembered, or what kept it from being played to its end. */
  void play(Script script, Side ours, Side kafkas) throws Exception {
    knowNodes(ours, kafkas);
    Comparison comparison = new Comparison(rules, pairs, script.name(), this::found);
    Player player = new Player(script, ours, kafkas, comparison);
    try {
      player.play();
    } catch (IllegalArgumentException e) {
      broken.add("not played to its end: " + e.getMessage());
    } finally {
      ours.closeConnections();
      kafkas.closeConnections();
    }
    played.add(script.name());
    if (PROGRESS) {
      System.out.println(script.name() + ": " + player.requests() + " requests");
    }
    requests += player.requests();
    fields += comparison.fields();
  }

  /** What a node's configuration and messages say of where it is. */
  private void knowNodes(Side ours, Side kafkas) {
    for (int id : ours.cluster.nodes()) {
      pairs.same("path", "" + ours.cluster.logDir(id), "" + kafkas.cluster.logDir(id));
      pairs.same(
          "address",
          ours.cluster.host(id) + ":" + ours.cluster.clientPort(id),
          kafkas.cluster.host(id) + ":" + kafkas.cluster.clientPort(id));
      pairs.same(
          "address",
          ours.cluster.host(id) + ":" + ours.cluster.controllerPort(id),
          kafkas.cluster.host(id) + ":" + kafkas.cluster.controllerPort(id));
    }
  }

  private void found(Difference difference) {
    if (!exceptions.covers(difference)) {
      if (PROGRESS && !differences.containsKey(difference.text())) {
        System.out.println(difference.text());
      }
      differences
          .computeIfAbsent(difference.text(), text -> new TreeSet<>())
          .add(difference.version());
    }
  }

  /** What is wrong: differences that are not listed, and listed ones that are not there. */
  List<String> failures() throws Exception {
    List<String> all = new ArrayList<>(broken);
    differences.forEach((text, versions) -> all.add(text + " in " + versions));
    Set<String> names = new TreeSet<>();
    scripts().forEach(s -> names.add(s.name()));
    if (Target.isVitrine()) {
      // Kafka is no exception to itself.
      exceptions.stale(played, names).forEach(s -> all.add("no longer so: " + s));
    }
    return all;
  }

  @Override
  public String toString() {
    String result = differences.isEmpty() ? "all equal" : differences.size() + " DIFFERENCES";
    return "differential: %d scripts, %d requests, %d compared fields: %s but %d exceptions (listed)"
        .formatted(played.size(), requests, fields, result, exceptions.met());
  }
}
