package dev.vitrine.compat.sim;

import dev.vitrine.protocol.Errors;
import dev.vitrine.protocol.TopicPartition;
import dev.vitrine.protocol.Uuid;
import dev.vitrine.protocol.message.FetchRequest;
import dev.vitrine.protocol.message.FetchResponse;
import dev.vitrine.protocol.message.ListOffsetsRequest;
import dev.vitrine.protocol.message.ListOffsetsResponse;
import dev.vitrine.protocol.message.OffsetForLeaderEpochRequest;
import dev.vitrine.protocol.message.OffsetForLeaderEpochResponse;
import dev.vitrine.protocol.record.Batches;
import dev.vitrine.protocol.record.MemoryRecords;
import dev.vitrine.protocol.record.RecordIterator;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** A consumer without a group that reads every partition from its start, from the leaders. */
final class SimReader extends SimClient {
  private static final int PAUSE_MS = 30;
  private static final long LATEST = -1;
  private static final long EARLIEST = -2;

  private static final class Position {
    long offset;
    int lastEpoch = -1;
    int leaderEpoch = -1;
    long highWatermark = -1;

    /** The end that a leader has told (KIP-207), and its epoch. */
    long end;

    int endEpoch = -1;
  }

  /** What was asked of one partition, and how far the leader's metadata was then. */
  private record Asked(TopicPartition at, int epoch, NodeEpoch node) {}

  private final boolean readCommitted;
  private final Map<PartitionId, Position> positions = new HashMap<>();
  private final Set<Integer> busy = new TreeSet<>();

  SimReader(ClusterSim sim, String name) {
    super(sim, name);
    readCommitted = shard.random().nextBoolean();
  }

  @Override
  void begin() {
    if (!isReady() || shard.random().nextInt(30) == 0) {
      refresh();
    }
    if (isReady()) {
      for (SimNode n : sim.brokers) {
        if (!busy.contains(n.id)) {
          fetch(n.id);
        }
      }
      if (shard.random().nextInt(10) == 0) {
        List<TopicPartition> all = new ArrayList<>(leaders.keySet());
        TopicPartition p = all.get(shard.random().nextInt(all.size()));
        if (shard.random().nextBoolean()) {
          listOffsets(p, LATEST);
        } else {
          validate(p);
        }
      }
    }
    shard.schedule(shard.random().nextInt(PAUSE_MS), this::begin);
  }

  /** Has read all that there is in the topics that there are. */
  boolean isAtEnd() {
    return sim.partitionsThatExist().stream().allMatch(this::isAtEnd);
  }

  private boolean isAtEnd(PartitionId id) {
    Position at = positions.get(id);
    return (at == null ? 0 : at.offset) >= sim.history.size(id);
  }

  private Position position(PartitionId id) {
    return positions.computeIfAbsent(id, p -> new Position());
  }

