package dev.vitrine.config;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.slf4j.Logger;

/**
 * A node's configuration: {@code server.properties}, validated as Kafka validates it, and below
 * {@linkplain #withDynamic dynamic broker configuration} if there is any. Typed values are found by
 * subject, such as {@code config.quorum().electionTimeoutMs()}. Immutable, so any thread may read
 * it; a change is a new one.
 */
public final class KafkaConfig {
  private final DynamicLayers layers;
  private final ConfigValues values;
  private final NodeSettings node;
  private final ListenerSettings listeners;
  private final QuorumSettings quorum;
  private final LogSettings logs;
  private final BrokerSettings broker;
  private final SocketSettings sockets;
  private final ConnectionSettings connections;
  private final TopicDefaults topics;
  private final ReplicationSettings replication;
  private final QuotaSettings quotas;
  private final GroupSettings groups;
  private final TransactionSettings transactions;
  private final TelemetrySettings telemetry;
  private final VitrineSettings vitrine;

  private KafkaConfig(DynamicLayers layers) {
    this.layers = layers;
    this.values = ConfigValues.parse(BrokerKeys.ALL, layers.merged());
    this.node = NodeSettings.of(values);
    this.listeners = ListenerSettings.of(values);
    this.quorum = QuorumSettings.of(values);
    this.logs = LogSettings.of(values);
    this.broker = BrokerSettings.of(values);
    this.sockets = SocketSettings.of(values);
    this.connections = ConnectionSettings.of(values, layers.merged(), listeners.all());
    this.topics = TopicDefaults.of(values);
    this.replication = ReplicationSettings.of(values);
    this.quotas = QuotaSettings.of(values);
    this.groups = GroupSettings.of(values);
    this.transactions = TransactionSettings.of(values);
    this.telemetry = TelemetrySettings.of(values);
    this.vitrine = VitrineSettings.of(values);
    CrossChecks.check(this);
  }

  /**
   * @param properties of {@code server.properties}, usually a {@link java.util.Properties}
   * @throws ConfigException naming key and value, if the node can't run with it
   */
  public static KafkaConfig parse(Map<?, ?> properties) {
    Map<String, String> texts = new TreeMap<>();
    properties.forEach((key, value) -> texts.put(String.valueOf(key), String.valueOf(value)));
    return new KafkaConfig(new DynamicLayers(Map.of(), Map.of(), withNodeId(texts)));
  }

  /**
   * This configuration with what was set while brokers run on top of it.
   *
   * @param ofThisBroker what was set for this broker
   * @param ofAllBrokers what was set as the default of all brokers
   * @throws ConfigException if they don't go together; the caller keeps what it had
   */
  public KafkaConfig withDynamic(
      Map<String, String> ofThisBroker, Map<String, String> ofAllBrokers) {
    return new KafkaConfig(
        new DynamicLayers(
            new TreeMap<>(ofThisBroker), new TreeMap<>(ofAllBrokers), layers.fromFile()));
  }

  /** Kafka takes the older {@code broker.id} for {@code node.id}, and either for both. */
  private static Map<String, String> withNodeId(Map<String, String> texts) {
    String nodeId = texts.get("node.id");
    String brokerId = texts.get("broker.id");
    if (nodeId == null && brokerId != null) {
      texts.put("node.id", brokerId);
    } else if (nodeId != null && brokerId == null) {
      texts.put("broker.id", nodeId);
    }
    return texts;
  }

  public NodeSettings node() {
    return node;
  }

  public ListenerSettings listeners() {
    return listeners;
  }

  public QuorumSettings quorum() {
    return quorum;
  }

  public LogSettings logs() {
    return logs;
  }

  public BrokerSettings broker() {
    return broker;
  }

  public SocketSettings sockets() {
    return sockets;
  }

  public ConnectionSettings connections() {
    return connections;
  }

  public TopicDefaults topics() {
    return topics;
  }

  public ReplicationSettings replication() {
    return replication;
  }

  public QuotaSettings quotas() {
    return quotas;
  }

  public GroupSettings groups() {
    return groups;
  }

  public TransactionSettings transactions() {
    return transactions;
  }

  public TelemetrySettings telemetry() {
    return telemetry;
  }

  public VitrineSettings vitrine() {
    return vitrine;
  }

  ConfigValues values() {
    return values;
  }

  DynamicLayers layers() {
    return layers;
  }

  /** One line for each thing that was written in {@code server.properties} in vain. */
  public List<String> warnings() {
    List<String> lines = new ArrayList<>();
    List<String> inVain = new ArrayList<>();
    for (String name : layers.fromFile().keySet()) {
      ConfigKey key = BrokerKeys.STATIC.key(name);
      if (key == null && !isPluginKey(name)) {
        lines.add("Unknown configuration key " + name + ": it has no effect");
      } else if (key == null ? !BrokerConfigs.isLimitOfListener(name) : !key.hasEffect()) {
        inVain.add(name);
      }
    }
    if (!inVain.isEmpty()) {
      lines.add("These configuration keys have no effect in Vitrine yet: " + inVain);
    }
    lines.addAll(CrossChecks.warnings(this));
    return Collections.unmodifiableList(lines);
  }

  public void logWarnings(Logger log) {
    warnings().forEach(log::warn);
  }

  /** Keys that Kafka hands to a listener or to a class that was plugged in. */
  private static boolean isPluginKey(String name) {
    return name.startsWith("listener.name.")
        || name.startsWith("rsm.config.")
        || name.startsWith("rlmm.config.");
  }
}
