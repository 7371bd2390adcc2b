package dev.vitrine.compat.differential;

/**
 * Where the two answers are not the same. A value.
 *
 * @param where script, line and version, for who looks for it
 * @param path in the answer, with indices
 */
record Difference(
    String script, String where, String api, int version, String path, String ours, String kafkas) {
  private static final int LONGEST = 300;

  /** What exceptions name: any element of an array is {@code []}. */
  String anyPath() {
    return path.replaceAll("\\[[^\\]]*]", "[]");
  }

  /** The same in every version, so that it need be said only once. */
  String text() {
    return "%s %s %s: ours %s, Kafka's %s"
        .formatted(where, api, path, shortened(ours), shortened(kafkas));
  }

  private static String shortened(String value) {
    return value.length() <= LONGEST ? value : value.substring(0, LONGEST) + "…";
  }
}
