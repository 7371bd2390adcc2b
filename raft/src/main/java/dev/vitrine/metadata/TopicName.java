package dev.vitrine.metadata;

/** What a topic may be called. Stateless. */
public final class TopicName {
  private static final int MAX_LENGTH = 249;

  private TopicName() {}

  /** Kafka's text for INVALID_TOPIC_EXCEPTION, or null if a topic may have this name. */
  public static String problem(String name) {
    if (name.isEmpty()) {
      return invalid("the empty string is not allowed");
    }
    if (name.equals(".") || name.equals("..")) {
      return invalid("'" + name + "' is not allowed");
    }
    if (name.length() > MAX_LENGTH) {
      return invalid(
          "the length of '" + name + "' is longer than the max allowed length " + MAX_LENGTH);
    }
    for (int i = 0; i < name.length(); i++) {
      if (!allowed(name.charAt(i))) {
        return invalid(
            "'"
                + name
                + "' contains one or more characters other than ASCII alphanumerics, '.', '_' and"
                + " '-'");
      }
    }
    return null;
  }

  private static boolean allowed(char c) {
    return c >= 'a' && c <= 'z'
        || c >= 'A' && c <= 'Z'
        || c >= '0' && c <= '9'
        || c == '.'
        || c == '_'
        || c == '-';
  }

  private static String invalid(String why) {
    return "Topic name is invalid: " + why;
  }
}
