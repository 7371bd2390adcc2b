package dev.vitrine.broker;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A document in {@code docs} whose tables are made from the code, and the rest by hand. With {@code
 * -Dwrite.docs} the tables are written, else they must be as they would be written.
 */
public final class GeneratedDocument {
  private final Path file;
  private final List<String> lines;

  public GeneratedDocument(String name) throws IOException {
    this.file = Path.of("..", "docs", name);
    this.lines = new ArrayList<>(Files.readAllLines(file));
  }

  /** Puts the rows into the first table of the section, below its heading and its rule. */
  public void table(String section, List<String> rows) {
    int from = indexOf(section);
    while (!lines.get(from).startsWith("| ---")) {
      from++;
    }
    int to = from + 1;
    while (to < lines.size() && lines.get(to).startsWith("|")) {
      to++;
    }
    List<String> table = lines.subList(from + 1, to);
    table.clear();
    table.addAll(rows);
  }

  /** Replaces what matches at the begin of the section's first line that does. */
  public void line(String section, String pattern, String by) {
    int at = indexOf(section);
    while (!lines.get(at).matches(pattern + ".*")) {
      at++;
    }
    lines.set(at, lines.get(at).replaceFirst(pattern, by));
  }

  private int indexOf(String section) {
    int at = lines.indexOf(section);
    if (at < 0) {
      throw new AssertionError(file + " has no section " + section);
    }
    return at;
  }

  public void writeOrCheck() throws IOException {
    String wanted = String.join("\n", lines) + "\n";
    if (System.getProperty("write.docs") != null) {
      Files.writeString(file, wanted);
    }
    assertEquals(
        wanted,
        Files.readString(file),
        file.getFileName()
            + " is made from the code: `mvn -pl broker test -Dtest=*DocumentTest -Dwrite.docs`"
            + " writes it anew");
  }
}
