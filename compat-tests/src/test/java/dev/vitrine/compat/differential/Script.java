package dev.vitrine.compat.differential;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A script as its file says it. The language is told in HACKING.md: a statement a line, which goes
 * on while its braces are open, and indented options below it.
 *
 * @param loop the versions, as written, for each of which all steps are played; null for once
 * @param full not in a smoke
 */
record Script(String name, boolean full, String loop, List<Step> steps) {
  static final String DEFAULT_CONNECTION = "c";

  static Script read(Path file) throws IOException {
    String name = file.getFileName().toString().replace(".script", "");
    return new Reader(name, Files.readAllLines(file)).read();
  }

  /** Reads one file. */
  private static final class Reader {
    private final String name;
    private final List<String> lines;
    private int next;
    private boolean full;
    private String loop;

    Reader(String name, List<String> lines) {
      this.name = name;
      this.lines = lines;
    }

    Script read() {
      List<Step> steps = new ArrayList<>();
      while (skipBlank()) {
        int line = next + 1;
        try {
          Step step = statement(line, joined());
          if (step != null) {
            steps.add(step);
          }
        } catch (RuntimeException e) {
          throw new IllegalArgumentException(name + ":" + line + ": " + e.getMessage(), e);
        }
      }
      return new Script(name, full, loop, steps);
    }

    private boolean skipBlank() {
      while (next < lines.size()
          && (lines.get(next).isBlank() || lines.get(next).strip().startsWith("#"))) {
        next++;
      }
      return next < lines.size();
    }

    /** The line, and those after it while a brace or bracket is open. */
    private String joined() {
      StringBuilder text = new StringBuilder();
      int depth = 0;
      do {
        if (next == lines.size()) {
          throw new IllegalArgumentException("a brace is never closed");
        }
        String line = lines.get(next++);
        depth += depth(line);
        text.append(text.isEmpty() ? "" : "\n").append(line.strip());
      } while (depth > 0);
      return text.toString();
    }

    private static int depth(String line) {
      int depth = 0;
      char quote = 0;
      for (char c : line.toCharArray()) {
        if (quote != 0) {
          quote = c == quote ? 0 : quote;
        } else if (c == '\'' || c == '"') {
          quote = c;
        } else if (c == '{' || c == '[') {
          depth++;
        } else if (c == '}' || c == ']') {
          depth--;
        }
      }
      return depth;
    }

    private Step statement(int line, String text) {
      String[] words = text.split("\\s+", 4);
      switch (words[0]) {
        case "full":
          full = true;
          return null;
        case "for":
          loop = words[3];
          return null;
        case "let":
          return new Step.Let(line, words[1], text.substring(text.indexOf('=') + 1).strip());
        case "topic":
          return topic(line, text.split("\\s+"));
        case "group":
          return new Step.Group(line, words[1]);
        case "close":
          return new Step.Close(line, words.length > 1 ? words[1].substring(1) : "c");
        case "await":
          return new Step.Await(line, words[1].substring(1), options().captures());
        case "frame":
        case "bytes":
          return bytes(line, words[0].equals("frame"), text.substring(words[0].length()).strip());
        default:
          return request(line, words[0], text.substring(words[0].length()).strip());
      }
    }

    private static Step topic(int line, String[] words) {
      Map<String, String> configs = new LinkedHashMap<>();
      int partitions = 1;
      for (int i = 2; i < words.length; i++) {
        String[] pair = words[i].split("=", 2);
        if (pair.length == 1) {
          partitions = Integer.parseInt(pair[0]);
        } else {
          configs.put(pair[0], pair[1]);
        }
      }
      return new Step.Topic(line, words[1], partitions, configs);
    }

    /** {@code [@connection] HEX [-> API VERSION]}. */
    private static Step bytes(int line, boolean framed, String text) {
      String connection = DEFAULT_CONNECTION;
      String rest = text;
      if (rest.startsWith("@")) {
        String[] words = rest.split("\\s+", 2);
        connection = words[0].substring(1);
        rest = words.length > 1 ? words[1] : "";
      }
      String[] sides = rest.split("->");
      List<String> answer = sides.length > 1 ? List.of(sides[1].strip().split("\\s+")) : List.of();
      return new Step.Bytes(line, connection, framed, sides[0].strip(), answer);
    }

    /** {@code API VERSIONS [@connection] [BODY]}. */
    private Step request(int line, String api, String rest) {
      int brace = rest.indexOf('{');
      String[] words = (brace < 0 ? rest : rest.substring(0, brace)).strip().split("\\s+");
      if (words.length > 2 || words[0].isEmpty()) {
        throw new IllegalArgumentException("a request is API VERSIONS [@CONNECTION] {BODY}");
      }
      String connection = words.length > 1 ? words[1].substring(1) : DEFAULT_CONNECTION;
      ObjectNode body = (ObjectNode) Json.parse(brace < 0 ? "{}" : rest.substring(brace));
      return new Step.Request(line, api, words[0], connection, body, options());
    }

    private Step.Options options() {
      ObjectNode header = Json.READER.createObjectNode();
      Map<String, String> captures = new LinkedHashMap<>();
      Map<String, JsonNode> until = new LinkedHashMap<>();
      String closes = "";
      boolean silent = false;
      boolean later = false;
      String name = "";
      while (next < lines.size() && lines.get(next).startsWith(" ")) {
        if (lines.get(next).strip().startsWith("#")) {
          next++;
          continue;
        }
        String text = joined();
        String[] words = text.split("\\s+", 2);
        String rest = words.length > 1 ? words[1] : "";
        switch (words[0]) {
          case ">" -> put(rest, (key, value) -> captures.put(key, value));
          case "until" -> put(rest, (key, value) -> until.put(key, Json.parse(value)));
          case "closes" -> closes = rest.isEmpty() ? "all" : rest;
          case "silent" -> silent = true;
          case "later" -> later = true;
          case "named" -> name = rest;
          case "header" -> header = (ObjectNode) Json.parse(rest);
          default -> throw new IllegalArgumentException("no option " + words[0]);
        }
      }
      return new Step.Options(header, captures, until, closes, silent, later, name);
    }

    private static void put(String text, java.util.function.BiConsumer<String, String> to) {
      int equals = text.indexOf('=');
      to.accept(text.substring(0, equals).strip(), text.substring(equals + 1).strip());
    }
  }
}
