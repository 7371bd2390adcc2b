package dev.vitrine.broker.partition;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.vitrine.broker.partition.IsrProposals.Answer;
import dev.vitrine.protocol.Errors;
import dev.vitrine.protocol.TopicPartition;
import dev.vitrine.protocol.Uuid;
import dev.vitrine.protocol.record.AppendRules;
import dev.vitrine.protocol.record.BatchBuilder;
import dev.vitrine.sim.SimDisk;
import dev.vitrine.sim.SimShard;
import dev.vitrine.sim.SimWorld;
import dev.vitrine.storage.Log;
import dev.vitrine.storage.LogConfig;
import dev.vitrine.storage.LogDirectory;
import dev.vitrine.storage.MetaProperties;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** What a leader makes of the controller's answers to its proposals. */
class InSyncSetTest {
  private static final int MAX_LAG_MS = 1_000;
  private static final Uuid TOPIC = new Uuid(1, 1);

  private final SimWorld world = new SimWorld(1);
  private final SimShard shard = world.newShard("1");
  private final List<Consumer<Answer>> proposals = new ArrayList<>();
  private final Partition partition = leader();

  /** Of brokers 1, 2 and 3, of which 1 leads and 1 and 2 are in sync. */
  private Partition leader() {
    SimDisk disk = world.newDisk();
    Path root = Path.of("/data");
    disk.createDirectories(root);
    new MetaProperties("cluster", 1, new Uuid(2, 2)).write(disk, root);
    TopicPartition name = new TopicPartition("t", 0);
    LogConfig config = LogConfig.builder().build();
    Partition[] made = new Partition[1];
    shard.run(
        () -> {
          Log log = LogDirectory.open(disk, root).openOrCreate(name, TOPIC, config, shard);
          TopicSettings settings = new TopicSettings(config, AppendRules.DEFAULTS, 2);
          made[0] = new Partition(context(), TOPIC, name, log, settings, 0);
          made[0].apply(new Assignment(List.of(1, 2, 3), List.of(1, 2), 1, 0, 0));
        });
    return made[0];
  }

  private PartitionContext context() {
    return new PartitionContext(
        shard,
        1,
        () -> 7,
        MAX_LAG_MS,
        new ReplicaEligibility() {
          @Override
          public boolean isEligible(int brokerId) {
            return true;
          }

          @Override
          public boolean isEligible(int brokerId, long brokerEpoch) {
            return true;
          }
        },
        new IsrProposals() {
          @Override
          public void propose(Proposal proposal, Consumer<Answer> answered) {
            proposals.add(answered);
          }

          @Override
          public void forget(Proposal proposal) {}
        },
        new BatchAppender(shard, UnpooledByteBufAllocator.DEFAULT),
        log -> Uuid.ZERO,
        p -> {});
  }

  private void fetch(int replica, long offset) {
    shard.run(
        () ->
            partition
                .read(
                    new ReadRequest(
                        replica,
                        7,
                        0,
                        offset,
                        -1,
                        0,
                        1 << 20,
                        true,
                        true,
                        ReadLimit.LOG_END,
                        false))
                .records()
                .release());
  }

  private void append() {
    ByteBuf batch = Unpooled.buffer();
    BatchBuilder builder = new BatchBuilder(batch);
    builder.append(shard.now(), null, new byte[1]);
    builder.build();
    shard.run(() -> partition.append(batch, (short) 9, (short) -1, Long.MAX_VALUE, o -> {}));
  }

  /** Broker 3 is proposed, then falls behind; the other two have one record more. */
  private void proposeAndGoOn(Errors error) {
    fetch(3, 0);
    assertEquals(1, proposals.size());
    shard.run(() -> proposals.get(0).accept(new Answer(error, -1, -1, List.of(), -1)));
    world.runFor(2 * MAX_LAG_MS);
    append();
    fetch(2, 1);
  }

  @Test
  void whatIsNotInSyncAfterAllNoLongerCounts() {
    proposeAndGoOn(Errors.INELIGIBLE_REPLICA);
    assertEquals(1, partition.highWatermark());
  }

  /** The controller may have taken the proposal and its first answer been lost. */
  @Test
  void whatMayBeInSyncCountsUntilTheMetadataSays() {
    proposeAndGoOn(Errors.INVALID_UPDATE_VERSION);
    assertEquals(0, partition.highWatermark());
    shard.run(() -> partition.apply(new Assignment(List.of(1, 2, 3), List.of(1, 2), 1, 0, 2)));
    assertEquals(1, partition.highWatermark());
  }
}
