package dev.vitrine.compat.clients;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The table of {@code docs/CLIENTS.md}: for people, and the one place that says what is expected of
 * whom. A cell is what comes with Apache Kafka and with Vitrine; where Vitrine is not there yet, it
 * says so in brackets.
 */
final class ExpectedTable {
  private static final Pattern CELL = Pattern.compile("(.*?)(?: \\(Vitrine: (.*)\\))?");
  private final List<String> steps = new ArrayList<>();
  private final Map<String, Map<String, String>> columns = new LinkedHashMap<>();

  private ExpectedTable(List<List<String>> rows, boolean isVitrine) {
    List<String> clients = rows.get(0);
    for (List<String> row : rows.subList(2, rows.size())) {
      steps.add(row.get(0));
      for (int i = 1; i < row.size(); i++) {
        Matcher cell = CELL.matcher(row.get(i));
        cell.matches();
        String text = isVitrine && cell.group(2) != null ? cell.group(2) : cell.group(1);
        columns.computeIfAbsent(clients.get(i), c -> new LinkedHashMap<>()).put(row.get(0), text);
      }
    }
  }

  static ExpectedTable read(Path document, boolean isVitrine) throws IOException {
    return new ExpectedTable(
        Files.readAllLines(document).stream()
            .filter(line -> line.startsWith("|"))
            .map(line -> Stream.of(line.substring(1).split("\\|")).map(String::strip).toList())
            .toList(),
        isVitrine);
  }

  List<String> steps() {
    return steps;
  }

  List<String> clients() {
    return List.copyOf(columns.keySet());
  }

  Map<String, String> column(String client) {
    return columns.get(client);
  }
}
