package dev.vitrine.broker.api;

import dev.vitrine.broker.partition.NearestReplica;
import dev.vitrine.broker.partition.Partition;
import dev.vitrine.broker.partition.ReadLimit;
import dev.vitrine.broker.partition.ReadOutcome;
import dev.vitrine.broker.partition.ReadOutcome.LeaderAndEpoch;
import dev.vitrine.broker.partition.ReadRequest;
import dev.vitrine.broker.replication.Replicas;
import dev.vitrine.metadata.MetadataImage;
import dev.vitrine.metadata.PartitionImage;
import dev.vitrine.metadata.TopicImage;
import dev.vitrine.protocol.Errors;
import dev.vitrine.protocol.TopicPartition;
import dev.vitrine.protocol.Uuid;
import dev.vitrine.protocol.message.FetchRequest.FetchPartition;
import dev.vitrine.seam.Shard;
import dev.vitrine.seam.Timer;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * One Fetch from its first read to its answer: reads every partition; if that is too little and
 * nothing is wrong, waits until a partition has more or the time is over, and reads again. Belongs
 * to the shard of the connection; partitions of other shards are read by tasks there.
 */
final class PendingFetch {
  /**
   * @param replicaId of the follower, or -1
   * @param maxBytes in all
   * @param nearest who else might serve a consumer
   */
  record Terms(
      int replicaId,
      long replicaEpoch,
      long maxWaitMs,
      int minBytes,
      int maxBytes,
      ReadLimit limit,
      boolean leaderOnly,
      NearestReplica nearest) {}

  /** Gets an outcome for each target, in their order, and owns the records in them. */
  interface Done {
    /**
     * @param names of the targets, as far as they are known
     */
    void read(TopicPartition[] names, ReadOutcome[] outcomes);
  }

  private final Shard shard;
  private final Replicas replicas;
  private final Supplier<MetadataImage> metadata;
  private final Terms terms;
  private final List<FetchTarget> targets;
  private final Done done;
  private final ReadOutcome[] outcomes;
  private final TopicPartition[] names;
  private final Uuid[] topicIds;
  private final Runnable wake;

  private ReadBudget budget;
  private Timer deadline;
  private int outstanding;
  private boolean timeIsOver;
  private boolean waiting;
  private boolean again;

  /**
   * @param done hears the end, once
   */
  PendingFetch(
      Shard shard,
      Replicas replicas,
      Supplier<MetadataImage> metadata,
      Terms terms,
      List<FetchTarget> targets,
      Done done) {
    this.shard = shard;
    this.replicas = replicas;
    this.metadata = metadata;
    this.terms = terms;
    this.targets = targets;
    this.done = done;
    this.outcomes = new ReadOutcome[targets.size()];
    this.names = new TopicPartition[targets.size()];
    this.topicIds = new Uuid[targets.size()];
    this.wake = () -> shard.execute(this::awake);
  }

  void start() {
    timeIsOver = terms.maxWaitMs <= 0 || targets.isEmpty();
    readAll();
  }

  private void readAll() {
    budget = new ReadBudget(terms.maxBytes);
    outstanding = targets.size() + 1;
    MetadataImage image = metadata.get();
    TopicImage topic = null;
    for (int i = 0; i < targets.size(); i++) {
      FetchTarget.Key key = targets.get(i).key;
      if (i == 0 || !key.isOfTopic(targets.get(i - 1).key)) {
        topic = topic(key, image);
      }
      read(i, topic);
    }
    oneDone();
  }

  private static TopicImage topic(FetchTarget.Key key, MetadataImage image) {
    Uuid id = key.topicId();
    return id.equals(Uuid.ZERO) ? image.topic(key.topic()) : image.topic(id);
  }

