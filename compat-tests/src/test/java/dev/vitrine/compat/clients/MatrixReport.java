package dev.vitrine.compat.clients;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The matrix for people. */
final class MatrixReport {
  private MatrixReport() {}

  /** As {@code docs/CLIENTS.md} has it, and below it what lies behind the cells that are not ok. */
  static String of(String target, List<Step> steps, Map<String, Map<String, Cell>> columns) {
    List<String> head = new ArrayList<>(List.of("Step"));
    head.addAll(columns.keySet());
    List<List<String>> rows = new ArrayList<>(List.of(head));
    rows.add(head.stream().map(client -> "---").toList());
    for (Step step : steps) {
      List<String> row = new ArrayList<>(List.of(step.name()));
      columns.values().forEach(column -> row.add(column.get(step.name()).text()));
      rows.add(row);
    }
    return aligned(rows) + details(columns) + summary(target, columns);
  }

  private static String aligned(List<List<String>> rows) {
    StringBuilder text = new StringBuilder();
    int[] widths = new int[rows.get(0).size()];
    for (List<String> row : rows) {
      for (int i = 0; i < widths.length; i++) {
        widths[i] = Math.max(widths[i], row.get(i).length());
      }
    }
    for (List<String> row : rows) {
      for (int i = 0; i < widths.length; i++) {
        String padding = (row == rows.get(1) ? "-" : " ").repeat(widths[i] - row.get(i).length());
        text.append("| ").append(row.get(i)).append(padding).append(' ');
      }
      text.append("|\n");
    }
    return text.toString();
  }

  private static String details(Map<String, Map<String, Cell>> columns) {
    StringBuilder text = new StringBuilder();
    columns.forEach(
        (client, column) ->
            column.forEach(
                (step, cell) -> {
                  if (!cell.detail().isEmpty()) {
                    text.append("%s, %s: %s%n".formatted(client, step, cell.detail()));
                  }
                }));
    return text.toString();
  }

  private static String summary(String target, Map<String, Map<String, Cell>> columns) {
    Map<String, Integer> counts = new LinkedHashMap<>();
    List.of("ok", "refused", "not offered", "wrong").forEach(kind -> counts.put(kind, 0));
    columns
        .values()
        .forEach(
            column -> column.values().forEach(cell -> counts.merge(kind(cell), 1, Integer::sum)));
    return "clients: %s: %d clients: %s%n".formatted(target, columns.size(), counts);
  }

  private static String kind(Cell cell) {
    return switch (cell.text()) {
      case Cell.OK -> "ok";
      case Cell.NOT_OFFERED -> "not offered";
      case Cell.WRONG -> "wrong";
      default -> "refused";
    };
  }
}
