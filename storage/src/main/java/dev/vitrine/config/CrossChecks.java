package dev.vitrine.config;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * What Kafka checks of several keys of {@code server.properties} together, and what Vitrine refuses
 * because it would silently not do what was asked.
 */
final class CrossChecks {
  /** Classes that would guard something: to pass them over would leave a door open. */
  private static final List<String> PLUGINS =
      List.of(
          "authorizer.class.name",
          "create.topic.policy.class.name",
          "alter.config.policy.class.name",
          "client.quota.callback.class",
          "config.providers");

  private CrossChecks() {}

  static void check(KafkaConfig config) {
    ConfigValues v = config.values();
    ConfigException.require(
        v.int32("node.id") == v.int32("broker.id"),
        "`node.id` and `broker.id` must be set to the same value. `broker.id` is deprecated,"
            + " please use `node.id` instead.");
    checkQuorum(config);
    if (config.node().isController()) {
      checkControllerListeners(config.listeners(), config.node().isBroker());
    } else {
      ConfigException.require(
          config.listeners().controllers().isEmpty(),
          "controller.listener.names must not contain a value appearing in the 'listeners'"
              + " configuration when running KRaft with just the broker role");
    }
    if (config.node().isBroker()) {
      checkBrokerListeners(config.listeners());
    }
    checkLogs(config);
    checkReplication(config.replication());
    checkConnections(v);
    GroupBounds.check(v);
    checkOnlyWhatWeDo(config);
  }

  private static void checkQuorum(KafkaConfig config) {
    Set<Integer> voters = config.quorum().voters().keySet();
    ConfigException.require(
        !voters.isEmpty() || !config.quorum().bootstrapServers().isEmpty(),
        "If using process.roles, either controller.quorum.bootstrap.servers must contain the set"
            + " of bootstrap controllers or controller.quorum.voters must contain a parseable set"
            + " of controllers.");
    ConfigException.require(
        !config.quorum().autoJoin() || config.node().isController(),
        "controller.quorum.auto.join.enable is only supported when process.roles contains the"
            + " 'controller' role.");
    int nodeId = config.node().nodeId();
    String listed = "controller.quorum.voters=" + voters;
    if (!config.node().isController()) {
      ConfigException.require(
          !voters.contains(nodeId),
          "If process.roles contains just the 'broker' role, the node id "
              + nodeId
              + " must not be included in the set of voters "
              + listed);
    } else if (!voters.isEmpty()) {
      ConfigException.require(
          voters.contains(nodeId),
          "If process.roles contains the 'controller' role, the node id "
              + nodeId
              + " must be included in the set of voters "
              + listed);
    }
  }

  private static void checkControllerListeners(ListenerSettings listeners, boolean isBroker) {
    List<String> listening = listeners.all().stream().map(Listener::name).toList();
    if (!isBroker) {
      ConfigException.require(
          listeners.brokers().isEmpty(),
          "The listeners config must only contain KRaft controller listeners from"
              + " controller.listener.names when process.roles=controller");
    }
    ConfigException.require(
        !listeners.controllers().isEmpty(),
        "controller.listener.names must contain at least one value appearing in the 'listeners'"
            + " configuration when running the KRaft controller role");
    ConfigException.require(
        listening.containsAll(listeners.controllerNames()),
        "controller.listener.names must only contain values appearing in the 'listeners'"
            + " configuration when running the KRaft controller role");
  }

  private static void checkBrokerListeners(ListenerSettings listeners) {
    List<String> names = listeners.advertisedBrokers().stream().map(Listener::name).toList();
    ConfigException.require(
        !names.isEmpty(),
        "There must be at least one broker advertised listener. Perhaps all listeners appear in"
            + " controller.listener.names?");
    for (Listener listener : listeners.advertisedBrokers()) {
      ConfigException.require(
          !listener.host().equals("0.0.0.0"),
          "advertised.listeners cannot use the nonroutable meta-address 0.0.0.0. Use a routable IP"
              + " address.");
    }
    List<String> listening = listeners.all().stream().map(Listener::name).toList();
    for (String name : names) {
      ConfigException.require(
          listening.contains(name),
          "advertised.listeners listener names must be equal to or a subset of the ones defined in"
              + " listeners. Found "
              + String.join(",", names)
              + ". The valid options based on the current configuration are "
              + String.join(",", listening));
    }
    ConfigException.require(
        names.contains(listeners.interBroker()),
        "inter.broker.listener.name must be a listener name defined in advertised.listeners. The"
            + " valid options based on currently configured listeners are "
            + String.join(",", names));
  }

