package dev.vitrine.config;

import static dev.vitrine.config.ConfigRule.anyList;
import static dev.vitrine.config.ConfigRule.atLeast;
import static dev.vitrine.config.ConfigRule.nonEmptyListOf;
import static dev.vitrine.config.Mark.INTERNAL;
import static dev.vitrine.config.Mark.NO_EFFECT;
import static dev.vitrine.config.Mark.REQUIRED;
import static dev.vitrine.config.UpdateMode.CLUSTER_WIDE;

/** What a node is, how it stands to the cluster, and how topics come and go. */
final class NodeKeys {
  private NodeKeys() {}

  static void define(ConfigTable.Builder t) {
    t.list("process.roles", null, nonEmptyListOf("broker", "controller"), REQUIRED)
        .doc("What this process is: broker, controller, or both.");
    t.int32("node.id", null, atLeast(0), REQUIRED)
        .doc("The id of this node, unique in the cluster among brokers and controllers.");
    t.int32("broker.id", -1).doc("The old name of node.id; when both are set they must be equal.");
    t.string("broker.rack", null)
        .doc("The rack (or zone) of this broker; new replicas are spread over racks.");
    t.int32("broker.heartbeat.interval.ms", 2000)
        .doc("How often a broker tells the active controller that it lives.");
    t.int32("broker.session.timeout.ms", 9000)
        .doc("A broker that was silent for so long is fenced: its partitions get other leaders.");
    t.int32("initial.broker.registration.timeout.ms", 60_000)
        .doc("How long a starting broker tries to register before it gives up and exits.");
    t.bool("controlled.shutdown.enable", true)
        .doc("Whether a stopping broker first hands its partitions to other leaders.");
    t.int64("server.max.startup.time.ms", Long.MAX_VALUE, atLeast(0), INTERNAL, NO_EFFECT)
        .doc("The longest that a start may take.");
    t.int32("request.timeout.ms", 30_000)
        .doc("How long a broker waits for the answer to a request that it sent to another node.");
    t.int64("socket.connection.setup.timeout.ms", 10_000L)
        .doc("How long a connection to another node may take to be set up, at the first try.");
    t.int64("socket.connection.setup.timeout.max.ms", 30_000L, NO_EFFECT)
        .doc(
            "The longest that a connection to another node may take to be set up; tries grow up to it.");
    t.bool("delete.topic.enable", true).doc("Whether topics may be deleted.");
    t.bool("auto.create.topics.enable", true)
        .doc("Whether a topic that a client names and that doesn't exist is created.");
    t.int32("num.partitions", 1, atLeast(1))
        .doc("Partitions of a topic that is created without a number of its own.");
    t.int32("default.replication.factor", 1)
        .doc("Replicas of each partition of a topic that is created without a number of its own.");
    t.className("create.topic.policy.class.name", null, NO_EFFECT)
        .doc("A class that may refuse the creation of a topic.");
    t.className("alter.config.policy.class.name", null, NO_EFFECT)
        .doc("A class that may refuse a change of configuration.");
    t.int32("background.threads", 10, atLeast(1), CLUSTER_WIDE, NO_EFFECT)
        .doc("Threads for the work in the background.");
    t.int32("num.io.threads", 8, atLeast(1), CLUSTER_WIDE, NO_EFFECT)
        .doc("Threads that serve requests in Apache Kafka; here vitrine.shards takes their place.");
    t.list("config.providers", "", anyList(), CLUSTER_WIDE, NO_EFFECT)
        .doc("Names of the classes that look up configuration values elsewhere.");
    t.bool("unstable.api.versions.enable", false, INTERNAL, NO_EFFECT)
        .doc("Whether versions of requests that are still being made are offered.");
    t.bool("unstable.feature.versions.enable", false, INTERNAL, NO_EFFECT)
        .doc("Whether versions of features that are still being made may be used.");
  }
}
