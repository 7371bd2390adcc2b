package dev.vitrine.broker.api;

/** For whom a listener is: it decides which APIs it offers. */
public enum ListenerType {
  BROKER,
  CONTROLLER
}
