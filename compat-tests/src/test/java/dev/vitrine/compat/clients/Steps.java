package dev.vitrine.compat.clients;

import static dev.vitrine.compat.clients.Trial.check;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;

/**
 * What every client is made to do, in this order. Each step looks at the outcome: at what the
 * client found, and, where it changed something, at what a stock client of the newest version finds
 * afterwards.
 */
final class Steps {
  static final List<String> CODECS = List.of("none", "gzip", "snappy", "lz4", "zstd");

  /** In each of both partitions of a topic that a group reads. */
  static final int GROUP_RECORDS = 50;

  private static final int BEFORE_RESTART = 60;

  /** Those that are quick, and of each kind the most telling. */
  private static final List<String> SOME =
      List.of(
          "connect",
          "create topic",
          "create it again",
          "describe topic",
          "describe configs",
          "produce, none",
          "produce, zstd",
          "produce, idempotent",
          "consume, gzip",
          "consume, lz4",
          "offset by time",
          "consume in a group, commit",
          "go on from the commit",
          "consumer protocol",
          "committed offsets",
          "delete records",
          "delete group",
          "delete topic");

  private Steps() {}

  static List<Step> some() {
    return all().stream().filter(step -> SOME.contains(step.name())).toList();
  }

  static List<Step> all() {
    List<Step> steps = new ArrayList<>();
    steps.add(new Step("connect", Steps::connect));
    steps.add(new Step("create topic", Steps::createTopic));
    steps.add(new Step("create it again", Steps::createTopicAgain));
    steps.add(new Step("list topics", Steps::listTopics));
    steps.add(new Step("describe topic", Steps::describeTopic));
    steps.add(new Step("describe configs", Steps::describeConfigs));
    steps.add(new Step("alter config", Steps::alterConfig));
    steps.add(new Step("add partitions", Steps::addPartitions));
    for (String codec : CODECS) {
      steps.add(new Step("produce, " + codec, trial -> produce(trial, codec)));
    }
    steps.add(new Step("produce, idempotent", Steps::produceIdempotent));
    for (String codec : CODECS) {
      steps.add(new Step("consume, " + codec, trial -> consume(trial, codec)));
    }
    steps.add(new Step("offset by time", Steps::offsetByTime));
    steps.add(new Step("first and last offset", Steps::offsets));
    steps.add(new Step("consume in a group, commit", Steps::consumeInGroup));
    steps.add(new Step("go on from the commit", Steps::goOn));
    steps.add(new Step("consumer protocol", Steps::consumerProtocol));
    steps.add(new Step("committed offsets", Steps::committed));
    steps.add(new Step("list groups", Steps::listGroups));
    steps.add(new Step("describe group", Steps::describeGroup));
    steps.add(new Step("delete records", Steps::deleteRecords));
    steps.add(new Step("delete group", Steps::deleteGroup));
    steps.add(new Step("delete topic", Steps::deleteTopic));
    return steps;
  }

  private static String made(Trial trial) {
    return trial.topic("made");
  }

  private static void connect(Trial trial) throws Exception {
    List<String> brokers = trial.ask("connect");
    check(brokers.equals(List.of("1", "2", "3")), brokers);
  }

  /** With two partitions, three replicas, and {@code retention.ms=123456789}. */
  private static void createTopic(Trial trial) throws Exception {
    trial.ask("create-topic", made(trial), "2");
    trial.witness().awaitTopic(made(trial), 2);
    check(trial.witness().config(made(trial), "retention.ms").equals("123456789"), "retention.ms");
  }

  private static void createTopicAgain(Trial trial) throws Exception {
    // For those whose client did not make it.
    trial.witness().ensureTopic(made(trial));
    try {
      trial.ask("create-topic", made(trial), "2");
    } catch (Said refusal) {
      if (!refusal.cell().toLowerCase(Locale.ROOT).contains("exists")) {
        throw refusal;
      }
      return;
    }
    check(false, "it was not refused");
  }

  private static void listTopics(Trial trial) throws Exception {
    eventually(() -> check(trial.ask("list-topics").contains(made(trial)), "it is not there"));
  }

  private static void describeTopic(Trial trial) throws Exception {
    eventually(
        () -> {
          List<String> partitions = trial.ask("describe-topic", made(trial));
          check(partitions.equals(List.of("0 1,2,3", "1 1,2,3")), partitions);
        });
  }

  private static void describeConfigs(Trial trial) throws Exception {
    List<String> configs = trial.ask("describe-configs", made(trial));
    check(configs.contains("retention.ms=123456789"), configs);
    check(configs.contains("cleanup.policy=delete"), configs);
    check(configs.contains("min.insync.replicas=2"), configs);
  }

  private static void alterConfig(Trial trial) throws Exception {
    trial.ask("alter-config", made(trial), "retention.ms", "987654321");
    eventually(
        () -> {
          String value = trial.witness().config(made(trial), "retention.ms");
          check(value.equals("987654321"), value);
        });
  }

