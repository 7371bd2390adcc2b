package dev.vitrine.compat.sim;

import dev.vitrine.protocol.Errors;
import dev.vitrine.protocol.TopicPartition;
import dev.vitrine.protocol.message.FetchRequest;
import dev.vitrine.protocol.message.FetchResponse;
import dev.vitrine.protocol.message.ListOffsetsRequest;
import dev.vitrine.protocol.message.ListOffsetsResponse;
import dev.vitrine.protocol.record.Batches;
import dev.vitrine.protocol.record.MemoryRecords;
import dev.vitrine.protocol.record.RecordIterator;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

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

  private final Map<Integer, Position> positions = new TreeMap<>();
  private final boolean[] busy;

  SimReader(ClusterSim sim, String name) {
    super(sim, name);
    busy = new boolean[sim.nodes.size() + 1];
  }

  @Override
  void begin() {
    if (leaders.size() < sim.partitions) {
      refresh();
    } else {
      for (int id = 1; id <= sim.nodes.size(); id++) {
        if (!busy[id]) {
          fetch(id);
        }
      }
      if (shard.random().nextInt(10) == 0) {
        listOffsets(shard.random().nextInt(sim.partitions), LATEST);
      }
      if (shard.random().nextInt(30) == 0) {
        refresh();
      }
    }
    shard.schedule(shard.random().nextInt(PAUSE_MS), this::begin);
  }

  boolean isAtEnd() {
    for (int p = 0; p < sim.partitions; p++) {
      Position at = positions.get(p);
      if (at == null || at.offset < sim.history.size(new TopicPartition(ClusterSim.TOPIC, p))) {
        return false;
      }
    }
    return true;
  }

  private Position position(int partition) {
    return positions.computeIfAbsent(partition, p -> new Position());
  }

  private void fetch(int id) {
    FetchRequest.FetchTopic topic =
        new FetchRequest.FetchTopic().topic(ClusterSim.TOPIC).topicId(topicId);
    Map<Integer, Integer> epochs = new TreeMap<>();
    boolean tellLast = shard.random().nextBoolean();
    leaders.forEach(
        (partition, leader) -> {
          if (leader.id() == id) {
            Position at = position(partition);
            epochs.put(partition, leader.epoch());
            topic
                .partitions()
                .add(
                    new FetchRequest.FetchPartition()
                        .partition(partition)
                        .currentLeaderEpoch(leader.epoch())
                        .fetchOffset(at.offset)
                        .lastFetchedEpoch(tellLast ? at.lastEpoch : -1)
                        .logStartOffset(-1)
                        .partitionMaxBytes(1 << shard.random().nextInt(6, 20)));
          }
        });
    if (epochs.isEmpty()) {
      return;
    }
    busy[id] = true;
    FetchRequest request =
        new FetchRequest()
            .maxWaitMs(shard.random().nextInt(500))
            .minBytes(1)
            .maxBytes(1 << shard.random().nextInt(6, 20))
            .sessionEpoch(-1)
            .topics(new ArrayList<>(List.of(topic)));
    ask(
        node(id),
        request,
        FetchResponse.class,
        r -> {
          busy[id] = false;
          Errors error = Errors.forCode(r.errorCode());
          if (error != Errors.NONE) {
            retriable(error, "for a fetch");
          }
          r.responses()
              .forEach(
                  t -> t.partitions().forEach(p -> answered(p, epochs.get(p.partitionIndex()))));
        },
        () -> {
          busy[id] = false;
          refresh();
        });
  }

  private void answered(FetchResponse.PartitionData data, int epoch) {
    TopicPartition name = new TopicPartition(ClusterSim.TOPIC, data.partitionIndex());
    Position at = position(data.partitionIndex());
    Errors error = Errors.forCode(data.errorCode());
    if (error == Errors.OFFSET_OUT_OF_RANGE && sim.retention) {
      listOffsets(data.partitionIndex(), EARLIEST);
      return;
    }
    if (error != Errors.NONE) {
      retriable(error, "for " + name + " from " + at.offset);
      refresh();
      return;
    }
    sim.check(
        data.divergingEpoch().epoch() < 0,
        null,
        this.name + " hears that " + name + " is not what it has read: " + data);
    if (epoch >= at.leaderEpoch) {
      sim.check(
          epoch > at.leaderEpoch || data.highWatermark() >= at.highWatermark,
          null,
          this.name + " sees the high watermark of " + name + " go back to " + data);
      at.leaderEpoch = epoch;
      at.highWatermark = data.highWatermark();
    }
    if (data.records() instanceof MemoryRecords m && m.sizeInBytes() > 0) {
      take(name, at, m, data.highWatermark());
    }
  }

  private void take(TopicPartition name, Position at, MemoryRecords records, long highWatermark) {
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
            sim.history.read(this.name, name, offset, History.value(it.record()));
            at.offset++;
            at.lastEpoch = batches.batch().partitionLeaderEpoch();
          }
        }
      }
    }
  }

  /** The end of a partition never goes back from one leader to the next. */
  private void listOffsets(int partition, long timestamp) {
    Leader leader = leaders.get(partition);
    if (leader.id() < 0) {
      return;
    }
    ListOffsetsRequest request =
        new ListOffsetsRequest()
            .replicaId(-1)
            .topics(
                List.of(
                    new ListOffsetsRequest.ListOffsetsTopic()
                        .name(ClusterSim.TOPIC)
                        .partitions(
                            List.of(
                                new ListOffsetsRequest.ListOffsetsPartition()
                                    .partitionIndex(partition)
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
          Position at = position(partition);
          if (timestamp == EARLIEST) {
            at.offset = Math.max(at.offset, p.offset());
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
}
