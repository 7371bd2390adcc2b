package dev.vitrine.controller;

import dev.vitrine.protocol.ApiMessage;
import dev.vitrine.quorum.ApiMessageAndVersion;
import dev.vitrine.quorum.CommittedBatch;
import dev.vitrine.quorum.LeaderAndEpoch;
import dev.vitrine.quorum.NotLeaderException;
import dev.vitrine.quorum.OffsetAndEpoch;
import dev.vitrine.quorum.RaftClient;
import dev.vitrine.quorum.RaftListener;
import dev.vitrine.quorum.Snapshot;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.function.Supplier;

/**
 * A quorum that is one list in memory: what the leader appends lies there until the test commits
 * it, and a change of leader cuts off what the test says. Each node is a {@link RaftClient}.
 */
final class FakeQuorum {
  final List<CommittedBatch> log = new ArrayList<>();
  private final TreeMap<Integer, Node> nodes = new TreeMap<>();
  short kraftVersion;
  private LeaderAndEpoch leader = new LeaderAndEpoch(-1, 0);
  private int committed;
  private Snapshot formatted;

  Node node(int id) {
    return nodes.computeIfAbsent(id, Node::new);
  }

  void formatted(Snapshot snapshot) {
    formatted = snapshot;
  }

  LeaderAndEpoch leader() {
    return leader;
  }

  int uncommitted() {
    return log.size() - committed;
  }

  long endOffset() {
    return log.isEmpty() ? 0 : log.get(log.size() - 1).lastOffset() + 1;
  }

  /** All records so far, committed or not. */
  List<ApiMessage> records() {
    List<ApiMessage> records = new ArrayList<>();
    for (CommittedBatch b : log) {
      b.records().forEach(r -> records.add(r.message()));
    }
    return records;
  }

  /** The next so many batches are committed, and every node hears of it. */
  void commit(int batches) {
    committed = (int) Math.min(log.size(), (long) committed + batches);
    nodes.values().forEach(Node::deliver);
  }

  /** The leader is lost; of what was not committed so many batches stay. Nobody leads then. */
  void loseLeader(int keep) {
    leader = new LeaderAndEpoch(-1, leader.epoch() + 1);
    while (log.size() > committed + keep) {
      log.remove(log.size() - 1);
    }
    nodes.values().forEach(n -> n.listener.handleLeaderChange(leader));
  }

  void elect(int id) {
    leader = new LeaderAndEpoch(id, leader.epoch() + 1);
    long offset = endOffset();
    log.add(new CommittedBatch(offset, offset, leader.epoch(), 0, 0, List.of()));
    committed = log.size();
    nodes.values().forEach(Node::deliver);
    nodes.values().forEach(n -> n.listener.handleLeaderChange(leader));
  }

  final class Node implements RaftClient {
    private final int id;
    private RaftListener listener;
    private int delivered;

    private Node(int id) {
      this.id = id;
    }

    private void deliver() {
      if (listener != null && delivered < committed) {
        List<CommittedBatch> batches = List.copyOf(log.subList(delivered, committed));
        delivered = committed;
        listener.handleCommit(batches);
      }
    }

    @Override
    public void register(RaftListener to) {
      listener = to;
      delivered = 0;
      if (formatted != null) {
        listener.handleLoadSnapshot(formatted);
      }
      deliver();
    }

    @Override
    public void unregister(RaftListener from) {
      listener = null;
    }

    @Override
    public long append(int epoch, List<ApiMessageAndVersion> records) {
      if (!leader.isLeader(id) || leader.epoch() != epoch) {
        throw new NotLeaderException("node " + id + " does not lead");
      }
      long base = endOffset();
      long last = base + records.size() - 1;
      log.add(new CommittedBatch(base, last, epoch, 0, 0, List.copyOf(records)));
      return last;
    }

    @Override
    public void resign(int epoch) {
      throw new AssertionError("the controller gave up");
    }

    @Override
    public short kraftVersion() {
      return kraftVersion;
    }

    @Override
    public String upgradeKraftVersion(int epoch, short version, boolean validateOnly) {
      if (version < kraftVersion) {
        return "a downgrade";
      }
      if (!validateOnly && version != kraftVersion) {
        kraftVersion = version;
      }
      return null;
    }

    @Override
    public boolean createSnapshot(
        OffsetAndEpoch id, long timestamp, Supplier<List<ApiMessageAndVersion>> records) {
      return false;
    }

    @Override
    public LeaderAndEpoch leaderAndEpoch() {
      return leader;
    }

    @Override
    public long highWatermark() {
      return committed == 0 ? -1 : log.get(committed - 1).lastOffset() + 1;
    }

    @Override
    public long logEndOffset() {
      return endOffset();
    }
  }
}
