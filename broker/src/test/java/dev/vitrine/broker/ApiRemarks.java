package dev.vitrine.broker;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** What {@code src/docs/api-remarks.txt} says of the APIs of one kind of listener. */
final class ApiRemarks {
  private record Remark(String text, boolean notOffered) {}

  private final String listeners;
  private final TreeMap<String, Remark> remarks = new TreeMap<>();
  private final Set<String> unread;

  ApiRemarks(String listeners) throws IOException {
    this.listeners = listeners;
    boolean ours = false;
    for (String line : Files.readAllLines(Path.of("src", "docs", "api-remarks.txt"))) {
      if (line.startsWith("[")) {
        ours = line.equals("[" + listeners + "]");
      } else if (ours && !line.isBlank() && !line.startsWith("#")) {
        read(line);
      }
    }
    unread = new TreeSet<>(remarks.keySet());
  }

  private void read(String line) {
    boolean notOffered = line.startsWith("- ");
    String[] parts = line.substring(notOffered ? 2 : 0).split(": ", 2);
    if (parts.length < 2 || parts[1].contains("|")) {
      throw new AssertionError("not a remark: " + line);
    }
    if (remarks.put(parts[0], new Remark(parts[1], notOffered)) != null) {
      throw new AssertionError("two remarks on " + parts[0]);
    }
  }

  /**
   * Empty if there is nothing to say, which only is so of an API that is served as Kafka does.
   *
   * @param offered whether there are any versions of it
   * @param whole whether there are all that Kafka has
   */
  String on(String api, boolean offered, boolean whole) {
    unread.remove(api);
    Remark remark = remarks.get(api);
    if (remark == null && !whole) {
      throw new AssertionError("no remark says why not all of " + api + " is there");
    }
    if (remark != null && remark.notOffered == offered) {
      throw new AssertionError(
          api + " is " + (offered ? "" : "not ") + "offered to " + listeners + ": " + remark.text);
    }
    return remark == null ? "" : remark.text;
  }

  void requireAllRead() {
    if (!unread.isEmpty()) {
      throw new AssertionError("remarks on what is no API of " + listeners + ": " + unread);
    }
  }
}
