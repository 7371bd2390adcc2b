package dev.vitrine.broker.partition;

import dev.vitrine.broker.partition.IsrProposals.Answer;
import dev.vitrine.broker.partition.IsrProposals.Proposal;
import dev.vitrine.protocol.Errors;
import dev.vitrine.protocol.TopicPartition;
import dev.vitrine.protocol.Uuid;
import dev.vitrine.protocol.record.AppendRules;
import dev.vitrine.protocol.record.BatchBuilder;
import dev.vitrine.sim.SimShard;
import dev.vitrine.sim.SimWorld;
import dev.vitrine.storage.Log;
import dev.vitrine.storage.LogConfig;
import dev.vitrine.storage.LogDirectory;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;

/** A replica of one partition on a simulated disk, and what it proposes to the controller. */
final class Replica {
  static final long MAX_LAG_MS = 10_000;
  private static final TopicPartition NAME = new TopicPartition("t", 0);
  private static final Uuid ID = new Uuid(7, 8);
  private static final LogConfig CONFIG = LogConfig.builder().build();

  final SimShard shard;
  final Partition partition;
  final Log log;
  final Set<Integer> fenced = new TreeSet<>();
  final List<AppendOutcome> outcomes = new ArrayList<>();
  Proposal proposed;
  private final PartitionContext context;
  private final int minInSync;
  private Consumer<Answer> toProposer;

  Replica(SimWorld world, int brokerId, int minInSync) {
    this.minInSync = minInSync;
    shard = world.newShard("broker-" + brokerId);
    log =
        LogDirectory.open(world.newDisk(), Path.of("/data")).openOrCreate(NAME, ID, CONFIG, shard);
    context =
        new PartitionContext(
            shard,
            brokerId,
            () -> 100 + brokerId,
            MAX_LAG_MS,
            new Eligible(),
            new Proposals(),
            new BatchAppender(shard, UnpooledByteBufAllocator.DEFAULT),
            l -> Uuid.ZERO,
            p -> {});
    partition =
        new Partition(
            context, ID, NAME, log, new TopicSettings(CONFIG, AppendRules.DEFAULTS, minInSync), 0);
  }

  /** The same log under a broker that has started anew, with the high watermark written down. */
  Partition restarted(long checkpointed) {
    TopicSettings settings = new TopicSettings(CONFIG, AppendRules.DEFAULTS, minInSync);
    return new Partition(context, ID, NAME, log, settings, checkpointed);
  }

  private final class Eligible implements ReplicaEligibility {
    @Override
    public boolean isEligible(int id) {
      return !fenced.contains(id);
    }

    @Override
    public boolean isEligible(int id, long epoch) {
      return !fenced.contains(id);
    }
  }

  private final class Proposals implements IsrProposals {
    @Override
    public void propose(Proposal proposal, Consumer<Answer> answered) {
      proposed = proposal;
      toProposer = answered;
    }

    @Override
    public void forget(Proposal proposal) {
      proposed = null;
    }
  }

  /** The controller does as was proposed. */
  void accept() {
    Proposal p = proposed;
    proposed = null;
    List<Integer> isr = p.isr().stream().map(IsrProposals.Member::brokerId).toList();
    toProposer.accept(
        new Answer(
            Errors.NONE, partition.leaderId(), p.leaderEpoch(), isr, p.partitionEpoch() + 1));
  }

  void refuse(Errors error) {
    proposed = null;
    toProposer.accept(new Answer(error, -1, -1, List.of(), -1));
  }

  List<Integer> proposedIsr() {
    return proposed == null
        ? null
        : proposed.isr().stream().map(IsrProposals.Member::brokerId).toList();
  }

  void lead(int leader, int leaderEpoch, int partitionEpoch, List<Integer> isr) {
    partition.apply(new Assignment(List.of(1, 2, 3), isr, leader, leaderEpoch, partitionEpoch));
  }

  void append(int acks, long timeoutMs, String... values) {
    partition.append(
        batch(values), (short) 11, (short) acks, shard.ticks() + timeoutMs, outcomes::add);
  }

  static ByteBuf batch(String... values) {
    ByteBuf out = Unpooled.buffer();
    try (BatchBuilder b = new BatchBuilder(out)) {
      for (String v : values) {
        b.append(1_000, null, v.getBytes());
      }
      b.build();
    }
    return out;
  }

  ReadOutcome fetchAs(int broker, long offset) {
    return read(broker, offset, -1, -1);
  }

  ReadOutcome read(int broker, long offset, int currentEpoch, int lastFetchedEpoch) {
    return partition.read(
        new ReadRequest(
            broker,
            100 + broker,
            currentEpoch,
            offset,
            lastFetchedEpoch,
            0,
            1_000_000,
            true,
            true,
            broker < 0 ? ReadLimit.HIGH_WATERMARK : ReadLimit.LOG_END,
            false));
  }

  /** Fetches all from the leader as its fetcher does, in one go or in rounds of truncation. */
  int follow(Replica leader, int brokerId) {
    for (int rounds = 1; ; rounds++) {
      ReadOutcome o =
          leader.read(
              brokerId,
              partition.logEndOffset(),
              leader.partition.leaderEpoch(),
              partition.latestEpoch());
      if (o.error() != Errors.NONE || rounds > 20) {
        throw new IllegalStateException(o.toString());
      }
      if (o.divergingEpoch() != null) {
        partition.following().truncateTo(o.divergingEpoch());
      } else {
        ByteBuf records = Unpooled.buffer();
        o.records().writeTo(records);
        boolean empty = !records.isReadable();
        partition.following().append(records, o.highWatermark(), o.logStartOffset());
        o.records().release();
        if (empty) {
          return rounds;
        }
      }
    }
  }
}