  private static void checkLogs(KafkaConfig config) {
    ConfigValues v = config.values();
    ConfigException.require(
        v.firstOf("log.roll.ms", null, "log.roll.hours") >= 1,
        "log.roll.ms must be greater than or equal to 1");
    ConfigException.require(
        v.firstOf("log.roll.jitter.ms", null, "log.roll.jitter.hours") >= 0,
        "log.roll.jitter.ms must be greater than or equal to 0");
    ConfigException.require(
        v.firstOf("log.retention.ms", "log.retention.minutes", "log.retention.hours") != 0,
        "log.retention.ms must be unlimited (-1) or, greater than or equal to 1");
    int cleaners = Math.max(1, v.int32("log.cleaner.threads"));
    ConfigException.require(
        v.int64("log.cleaner.dedupe.buffer.size") / cleaners > 1024 * 1024,
        "log.cleaner.dedupe.buffer.size must be at least 1MB per cleaner thread.");
    List<String> missing = new ArrayList<>(v.list("cordoned.log.dirs"));
    missing.removeAll(config.node().logDirs());
    ConfigException.require(
        missing.isEmpty() || missing.equals(List.of("*")),
        "All entries in cordoned.log.dirs must be present in log.dirs or log.dir. Missing entries"
            + " : "
            + String.join(", ", missing));
    int codec = v.int32("offsets.topic.compression.codec");
    ConfigException.require(codec >= 0 && codec <= 4, "Unknown compression type id: " + codec);
  }

  private static void checkReplication(ReplicationSettings replication) {
    int wait = replication.fetching().waitMaxMs();
    ConfigException.require(
        wait <= replication.fetching().socketTimeoutMs(),
        "replica.socket.timeout.ms should always be at least replica.fetch.wait.max.ms to prevent"
            + " unnecessary socket timeouts");
    ConfigException.require(
        wait <= replication.lagTimeMaxMs(),
        "replica.fetch.wait.max.ms should always be less than or equal to replica.lag.time.max.ms"
            + " to prevent frequent changes in ISR");
  }

  private static void checkConnections(ConfigValues v) {
    String overrides = v.string("max.connections.per.ip.overrides");
    if (v.int32("max.connections.per.ip") == 0) {
      ConfigException.require(
          !overrides.isEmpty(),
          "max.connections.per.ip can be set to zero only if max.connections.per.ip.overrides"
              + " property is set.");
    }
    if (!overrides.isEmpty()) {
      for (String entry : overrides.split("\\s*,\\s*")) {
        checkOverride(entry);
      }
    }
    long queued = v.int64("queued.max.request.bytes");
    ConfigException.require(
        queued <= 0 || queued >= v.int32("socket.request.max.bytes"),
        "queued.max.request.bytes must be larger or equal to socket.request.max.bytes");
  }

  private static void checkOverride(String entry) {
    int colon = entry.lastIndexOf(':');
    String why = null;
    if (colon < 0) {
      why = "begin 0, end -1, length " + entry.length();
    } else if (!entry.substring(colon + 1).trim().matches("-?[0-9]{1,10}")) {
      why = "For input string: \"" + entry.substring(colon + 1).trim() + "\"";
    }
    if (why != null) {
      throw new ConfigException(
          "Error parsing configuration property 'max.connections.per.ip.overrides': " + why);
    }
  }

  private static void checkOnlyWhatWeDo(KafkaConfig config) {
    ConfigValues v = config.values();
    for (Listener listener : config.listeners().all()) {
      ConfigException.require(
          listener.protocol() == SecurityProtocol.PLAINTEXT,
          "Listener "
              + listener
              + " asks for "
              + listener.protocol()
              + " (listener.security.protocol.map), but Vitrine speaks only PLAINTEXT yet.");
    }
    for (String name : PLUGINS) {
      Object value = v.get(name);
      boolean none = value == null || value.equals("") || value.equals(List.of());
      ConfigException.require(
          none, name + "=" + value + " names a class, but Vitrine can't run Kafka's plug-ins.");
    }
    String selector = v.string("replica.selector.class");
    ConfigException.require(
        selector == null || selector.isEmpty() || selector.equals(ReplicationSettings.RACK_AWARE),
        "replica.selector.class="
            + selector
            + " names a class, but Vitrine can't run Kafka's plug-ins. It has what "
            + ReplicationSettings.RACK_AWARE
            + " does; without the key consumers fetch from the leader.");
    ConfigException.require(
        !v.bool("remote.log.storage.system.enable"),
        "remote.log.storage.system.enable=true, but Vitrine has no tiered storage.");
    ConfigException.require(
        v.get("principal.builder.class")
            .equals(BrokerKeys.STATIC.key("principal.builder.class").defaultValue()),
        "principal.builder.class="
            + v.get("principal.builder.class")
            + " names a class, but Vitrine can't run Kafka's plug-ins.");
  }

  /** What Kafka complains of but lives with. */
  static List<String> warnings(KafkaConfig config) {
    List<String> lines = new ArrayList<>();
    BrokerSettings broker = config.broker();
    if (broker.heartbeatIntervalMs() * 2L > broker.sessionTimeoutMs()) {
      lines.add(
          "broker.heartbeat.interval.ms ("
              + broker.heartbeatIntervalMs()
              + " ms) is more than half of broker.session.timeout.ms ("
              + broker.sessionTimeoutMs()
              + " ms): one late heartbeat fences this broker");
    }
    if (config.vitrine().truncateToHighWatermark()) {
      lines.add(
          "vitrine.truncation=high-watermark: followers truncate as before Kafka 0.11. This loses"
              + " acknowledged records, on purpose");
    }
    return lines;
  }
}
