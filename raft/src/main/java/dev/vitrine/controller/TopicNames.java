package dev.vitrine.controller;

import dev.vitrine.metadata.MetadataImage;
import dev.vitrine.metadata.TopicImage;
import dev.vitrine.metadata.TopicName;
import dev.vitrine.protocol.Errors;

/** What a topic may be called. Stateless. */
final class TopicNames {
  private TopicNames() {}

  /**
   * @throws ControllerException INVALID_TOPIC_EXCEPTION
   */
  static void check(String name) {
    String problem = TopicName.problem(name);
    if (problem != null) {
      throw new ControllerException(Errors.INVALID_TOPIC_EXCEPTION, problem);
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
}