  private static void addPartitions(Trial trial) throws Exception {
    trial.ask("add-partitions", made(trial), "3");
    trial.witness().awaitTopic(made(trial), 3);
  }

  private static void produce(Trial trial, String codec) throws Exception {
    trial.produce(trial.topic(codec), codec, false, Sample.of(codec));
  }

  /** In many batches. */
  private static void produceIdempotent(Trial trial) throws Exception {
    trial.produce(trial.topic("idempotent"), "none", true, Sample.of("idempotent", 200));
  }

  private static void consume(Trial trial, String codec) throws Exception {
    List<String> lines = trial.ask("consume", Witness.given(codec), String.valueOf(Sample.COUNT));
    String difference = Sample.difference(Sample.of(codec), lines, true);
    check(difference.isEmpty(), difference);
  }

  /** Of a record in the middle of a batch. */
  private static void offsetByTime(Trial trial) throws Exception {
    List<String> offset =
        trial.ask(
            "offset-by-time", Witness.given("gzip"), String.valueOf(Sample.FIRST_TIMESTAMP + 10));
    check(offset.equals(List.of("10")), offset);
  }

  private static void offsets(Trial trial) throws Exception {
    List<String> offsets = trial.ask("offsets", Witness.given("gzip"));
    check(offsets.equals(List.of("0 " + Sample.COUNT)), offsets);
  }

  private static String group(Trial trial) {
    return trial.topic("group");
  }

  private static List<String> readInGroup(Trial trial, String group, int count, String protocol)
      throws Exception {
    List<String> values =
        trial.ask("consume-group", group, Witness.FOR_GROUPS, String.valueOf(count), protocol);
    check(values.size() == count, values.size() + " records instead of " + count);
    check(new HashSet<>(values).size() == count, "the same record twice");
    return values;
  }

  private static void consumeInGroup(Trial trial) throws Exception {
    readInGroup(trial, group(trial), BEFORE_RESTART, "classic");
    long committed = trial.witness().committed(group(trial));
    check(committed == BEFORE_RESTART, committed + " are committed");
  }

  /** The rest: just what the first time was not committed. */
  private static void goOn(Trial trial) throws Exception {
    int rest = 2 * GROUP_RECORDS - BEFORE_RESTART;
    readInGroup(trial, group(trial), rest, "classic");
    long committed = trial.witness().committed(group(trial));
    check(committed == 2 * GROUP_RECORDS, committed + " are committed");
  }

  /** KIP-848. */
  private static void consumerProtocol(Trial trial) throws Exception {
    String group = trial.topic("consumer-group");
    readInGroup(trial, group, 2 * GROUP_RECORDS, "consumer");
    long committed = trial.witness().committed(group);
    check(committed == 2 * GROUP_RECORDS, committed + " are committed");
    String type = trial.witness().groupType(group);
    check(type.equals("Consumer"), "the group's type is " + type);
  }

  private static void committed(Trial trial) throws Exception {
    trial.witness().ensureCommitted(group(trial));
    List<String> offsets = trial.ask("committed", group(trial), Witness.FOR_GROUPS, "2");
    check(offsets.equals(List.of("0 " + GROUP_RECORDS, "1 " + GROUP_RECORDS)), offsets);
  }

  private static void listGroups(Trial trial) throws Exception {
    List<String> groups = trial.ask("list-groups");
    check(groups.contains(group(trial)), groups);
  }

  /** While it has a member. */
  private static void describeGroup(Trial trial) throws Exception {
    String group = trial.topic("held");
    AutoCloseable member = trial.witness().member(group);
    try {
      List<String> found = trial.ask("describe-group", group);
      check(found.size() == 2, found);
      check(found.get(0).equalsIgnoreCase("stable"), found);
      check(found.get(1).equals(Witness.CLIENT_ID), found);
    } finally {
      member.close();
    }
  }

  private static void deleteRecords(Trial trial) throws Exception {
    String topic = trial.topic("shortened");
    trial.ask("delete-records", topic, "10");
    long first = trial.witness().firstOffset(topic);
    check(first == 10, "the first offset is " + first);
  }

  private static void deleteGroup(Trial trial) throws Exception {
    trial.ask("delete-group", group(trial));
    check(!trial.witness().groups().contains(group(trial)), "it is still there");
  }

  private static void deleteTopic(Trial trial) throws Exception {
    trial.ask("delete-topic", made(trial));
    trial.witness().awaitNoTopic(made(trial));
  }

  private interface Look {
    void look() throws Exception;
  }

  /** A change is known to the controller at once, and to the other brokers soon. */
  private static void eventually(Look look) throws Exception {
    for (int tries = 1; ; tries++) {
      try {
        look.look();
        return;
      } catch (Said | AssertionError e) {
        boolean ofNoUse = e instanceof Said said && said.cell().equals(Cell.NOT_OFFERED);
        if (ofNoUse || tries == 40) {
          throw e;
        }
      }
      Thread.sleep(250);
    }
  }
}
