package dev.vitrine.config;

import java.util.List;

/**
 * The bounds that a broker sets to what groups may ask for: that the broker's own keys agree among
 * themselves, and that a group keeps within them.
 */
final class GroupBounds {
  private static final List<String> KINDS = List.of("consumer", "share", "streams");

  /** Each has a min and a max on the broker, for all three kinds of groups. */
  private static final List<String> TIMES =
      List.of("heartbeat.interval.ms", "session.timeout.ms", "assignment.interval.ms");

  /** Likewise, for share groups alone. */
  private static final List<String> SHARE_LIMITS =
      List.of("delivery.count.limit", "record.lock.duration.ms", "partition.max.record.locks");

  private GroupBounds() {}

  /** The broker's keys among themselves. */
  static void check(ConfigValues v) {
    for (String kind : KINDS) {
      String prefix = "group." + kind + ".";
      for (String time : TIMES) {
        atLeast(v, prefix + "max." + time, prefix + "min." + time);
        atLeast(v, prefix + time, prefix + "min." + time);
        atMost(v, prefix + time, prefix + "max." + time);
      }
      String heartbeat = prefix + "heartbeat.interval.ms";
      String session = prefix + "session.timeout.ms";
      ConfigException.require(
          v.int32(heartbeat) < v.int32(session), heartbeat + " must be less than " + session);
    }
    for (String limit : SHARE_LIMITS) {
      atLeast(v, "group.share." + limit, "group.share.min." + limit);
      atLeast(v, "group.share.max." + limit, "group.share." + limit);
    }
    atLeast(v, "group.share.max.share.sessions", "group.share.max.size");
    atMost(v, "group.streams.num.standby.replicas", "group.streams.max.standby.replicas");
    atMost(v, "group.streams.num.warmup.replicas", "group.streams.max.warmup.replicas");
    atLeast(
        v, "group.streams.task.offset.interval.ms", "group.streams.min.task.offset.interval.ms");
    checkTags(v, "group.streams.rack.aware.assignment.tags");
    checkAssignors(v, "group.consumer.assignors", List.of("uniform", "range"));
    checkAssignors(v, "group.share.assignors", List.of("simple"));
    checkAssignors(v, "group.streams.assignors", List.of("sticky"));
    ConfigException.require(
        v.list("group.coordinator.rebalance.protocols").contains("classic"),
        "Disabling the 'classic' protocol is not supported.");
  }

  /** What a group set, against the broker's bounds. */
  static void checkGroup(ConfigValues group, ConfigValues broker) {
    for (String kind : KINDS) {
      for (String time : TIMES) {
        within(group, kind + "." + time, broker, "group." + kind + ".", time);
      }
    }
    for (String limit : SHARE_LIMITS) {
      within(group, "share." + limit, broker, "group.share.", limit);
    }
    notOver(group, "streams.num.standby.replicas", broker, "group.streams.max.standby.replicas");
    notOver(group, "streams.num.warmup.replicas", broker, "group.streams.max.warmup.replicas");
    if (group.isSet("streams.task.offset.interval.ms")) {
      int least = broker.int32("group.streams.min.task.offset.interval.ms");
      ConfigException.require(
          group.int32("streams.task.offset.interval.ms") >= least,
          "streams.task.offset.interval.ms must be greater than or equal to " + least);
    }
    checkTags(group, "streams.rack.aware.assignment.tags");
    checkHeartbeats(group, broker);
    checkStreamsAssignor(group, broker);
    String deadLetters = group.string("errors.deadletterqueue.topic.name");
    ConfigException.require(
        !deadLetters.startsWith("__"),
        "errors.deadletterqueue.topic.name: DLQ topic name must not start with '__'");
  }

  private static void checkHeartbeats(ConfigValues group, ConfigValues broker) {
    for (String kind : KINDS) {
      String heartbeat = kind + ".heartbeat.interval.ms";
      String session = kind + ".session.timeout.ms";
      ConfigException.require(
          effective(group, heartbeat, broker) < effective(group, session, broker),
          session + " must be greater than " + heartbeat);
    }
  }

  private static int effective(ConfigValues group, String key, ConfigValues broker) {
    return group.isSet(key) ? group.int32(key) : broker.int32("group." + key);
  }

  private static void checkStreamsAssignor(ConfigValues group, ConfigValues broker) {
    String assignor = group.string("streams.assignor.name");
    List<String> known = broker.list("group.streams.assignors");
    ConfigException.require(
        assignor == null || known.contains(assignor),
        "streams.assignor.name '"
            + assignor
            + "' is not a registered task assignor. Registered assignors are: "
            + known
            + ".");
  }

  private static void checkTags(ConfigValues v, String key) {
    List<?> tags = (List<?>) v.get(key);
    ConfigException.require(
        tags.size() == v.list(key).size(), key + " must not contain duplicate tag keys.");
  }

  private static void checkAssignors(ConfigValues v, String key, List<String> known) {
    for (String assignor : v.list(key)) {
      if (!known.contains(assignor)) {
        throw ConfigException.invalidValue(key, assignor, "Class cannot be found");
      }
    }
  }

  private static void within(
      ConfigValues group, String key, ConfigValues broker, String prefix, String bound) {
    if (group.isSet(key)) {
      int min = broker.int32(prefix + "min." + bound);
      int max = broker.int32(prefix + "max." + bound);
      int value = group.int32(key);
      ConfigException.require(
          min <= value && value <= max,
          key + " must be in the range " + min + " to " + max + " inclusive.");
    }
  }

  private static void notOver(ConfigValues group, String key, ConfigValues broker, String bound) {
    if (group.isSet(key)) {
      int max = broker.int32(bound);
      ConfigException.require(
          group.int32(key) <= max, key + " must be less than or equal to " + max);
    }
  }

  private static void atLeast(ConfigValues v, String key, String other) {
    ConfigException.require(
        v.int32(key) >= v.int32(other), key + " must be greater than or equal to " + other);
  }

  private static void atMost(ConfigValues v, String key, String other) {
    ConfigException.require(
        v.int32(key) <= v.int32(other), key + " must be less than or equal to " + other);
  }
}
