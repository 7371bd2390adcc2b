package dev.vitrine.tools;

import java.io.IOException;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;

/** Reads and writes {@code server.properties} files; keeps what a user wrote into them by hand. */
final class Configuration {
  private Configuration() {}

  /**
   * @throws CommandFailure naming the file, if it isn't there or isn't a properties file
   */
  static Properties read(Path file) {
    Properties properties = new Properties();
    try (Reader in = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
      properties.load(in);
    } catch (NoSuchFileException e) {
      throw CommandFailure.failed("%s is missing", file);
    } catch (IOException | IllegalArgumentException e) {
      throw CommandFailure.failed("%s can't be read: %s", file, e.getMessage());
    }
    return properties;
  }

  static void write(Path file, Map<String, String> keys) throws IOException {
    List<String> lines = new ArrayList<>();
    lines.add("# Written by `vitrine up`, once: it keeps what you change here. Kafka's own keys.");
    keys.forEach((key, value) -> lines.add(line(key, value)));
    replace(file, lines);
  }

  /** Sets these keys, each in its place if the file has it, and else at the end. */
  static void set(Path file, Map<String, String> keys) throws IOException {
    Map<String, String> left = new LinkedHashMap<>(keys);
    List<String> lines = new ArrayList<>();
    for (String line : Files.readAllLines(file, StandardCharsets.UTF_8)) {
      String key = keyOf(line);
      if (key == null || !keys.containsKey(key)) {
        lines.add(line);
      } else if (left.containsKey(key)) {
        lines.add(line(key, left.remove(key)));
      }
    }
    left.forEach((key, value) -> lines.add(line(key, value)));
    replace(file, lines);
  }

  private static String keyOf(String line) {
    String text = line.strip();
    int equals = text.indexOf('=');
    return equals < 0 || text.startsWith("#") ? null : text.substring(0, equals).strip();
  }

  private static String line(String key, String value) {
    String escaped = value.replace("\\", "\\\\").replace("\n", "\\n");
    return key + "=" + (escaped.startsWith(" ") ? "\\" + escaped : escaped);
  }

  private static void replace(Path file, List<String> lines) throws IOException {
    Path fresh = file.resolveSibling(file.getFileName() + ".new");
    Files.write(fresh, lines, StandardCharsets.UTF_8);
    Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
  }
}