  private void fetch(int broker) {
    Map<Uuid, FetchRequest.FetchTopic> topics = new LinkedHashMap<>();
    Map<PartitionId, Asked> asked = new HashMap<>();
    boolean tellLast = shard.random().nextBoolean();
    boolean tellEpoch = shard.random().nextInt(4) > 0;
    leaders.forEach(
        (p, leader) -> {
          if (leader.id() == broker) {
            PartitionId id = id(p);
            Position at = position(id);
            int epoch = tellEpoch ? leader.epoch() : -1;
            asked.put(id, new Asked(p, epoch, NodeEpoch.of(sim.node(broker), id)));
            topics
                .computeIfAbsent(
                    id.topic(), t -> new FetchRequest.FetchTopic().topic(p.topic()).topicId(t))
                .partitions()
                .add(
                    new FetchRequest.FetchPartition()
                        .partition(p.partition())
                        .currentLeaderEpoch(epoch)
                        .fetchOffset(at.offset)
                        .lastFetchedEpoch(tellLast ? at.lastEpoch : -1)
                        .logStartOffset(-1)
                        .partitionMaxBytes(1 << shard.random().nextInt(6, 20)));
          }
        });
    if (topics.isEmpty()) {
      return;
    }
    busy.add(broker);
    FetchRequest request =
        new FetchRequest()
            .maxWaitMs(shard.random().nextInt(500))
            .minBytes(1)
            .maxBytes(1 << shard.random().nextInt(6, 20))
            .isolationLevel((byte) (readCommitted ? 1 : 0))
            .sessionEpoch(-1)
            .topics(new ArrayList<>(topics.values()));
    ask(
        node(broker),
        request,
        FetchResponse.class,
        r -> {
          busy.remove(broker);
          Errors error = Errors.forCode(r.errorCode());
          if (error != Errors.NONE) {
            retriable(error, "for a fetch");
          }
          r.responses()
              .forEach(
                  t ->
                      t.partitions()
                          .forEach(
                              p -> {
                                PartitionId id = new PartitionId(t.topicId(), p.partitionIndex());
                                answered(p, id, asked.get(id));
                              }));
        },
        () -> {
          busy.remove(broker);
          refresh();
        });
  }

  private void answered(FetchResponse.PartitionData data, PartitionId id, Asked asked) {
    TopicPartition name = asked.at;
    Position at = position(id);
    Errors error = Errors.forCode(data.errorCode());
    boolean behind = error == Errors.OFFSET_OUT_OF_RANGE || data.divergingEpoch().epoch() >= 0;
    if (behind && (asked.epoch < 0 || asked.epoch < at.lastEpoch)) {
      // Any replica may answer this, also one that is behind (KIP-392); or a leader of before,
      // while
      // another replica has given what is of a later epoch.
      refresh();
      return;
    }
    if (error == Errors.OFFSET_OUT_OF_RANGE && sim.recordsMayGo()) {
      if (id.equals(id(name))) {
        listOffsets(name, EARLIEST);
      }
      return;
    }
    if (error != Errors.NONE) {
      retriable(error, "for " + name + " from " + at.offset + ": " + asked + ", " + data);
      refresh();
      return;
    }
    sim.check(
        data.divergingEpoch().epoch() < 0,
        null,
        this.name + " hears that " + name + " is not what it has read: " + data);
    int epoch = asked.epoch;
    if (epoch >= 0) {
      asked.node.check(sim, id, epoch, this.name + " fetches " + name);
    }
    if (epoch >= 0 && epoch >= at.leaderEpoch) {
      sim.check(
          epoch > at.leaderEpoch || data.highWatermark() >= at.highWatermark,
          null,
          this.name + " sees the high watermark of " + name + " go back to " + data);
      at.leaderEpoch = epoch;
      at.highWatermark = data.highWatermark();
    }
    if (data.records() instanceof MemoryRecords m && m.sizeInBytes() > 0) {
      take(name, id, at, m, data.highWatermark());
    }
  }

  private void take(
      TopicPartition name, PartitionId id, Position at, MemoryRecords records, long highWatermark) {
    Batches batches = new Batches(records.buffer());
    while (batches.next()) {
      sim.check(batches.batch().isValid(), null, name + ": a broken batch at " + at.offset);
      try (RecordIterator it = batches.batch().records()) {
        while (it.next()) {
          long offset = it.record().offset();
          if (offset >= at.offset) {
            sim.check(
                offset == at.offset && offset < highWatermark,
                null,
                this.name
                    + " gets "
                    + offset
                    + " of "
                    + name
                    + " for "
                    + at.offset
                    + ", high watermark "
                    + highWatermark);
            sim.history.read(this.name, id, offset, LogBytes.value(it.record()));
            at.offset++;
            at.lastEpoch = batches.batch().partitionLeaderEpoch();
          }
        }
      }
    }
  }

