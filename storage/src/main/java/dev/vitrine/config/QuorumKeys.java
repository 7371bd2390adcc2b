package dev.vitrine.config;

import static dev.vitrine.config.ConfigRule.atLeast;
import static dev.vitrine.config.ConfigRule.nonEmptyList;
import static dev.vitrine.config.Mark.INTERNAL;
import static dev.vitrine.config.Mark.NO_EFFECT;
import static dev.vitrine.config.Mark.REQUIRED;

/** The metadata quorum, its log, and the controller. */
final class QuorumKeys {
  private QuorumKeys() {}

  static void define(ConfigTable.Builder t) {
    t.list("controller.listener.names", null, nonEmptyList(), REQUIRED)
        .doc(
            "Names of the controllers' listeners; the first one is what this node uses to reach them.");
    t.list("controller.quorum.voters", "", Voter.RULE)
        .doc("The fixed voters of the metadata quorum: id@host:port, comma-separated.");
    t.list("controller.quorum.bootstrap.servers", "", Voter.BOOTSTRAP_RULE)
        .doc(
            "Where to find the metadata quorum when its voters are not fixed: host:port, comma-separated.");
    t.bool("controller.quorum.auto.join.enable", false)
        .doc("Whether a controller adds itself to the voters.");
    t.int32("controller.quorum.election.timeout.ms", 1000, atLeast(0))
        .doc("How long a candidate waits for votes before it tries again.");
    t.int32("controller.quorum.election.backoff.max.ms", 1000, atLeast(0))
        .doc("The longest random pause before a new election.");
    t.int32("controller.quorum.fetch.timeout.ms", 2000, atLeast(0))
        .doc("A voter that could not fetch from the leader for so long stands for election.");
    t.int32("controller.quorum.request.timeout.ms", 2000, atLeast(0))
        .doc("How long a request within the quorum may stay unanswered.");
    t.int32("controller.quorum.retry.backoff.ms", 20, atLeast(0))
        .doc("The pause before a failed request within the quorum is tried again.");
    t.int32("controller.quorum.append.linger.ms", 25, atLeast(0))
        .doc("How long the leader gathers records before it writes them.");
    t.int32("controller.quorum.fetch.max.bytes", 1_048_576, atLeast(1))
        .doc("The most bytes of the metadata log in one fetch.");
    t.int32("controller.quorum.fetch.snapshot.max.bytes", 1_048_576, atLeast(1))
        .doc("The most bytes of a metadata snapshot in one fetch.");
    t.int32("controller.socket.timeout.ms", 30_000, NO_EFFECT)
        .doc("How long a broker waits for the controller's answer.");
    t.int64("controller.performance.sample.period.ms", 60_000L, atLeast(100), INTERNAL, NO_EFFECT)
        .doc("How often the controller reports on its slow events.");
    t.int64(
            "controller.performance.always.log.threshold.ms",
            2000L,
            atLeast(0),
            INTERNAL,
            NO_EFFECT)
        .doc("A controller event that takes longer is always logged.");
    t.string("metadata.log.dir", null)
        .doc("The directory of the metadata log; the first of log.dirs when not set.");
    t.int32("metadata.log.segment.bytes", 1_073_741_824, atLeast(8_388_608))
        .doc("The largest segment of the metadata log.");
    t.int64("metadata.log.segment.ms", 604_800_000L)
        .doc("The oldest that the metadata log's active segment gets.");
    t.int64("metadata.log.max.record.bytes.between.snapshots", 20_971_520L, atLeast(1))
        .doc("A new metadata snapshot is written after so many bytes of records.");
    t.int64("metadata.log.max.snapshot.interval.ms", 3_600_000L, atLeast(0))
        .doc(
            "A new metadata snapshot is written after so long, if there is anything new; 0 is never.");
    t.int32("metadata.max.idle.interval.ms", 500, atLeast(0))
        .doc("How often an idle active controller writes a record that does nothing; 0 is never.");
    t.int64("metadata.max.retention.bytes", 104_857_600L)
        .doc("How many bytes of metadata log and snapshots are kept.");
    t.int64("metadata.max.retention.ms", 604_800_000L)
        .doc("How long metadata log and snapshots are kept.");
    t.int32("internal.metadata.log.segment.bytes", null, INTERNAL, NO_EFFECT)
        .doc("A smaller segment size of the metadata log, for tests.");
    t.int32("internal.metadata.max.batch.size.in.bytes", 8_388_608, INTERNAL, NO_EFFECT)
        .doc("The largest batch of the metadata log, for tests.");
    t.int64("internal.metadata.delete.delay.millis", 60_000L, INTERNAL, NO_EFFECT)
        .doc("The time between the renaming and the deletion of metadata files, for tests.");
  }
}
