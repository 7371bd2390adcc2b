package dev.vitrine.broker.api;

import dev.vitrine.config.ConfigException;
import dev.vitrine.protocol.Errors;

/** Kafka's errors for a refused configuration. */
final class ConfigErrors {
  private ConfigErrors() {}

  static Errors of(ConfigException refusal) {
    return switch (refusal.kind()) {
      case INVALID_CONFIG -> Errors.INVALID_CONFIG;
      case INVALID_REQUEST -> Errors.INVALID_REQUEST;
      case INVALID_TOPIC -> Errors.INVALID_TOPIC_EXCEPTION;
    };
  }
}
