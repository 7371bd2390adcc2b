package dev.vitrine.tools.kafka;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * One of Apache Kafka's command line tools: its class, and how it is told where the cluster is. A
 * value; it runs nothing.
 *
 * @param mainClass the class that Kafka's own script of the same name runs
 * @param bootstrap how it takes the cluster's address
 */
public record Tool(String mainClass, Bootstrap bootstrap) {
  /** How a tool takes the cluster's address. */
  public enum Bootstrap {
    /** {@code --bootstrap-server}, before all else, since what follows a subcommand is its own. */
    OPTION,
    /** {@code --bootstrap-server}, and the tool needs nothing else. */
    OPTION_ALONE,
    /** {@code --bootstrap-server} as an option of the subcommand. */
    OPTION_OF_SUBCOMMAND,
    /** {@code --broker-list}, which the tools of old had. */
    BROKER_LIST,
    /** {@code --bootstrap-server}, or of old the first of arguments without names. */
    OPTION_OR_FIRST,
    /** It works on files, or on no broker. */
    NONE
  }

  private static final String TOOLS = "org.apache.kafka.tools.";
  private static final Map<String, Tool> ALL = new LinkedHashMap<>();
  private static final Map<String, String> ABSENT = new LinkedHashMap<>();

  static {
    option("kafka-acls", "AclCommand");
    add("kafka-broker-api-versions", TOOLS + "BrokerApiVersionsCommand", Bootstrap.OPTION_ALONE);
    option("kafka-client-metrics", "ClientMetricsCommand");
    add("kafka-cluster", TOOLS + "ClusterTool", Bootstrap.OPTION_OF_SUBCOMMAND);
    option("kafka-configs", "ConfigCommand");
    option("kafka-console-consumer", "consumer.ConsoleConsumer");
    option("kafka-console-producer", "ConsoleProducer");
    option("kafka-console-share-consumer", "consumer.ConsoleShareConsumer");
    option("kafka-consumer-groups", "consumer.group.ConsumerGroupCommand");
    option("kafka-consumer-perf-test", "ConsumerPerformance");
    option("kafka-delegation-tokens", "DelegationTokenCommand");
    option("kafka-delete-records", "DeleteRecordsCommand");
    add("kafka-dump-log", TOOLS + "DumpLogSegments", Bootstrap.NONE);
    add("kafka-e2e-latency", TOOLS + "EndToEndLatency", Bootstrap.OPTION_OR_FIRST);
    option("kafka-features", "FeatureCommand");
    add("kafka-get-offsets", TOOLS + "GetOffsetShell", Bootstrap.OPTION_ALONE);
    option("kafka-groups", "GroupsCommand");
    add("kafka-jmx", TOOLS + "JmxTool", Bootstrap.NONE);
    option("kafka-leader-election", "LeaderElectionCommand");
    option("kafka-log-dirs", "LogDirsCommand");
    option("kafka-metadata-quorum", "MetadataQuorumCommand");
    option("kafka-producer-perf-test", "ProducerPerformance");
    option("kafka-reassign-partitions", "reassign.ReassignPartitionsCommand");
    add("kafka-replica-verification", TOOLS + "ReplicaVerificationTool", Bootstrap.BROKER_LIST);
    option("kafka-share-consumer-perf-test", "ShareConsumerPerformance");
    option("kafka-share-groups", "consumer.group.ShareGroupCommand");
    add("kafka-storage", "kafka.tools.StorageTool", Bootstrap.NONE);
    option("kafka-streams-application-reset", "StreamsResetter");
    option("kafka-streams-groups", "streams.StreamsGroupCommand");
    option("kafka-topics", "TopicCommand");
    option("kafka-transactions", "TransactionsCommand");
    option("kafka-verifiable-consumer", "VerifiableConsumer");
    option("kafka-verifiable-producer", "VerifiableProducer");
    option("kafka-verifiable-share-consumer", "VerifiableShareConsumer");

    ABSENT.put(
        "kafka-metadata-shell",
        "its code is not published as a library, only in Apache Kafka's own download;"
            + " `vitrine kafka-dump-log --cluster-metadata-decoder --files FILE` prints"
            + " the metadata log and its snapshots");
    ABSENT.put(
        "kafka-server-start",
        "it starts Apache Kafka; `vitrine up` and `vitrine node` start Vitrine");
    ABSENT.put(
        "kafka-server-stop",
        "it stops Apache Kafka; `vitrine down` and `vitrine stop` stop Vitrine");
  }

  private static void option(String name, String simpleClass) {
    add(name, TOOLS + simpleClass, Bootstrap.OPTION);
  }

  private static void add(String name, String mainClass, Bootstrap bootstrap) {
    ALL.put(name, new Tool(mainClass, bootstrap));
  }

  /** Which of Kafka's scripts are not there, and why; kafka-run-class is {@link Launch}'s own. */
  static Map<String, String> absent() {
    return ABSENT;
  }

  /** All tools by the names of their scripts, in the order of the alphabet. */
  public static Map<String, Tool> all() {
    return ALL;
  }

  /** Whether these arguments lack the cluster's address, and the tool needs it. */
  public boolean needsBootstrap(List<String> args) {
    if (bootstrap == Bootstrap.NONE || asksForHelp(args)) {
      return false;
    }
    if (args.isEmpty()) {
      return bootstrap == Bootstrap.OPTION_ALONE; // the others then print what they take
    }
    if (isFirst(args)) {
      return !args.get(0).contains(":");
    }
    return args.stream().noneMatch(this::saysWhere);
  }

  private boolean isFirst(List<String> args) {
    return bootstrap == Bootstrap.OPTION_OR_FIRST && !args.get(0).startsWith("-");
  }

  private static boolean asksForHelp(List<String> args) {
    return args.stream().anyMatch(List.of("--help", "-h", "--version")::contains);
  }

  private boolean saysWhere(String arg) {
    return arg.startsWith("--bootstrap-")
        || arg.equals("-b") // short for it in kafka-cluster
        || arg.equals("-C")
        || bootstrap == Bootstrap.BROKER_LIST && arg.startsWith("--broker-list")
        || arg.contains("bootstrap.servers="); // a property of the client
  }

  /** The arguments with the address put where this tool wants it. */
  public List<String> withBootstrap(List<String> args, String servers) {
    List<String> all = new ArrayList<>();
    switch (isFirst(args) ? Bootstrap.NONE : bootstrap) {
      case OPTION, OPTION_ALONE, OPTION_OR_FIRST ->
          all.addAll(List.of("--bootstrap-server", servers));
      case BROKER_LIST -> all.addAll(List.of("--broker-list", servers));
      default -> {}
    }
    if (isFirst(args)) {
      all.add(servers);
    }
    all.addAll(args);
    if (bootstrap == Bootstrap.OPTION_OF_SUBCOMMAND) {
      all.addAll(List.of("--bootstrap-server", servers));
    }
    return all;
  }
}
