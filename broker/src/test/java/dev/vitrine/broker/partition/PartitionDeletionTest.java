package dev.vitrine.broker.partition;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import dev.vitrine.broker.partition.IsrProposals.Answer;
import dev.vitrine.broker.partition.IsrProposals.Proposal;
import dev.vitrine.protocol.Errors;
import dev.vitrine.protocol.TopicPartition;
import dev.vitrine.protocol.Uuid;
import dev.vitrine.protocol.record.AppendRules;
import dev.vitrine.sim.SimShard;
import dev.vitrine.sim.SimWorld;
import dev.vitrine.storage.LogConfig;
import dev.vitrine.storage.LogDirectory;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.nio.file.Path;
import java.util.List;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** How a leader waits for its followers when records are deleted. Simulated time and disk. */
class PartitionDeletionTest {
  private static final TopicPartition NAME = new TopicPartition("t", 0);
  private static final Uuid ID = new Uuid(1, 2);
  private static final short PRODUCE = 12;

  private final SimWorld world = new SimWorld(1);
  private final SimShard shard = world.newShard("shard");
  private final TreeSet<Integer> alive = new TreeSet<>(List.of(1, 2, 3));
  private Partition partition;
  private DeleteOutcome outcome;

  @BeforeEach
  void leadWithThreeRecords() {
    LogDirectory directory = LogDirectory.open(world.newDisk(), Path.of("/data"));
    LogConfig config = LogConfig.DEFAULT;
    TopicSettings settings = new TopicSettings(config, AppendRules.DEFAULTS, 1);
    PartitionContext context =
        new PartitionContext(
            shard,
            1,
            () -> 1,
            30_000,
            new Alive(),
            new NoProposals(),
            new BatchAppender(shard, UnpooledByteBufAllocator.DEFAULT),
            log -> ID,
            p -> {});
    partition =
        new Partition(
            context, ID, NAME, directory.openOrCreate(NAME, ID, config, shard), settings, 0);
    partition.apply(new Assignment(List.of(1, 2, 3), List.of(1, 2, 3), 1, 0, 0));
    MemoryRecords batch =
        MemoryRecords.withRecords(
            Compression.NONE,
            new SimpleRecord("a".getBytes()),
            new SimpleRecord("b".getBytes()),
            new SimpleRecord("c".getBytes()));
    partition.append(Unpooled.wrappedBuffer(batch.buffer()), PRODUCE, (short) 1, 0, a -> {});
    fetch(2, 3, 0);
    fetch(3, 3, 0);
    assertEquals(3, partition.highWatermark());
  }

  private void fetch(int follower, long offset, long logStart) {
    ReadOutcome read =
        partition.read(
            new ReadRequest(
                follower, 1, 0, offset, -1, logStart, 1, true, true, ReadLimit.LOG_END, false));
    assertEquals(Errors.NONE, read.error());
  }

  private void delete(long offset, long timeoutMs) {
    partition.deleteRecords(offset, shard.ticks() + timeoutMs, o -> outcome = o);
  }

  @Test
  void waitsForTheSlowestFollower() {
    delete(2, 10_000);
    assertNull(outcome);
    assertEquals(2, partition.logStartOffset());
    fetch(2, 3, 2);
    fetch(3, 3, 1);
    assertNull(outcome);
    fetch(3, 3, 2);
    assertEquals(new DeleteOutcome(Errors.NONE, 2), outcome);
  }

  @Test
  void tellsTheLowWatermarkEvenIfThatIsHigher() {
    delete(3, 10_000);
    delete(1, 10_000);
    assertNull(outcome);
    fetch(2, 3, 3);
    fetch(3, 3, 3);
    assertEquals(new DeleteOutcome(Errors.NONE, 3), outcome);
  }

  @Test
  void timesOutButHasDeleted() {
    delete(2, 500);
    fetch(2, 3, 2);
    long before = world.elapsedMs();
    while (outcome == null) {
      world.step();
    }
    assertEquals(500, world.elapsedMs() - before);
    assertEquals(new DeleteOutcome(Errors.REQUEST_TIMED_OUT, 0), outcome);
    assertEquals(2, partition.logStartOffset());
    outcome = null;
    fetch(3, 3, 2);
    assertNull(outcome, "answered once");
  }

  @Test
  void doesNotWaitForTheDead() {
    alive.remove(3);
    delete(2, 10_000);
    fetch(2, 3, 2);
    assertEquals(new DeleteOutcome(Errors.NONE, 2), outcome);
  }

  @Test
  void goesOnWhenTheOneItWaitsForDies() {
    delete(2, 10_000);
    fetch(2, 3, 2);
    assertNull(outcome);
    alive.remove(3);
    partition.apply(new Assignment(List.of(1, 2, 3), List.of(1, 2), 1, 0, 1));
    assertEquals(new DeleteOutcome(Errors.NONE, 2), outcome);
  }

  @Test
  void endsWithTheLeadership() {
    delete(2, 10_000);
    partition.apply(new Assignment(List.of(1, 2, 3), List.of(1, 2, 3), 2, 1, 1));
    assertEquals(new DeleteOutcome(Errors.NOT_LEADER_OR_FOLLOWER, -1), outcome);
    outcome = null;
    delete(3, 10_000);
    assertEquals(new DeleteOutcome(Errors.NOT_LEADER_OR_FOLLOWER, -1), outcome);
    assertEquals(2, partition.logStartOffset());
  }

  private final class Alive implements ReplicaEligibility {
    @Override
    public boolean isEligible(int brokerId) {
      return alive.contains(brokerId);
    }

    @Override
    public boolean isEligible(int brokerId, long brokerEpoch) {
      return alive.contains(brokerId);
    }
  }

  private static final class NoProposals implements IsrProposals {
    @Override
    public void propose(Proposal proposal, Consumer<Answer> answered) {}

    @Override
    public void forget(Proposal proposal) {}
  }
}