  private void read(int i, TopicImage topic) {
    FetchTarget target = targets.get(i);
    Uuid id = target.key.topicId();
    if (topic == null) {
      answered(
          i,
          ReadOutcome.failed(
              id.equals(Uuid.ZERO) ? Errors.UNKNOWN_TOPIC_OR_PARTITION : Errors.UNKNOWN_TOPIC_ID));
      return;
    }
    PartitionImage placed = topic.partition(target.key.partition());
    if (placed == null) {
      answered(i, ReadOutcome.failed(Errors.UNKNOWN_TOPIC_OR_PARTITION));
      return;
    }
    names[i] = target.name(topic.name());
    topicIds[i] = topic.id();
    ReadRequest request = request(target.asked());
    Consumer<ReadOutcome> back = Replicas.reply(shard, outcome -> answered(i, outcome));
    replicas.with(
        names[i], topic.id(), p -> back.accept(p == null ? notHere(placed) : read(p, request)));
  }

  private static ReadOutcome notHere(PartitionImage placed) {
    return ReadOutcome.failed(
        Errors.NOT_LEADER_OR_FOLLOWER, new LeaderAndEpoch(placed.leader(), placed.leaderEpoch()));
  }

  private ReadOutcome read(Partition p, ReadRequest request) {
    int replica = terms.nearest.of(p, request.fetchOffset());
    return replica == NearestReplica.HERE
        ? p.read(request)
        : p.redirect(request.currentLeaderEpoch(), replica);
  }

  private ReadRequest request(FetchPartition asked) {
    return new ReadRequest(
        terms.replicaId,
        terms.replicaEpoch,
        Math.max(-1, asked.currentLeaderEpoch()), // here, unlike elsewhere, any below 0 is none
        asked.fetchOffset(),
        asked.lastFetchedEpoch(),
        asked.logStartOffset(),
        Math.min(asked.partitionMaxBytes(), budget.left()),
        budget.firstBatchWhole(),
        terms.leaderOnly,
        terms.limit,
        again);
  }

  private void answered(int i, ReadOutcome outcome) {
    int bytes = outcome.records().sizeInBytes();
    if (bytes > 0 && !budget.take(bytes)) {
      outcome.records().release();
      outcome = outcome.without();
    }
    outcomes[i] = outcome;
    oneDone();
  }

  private void oneDone() {
    if (--outstanding > 0) {
      return;
    }
    if (timeIsOver || budget.used() >= terms.minBytes || somethingToTell()) {
      finish();
    } else {
      park();
    }
  }

  private boolean somethingToTell() {
    for (int i = 0; i < outcomes.length; i++) {
      ReadOutcome o = outcomes[i];
      if (o.error() != Errors.NONE
          || o.divergingEpoch() != null
          || o.preferredReplica() >= 0
          || o.highWatermark() > knownHighWatermark(i)) {
        return true;
      }
    }
    return false;
  }

  /**
   * A follower that says how far it knows the high watermark is told at once of more (KIP-1166).
   */
  private long knownHighWatermark(int i) {
    return terms.replicaId >= 0 ? targets.get(i).asked().highWatermark() : Long.MAX_VALUE;
  }

  private void park() {
    again = true;
    waiting = true;
    if (deadline == null) {
      deadline = shard.schedule(terms.maxWaitMs, this::expire);
    }
    for (int i = 0; i < outcomes.length; i++) {
      long seen = outcomes[i].limitSeen();
      long known = knownHighWatermark(i);
      outcomes[i].records().release();
      outcomes[i] = null;
      replicas.with(
          names[i],
          topicIds[i],
          p -> {
            if (p == null) {
              wake.run();
            } else {
              p.await(terms.limit, seen, wake);
              if (known != Long.MAX_VALUE) {
                p.await(ReadLimit.HIGH_WATERMARK, known, wake);
              }
            }
          });
    }
  }

  private void awake() {
    if (waiting) {
      waiting = false;
      forgetAll();
      readAll();
    }
  }

  private void expire() {
    timeIsOver = true;
    awake();
  }

  /** Waits no longer: is answered with what there is. */
  void hurry() {
    expire();
  }

  private void forgetAll() {
    for (int i = 0; i < names.length; i++) {
      replicas.with(
          names[i],
          topicIds[i],
          p -> {
            if (p != null) {
              p.forget(wake);
            }
          });
    }
  }

  private void finish() {
    if (deadline != null) {
      deadline.cancel();
    }
    done.read(names, outcomes);
  }
}
