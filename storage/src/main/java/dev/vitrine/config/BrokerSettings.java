package dev.vitrine.config;

/** How a broker lives with the controller. All times in milliseconds. */
public record BrokerSettings(
    int heartbeatIntervalMs,
    int sessionTimeoutMs,
    int registrationTimeoutMs,
    boolean controlledShutdown,
    int requestTimeoutMs,
    long connectionSetupTimeoutMs) {

  static BrokerSettings of(ConfigValues v) {
    return new BrokerSettings(
        v.int32("broker.heartbeat.interval.ms"),
        v.int32("broker.session.timeout.ms"),
        v.int32("initial.broker.registration.timeout.ms"),
        v.bool("controlled.shutdown.enable"),
        v.int32("request.timeout.ms"),
        v.int64("socket.connection.setup.timeout.ms"));
  }
}
