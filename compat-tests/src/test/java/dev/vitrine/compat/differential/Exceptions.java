package dev.vitrine.compat.differential;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/** The differences that there are, each with its reason: {@code exceptions.json}. One thread. */
final class Exceptions {
  private static final class Listed {
    private final JsonNode json;
    private int met;

    Listed(JsonNode json) {
      this.json = json;
      json.fieldNames()
          .forEachRemaining(
              name -> {
                if (!FIELDS.contains(name)) {
                  throw new IllegalArgumentException("no field " + name + " in " + json);
                }
              });
      if (json.path("because").asText().isBlank()) {
        throw new IllegalArgumentException("no reason: " + json);
      }
    }

    private boolean covers(String field, String value) {
      JsonNode pattern = json.get(field);
      return pattern == null || glob(pattern.asText()).matcher(value).matches();
    }

    /** Of a step of it, too. */
    boolean speaksOf(String script) {
      JsonNode pattern = json.get("script");
      return pattern == null
          || glob(pattern.asText().replaceFirst("#.*", "")).matcher(script).matches();
    }

    boolean covers(Difference d) {
      return covers("script", d.script())
          && covers("api", d.api())
          && covers("version", "" + d.version())
          && (covers("path", d.path()) || covers("path", d.anyPath()))
          && covers("ours", d.ours())
          && covers("kafkas", d.kafkas());
    }
  }

  private static final Set<String> FIELDS =
      Set.of("script", "api", "version", "path", "ours", "kafkas", "because");

  private final List<Listed> all = new ArrayList<>();

  static Exceptions read(Path file) throws IOException {
    Exceptions exceptions = new Exceptions();
    for (JsonNode json : Json.parse(Files.readString(file))) {
      exceptions.all.add(new Listed(json));
    }
    return exceptions;
  }

  private static Pattern glob(String text) {
    return Rules.glob(text);
  }

  /** Whether it is listed; it is then no more stale. */
  boolean covers(Difference difference) {
    for (Listed listed : all) {
      if (listed.covers(difference)) {
        listed.met++;
        return true;
      }
    }
    return false;
  }

  long met() {
    return all.stream().filter(l -> l.met > 0).count();
  }

  /** Those that did not occur, though every script that they speak of was played. */
  List<String> stale(Set<String> played, Set<String> scripts) {
    List<String> stale = new ArrayList<>();
    for (Listed listed : all) {
      boolean whole = scripts.stream().filter(listed::speaksOf).allMatch(played::contains);
      if (listed.met == 0 && whole) {
        stale.add(listed.json.toString());
      }
    }
    return stale;
  }
}
