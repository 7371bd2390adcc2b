package dev.vitrine.compat.clients;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * A record that clients write and read, and its form in commands and answers: key, value, headers
 * and timestamp with tabs between them; {@value #NONE} for a key or a value that isn't there.
 *
 * @param number is its first header, {@code n}; the second, {@code e}, is empty
 */
record Sample(String key, String value, int number, long timestamp) {
  static final int COUNT = 40;
  static final long FIRST_TIMESTAMP = 1_700_000_000_000L;
  static final String NONE = "~";

  /**
   * The same for all clients: some without a key, some without a value, none without both, which
   * not every client writes; and of sizes that codecs have something to do with.
   */
  static List<Sample> of(String name) {
    return of(name, COUNT);
  }

  static List<Sample> of(String name, int count) {
    return IntStream.range(0, count)
        .mapToObj(
            i ->
                new Sample(
                    i % 7 == 3 ? null : "kéy-" + i,
                    i % 11 == 5 && i % 7 != 3
                        ? null
                        : (name + " välue " + i + " ").repeat(1 + i % 20),
                    i,
                    FIRST_TIMESTAMP + i))
        .toList();
  }

  String line() {
    return String.join(
        "\t", text(key), text(value), "n=" + number + ";e=", String.valueOf(timestamp));
  }

  static String lines(List<Sample> samples) {
    return samples.stream().map(sample -> sample.line() + "\n").collect(Collectors.joining());
  }

  private static String text(String value) {
    return value == null ? NONE : value;
  }

  /**
   * What is wrong with these lines; empty if they are the samples.
   *
   * @param whole without, headers and timestamps are not looked at
   */
  static String difference(List<Sample> expected, List<String> lines, boolean whole) {
    List<String> wanted = new ArrayList<>();
    List<String> given = new ArrayList<>();
    expected.forEach(sample -> wanted.add(whole ? sample.line() : keyAndValue(sample.line())));
    lines.forEach(line -> given.add(whole ? line : keyAndValue(line)));
    if (given.equals(wanted)) {
      return "";
    }
    int i = 0;
    while (i < given.size() && i < wanted.size() && given.get(i).equals(wanted.get(i))) {
      i++;
    }
    return "record %d of %d is <%s> instead of <%s> of %d"
        .formatted(i, given.size(), at(given, i), at(wanted, i), wanted.size());
  }

  private static String at(List<String> lines, int i) {
    return i < lines.size() ? lines.get(i) : "not there";
  }

  private static String keyAndValue(String line) {
    String[] parts = line.split("\t");
    return parts[0] + "\t" + parts[1];
  }
}