  /** The end of a partition never goes back from one leader to the next. */
  private void listOffsets(TopicPartition partition, long timestamp) {
    Leader leader = leaders.get(partition);
    if (leader.id() < 0) {
      return;
    }
    PartitionId id = id(partition);
    ListOffsetsRequest request =
        new ListOffsetsRequest()
            .replicaId(-1)
            .isolationLevel((byte) (readCommitted ? 1 : 0))
            .topics(
                List.of(
                    new ListOffsetsRequest.ListOffsetsTopic()
                        .name(partition.topic())
                        .partitions(
                            List.of(
                                new ListOffsetsRequest.ListOffsetsPartition()
                                    .partitionIndex(partition.partition())
                                    .currentLeaderEpoch(leader.epoch())
                                    .timestamp(timestamp)))));
    ask(
        node(leader.id()),
        request,
        ListOffsetsResponse.class,
        r -> {
          var p = r.topics().get(0).partitions().get(0);
          Errors error = Errors.forCode(p.errorCode());
          if (error != Errors.NONE) {
            retriable(error, "for the end of " + partition);
            return;
          }
          Position at = position(id);
          if (timestamp == EARLIEST) {
            if (p.offset() > at.offset && p.offset() <= sim.history.size(id)) {
              at.offset = p.offset();
              at.lastEpoch = -1;
            }
            return;
          }
          // It is asked for by name: what answers may be another topic by now.
          if (!sim.isTheOnlyOne(id)) {
            return;
          }
          if (leader.epoch() >= at.endEpoch) {
            sim.check(
                leader.epoch() == at.endEpoch || p.offset() >= at.end,
                null,
                name
                    + ": the end of "
                    + partition
                    + " was "
                    + at.end
                    + " in epoch "
                    + at.endEpoch
                    + " and is now "
                    + p);
            at.endEpoch = leader.epoch();
            at.end = Math.max(at.end, p.offset());
          }
        },
        () -> {});
  }

  /** As consumers do when a leader has changed (KIP-320): is what was read still there? */
  private void validate(TopicPartition partition) {
    Leader leader = leaders.get(partition);
    PartitionId id = id(partition);
    Position at = position(id);
    if (leader.id() < 0 || at.lastEpoch < 0 || leader.epoch() < at.lastEpoch) {
      return;
    }
    int lastEpoch = at.lastEpoch;
    long offset = at.offset;
    OffsetForLeaderEpochRequest.OffsetForLeaderTopic topic =
        new OffsetForLeaderEpochRequest.OffsetForLeaderTopic().topic(partition.topic());
    topic
        .partitions()
        .add(
            new OffsetForLeaderEpochRequest.OffsetForLeaderPartition()
                .partition(partition.partition())
                .currentLeaderEpoch(leader.epoch())
                .leaderEpoch(lastEpoch));
    OffsetForLeaderEpochRequest request = new OffsetForLeaderEpochRequest().replicaId(-1);
    request.topics().add(topic);
    NodeEpoch node = NodeEpoch.of(sim.node(leader.id()), id);
    ask(
        node(leader.id()),
        request,
        OffsetForLeaderEpochResponse.class,
        r -> {
          var p = r.topics().get(0).partitions().get(0);
          Errors error = Errors.forCode(p.errorCode());
          if (error != Errors.NONE) {
            retriable(error, "for the end of an epoch of " + partition);
            return;
          }
          if (!sim.isTheOnlyOne(id)) {
            return;
          }
          node.check(sim, id, leader.epoch(), name + " validates " + partition);
          // Epochs whose records were deleted are forgotten.
          sim.check(
              p.leaderEpoch() == lastEpoch && p.endOffset() >= offset
                  || p.leaderEpoch() < 0 && sim.recordsMayGo(),
              null,
              name
                  + " has read "
                  + partition
                  + " up to "
                  + offset
                  + " in epoch "
                  + lastEpoch
                  + " and hears of an end "
                  + p);
        },
        () -> {});
  }
}
