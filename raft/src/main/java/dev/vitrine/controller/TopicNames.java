package dev.vitrine.controller;

import dev.vitrine.metadata.MetadataImage;
import dev.vitrine.metadata.TopicImage;
import dev.vitrine.protocol.Errors;

/** What a topic may be called. Stateless. */
public final class TopicNames {
  private static final int MAX_LENGTH = 249;

  private TopicNames() {}

  public static boolean isValid(String name) {
    try {
      check(name);
      return true;
    } catch (ControllerException e) {
      return false;
    }
  }

  /**
   * @throws ControllerException INVALID_TOPIC_EXCEPTION
   */
  static void check(String name) {
    if (name.isEmpty()) {
      throw invalid("the empty string is not allowed");
    }
    if (name.equals(".") || name.equals("..")) {
      throw invalid("'" + name + "' is not allowed");
    }
    if (name.length() > MAX_LENGTH) {
      throw invalid(
          "the length of '" + name + "' is longer than the max allowed length " + MAX_LENGTH);
    }
    for (int i = 0; i < name.length(); i++) {
      if (!allowed(name.charAt(i))) {
        throw invalid(
            "'"
                + name
                + "' contains one or more characters other than ASCII alphanumerics, '.', '_' and"
                + " '-'");
      }
    }
  }

  /**
   * Metric names turn '.' into '_': two topics that differ in nothing else may not be.
   *
   * @throws ControllerException INVALID_TOPIC_EXCEPTION naming the other topic
   */
  static void checkCollision(MetadataImage image, String name) {
    if (name.indexOf('.') < 0 && name.indexOf('_') < 0) {
      return;
    }
    String unified = name.replace('.', '_');
    for (TopicImage other : image.topics().all()) {
      if (other.name().length() == name.length()
          && !other.name().equals(name)
          && other.name().replace('.', '_').equals(unified)) {
        throw new ControllerException(
            Errors.INVALID_TOPIC_EXCEPTION,
            "Topic '" + name + "' collides with existing topic: " + other.name());
      }
    }
  }

  private static boolean allowed(char c) {
    return c >= 'a' && c <= 'z'
        || c >= 'A' && c <= 'Z'
        || c >= '0' && c <= '9'
        || c == '.'
        || c == '_'
        || c == '-';
  }

  private static ControllerException invalid(String why) {
    return new ControllerException(Errors.INVALID_TOPIC_EXCEPTION, "Topic name is invalid: " + why);
  }
}
