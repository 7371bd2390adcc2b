package dev.vitrine.broker.control;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.vitrine.config.QuorumSettings;
import dev.vitrine.metadata.ImageChange;
import dev.vitrine.metadata.TopicImage;
import dev.vitrine.protocol.ApiMessage;
import dev.vitrine.protocol.Uuid;
import dev.vitrine.protocol.message.BeginTransactionRecord;
import dev.vitrine.protocol.message.EndTransactionRecord;
import dev.vitrine.protocol.message.NoOpRecord;
import dev.vitrine.protocol.message.PartitionRecord;
import dev.vitrine.protocol.message.RegisterBrokerRecord;
import dev.vitrine.protocol.message.TopicRecord;
import dev.vitrine.quorum.ApiMessageAndVersion;
import dev.vitrine.quorum.CommittedBatch;
import dev.vitrine.quorum.LeaderAndEpoch;
import dev.vitrine.quorum.OffsetAndEpoch;
import dev.vitrine.quorum.RaftClient;
import dev.vitrine.quorum.RaftListener;
import dev.vitrine.quorum.Snapshot;
import dev.vitrine.sim.SimShard;
import dev.vitrine.sim.SimWorld;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** When a node's metadata become a snapshot, and what one from the leader changes in mid-life. */
class MetadataSnapshotTest {
  private static final int BATCH_BYTES = 100;
  private static final Uuid INCARNATION = new Uuid(9, 9);

  private final SimWorld world = new SimWorld(1);
  private final SimShard loop = world.newShard("loop");
  private final Metadata metadata = new Metadata();
  private final List<String> snapshots = new ArrayList<>();
  private boolean busy;
  private long next;

  private Metadata limits(long bytes, long intervalMs) {
    QuorumSettings.MetadataLog log =
        new QuorumSettings.MetadataLog(1 << 30, 0, bytes, intervalMs, 0, -1, -1);
    metadata.snapshots(new SnapshotTrigger(new Quorum(), loop, log));
    return metadata;
  }

  private static List<ApiMessageAndVersion> versioned(ApiMessage... records) {
    return Stream.of(records)
        .map(r -> new ApiMessageAndVersion(r, r.highestSupportedVersion()))
        .toList();
  }

  private void commit(ApiMessage... records) {
    long last = next + records.length - 1;
    metadata.handleCommit(
        List.of(new CommittedBatch(next, last, 4, 70 + next, BATCH_BYTES, versioned(records))));
    next = last + 1;
  }

  private static TopicRecord topic(String name, long id) {
    return new TopicRecord().name(name).topicId(new Uuid(1, id));
  }

  private static PartitionRecord partition(long topic, int leader) {
    return new PartitionRecord()
        .topicId(new Uuid(1, topic))
        .replicas(List.of(leader))
        .isr(List.of(leader))
        .leader(leader);
  }

  @Test
  void byBytesOfBatches() {
    limits(2 * BATCH_BYTES, 0);
    commit(topic("a", 1));
    assertEquals(List.of(), snapshots);
    commit(topic("b", 2));
    commit(new NoOpRecord());
    assertEquals(List.of("2-4 71 TopicRecord TopicRecord"), snapshots);
    busy = true;
    commit(new NoOpRecord());
    busy = false;
    commit(new NoOpRecord());
    assertEquals("5-4 74 TopicRecord TopicRecord", snapshots.get(1), "tried again");
  }

  @Test
  void byTimeIfThereIsAnythingNew() {
    limits(Long.MAX_VALUE, 1_000);
    commit(topic("a", 1));
    world.runFor(1_001);
    assertEquals(List.of(), snapshots);
    commit(new NoOpRecord());
    commit(new NoOpRecord());
    assertEquals(List.of("2-4 71 TopicRecord"), snapshots);
  }

  @Test
  void neverWithinATransaction() {
    limits(BATCH_BYTES, 0);
    commit(new BeginTransactionRecord());
    commit(topic("a", 1));
    assertEquals(List.of(), snapshots);
    commit(new EndTransactionRecord());
    assertEquals(List.of("3-4 72 TopicRecord"), snapshots);
  }

  @Test
  void aSnapshotInMidLifeIsAChangeLikeAnyOther() {
    List<ImageChange> changes = new ArrayList<>();
    limits(BATCH_BYTES + 1, 0).subscribe(new SinceRegistration(1, INCARNATION, changes::add));
    RegisterBrokerRecord own =
        new RegisterBrokerRecord().brokerId(1).brokerEpoch(5).incarnationId(INCARNATION);
    commit(topic("gone", 1), partition(1, 1), topic("moved", 2), partition(2, 1));
    assertEquals(0, changes.size(), "not registered yet");
    snapshots.clear();
    metadata.handleLoadSnapshot(
        new Snapshot(
            new OffsetAndEpoch(50, 6),
            0,
            versioned(own, topic("moved", 2), partition(2, 3), topic("made", 4), partition(4, 1))));
    assertEquals(1, changes.size());
    assertEquals(List.of("made", "moved"), names(changes.get(0).createdTopics()));
    assertEquals(49, metadata.get().offset());
    next = 50;
    commit(new NoOpRecord());
    assertEquals(List.of(), snapshots, "what was before the snapshot counts no more");

    metadata.handleLoadSnapshot(
        new Snapshot(
            new OffsetAndEpoch(90, 7),
            0,
            versioned(own, topic("moved", 2), partition(2, 1), topic("made", 5), partition(5, 1))));
    ImageChange second = changes.get(1);
    assertEquals(new Uuid(1, 5), second.createdTopics().get(0).id());
    assertEquals(new Uuid(1, 4), second.deletedTopics().get(0).id());
    assertEquals(3, second.partitions().size());
    assertTrue(second.partitions().stream().anyMatch(p -> p.topic().equals("moved")));
    assertEquals(List.of(), second.brokers());
  }

  private static List<String> names(List<TopicImage> topics) {
    return topics.stream().map(TopicImage::name).sorted().toList();
  }

  /** Takes snapshots down unless it is busy. */
  private final class Quorum implements RaftClient {
    @Override
    public short kraftVersion() {
      return 0;
    }

    @Override
    public String upgradeKraftVersion(int epoch, short version, boolean validateOnly) {
      return "not here";
    }

    @Override
    public boolean createSnapshot(
        OffsetAndEpoch id, long timestamp, Supplier<List<ApiMessageAndVersion>> records) {
      if (busy) {
        return false;
      }
      StringBuilder s = new StringBuilder(id.offset() + "-" + id.epoch() + " " + timestamp);
      records.get().forEach(r -> s.append(' ').append(r.message().getClass().getSimpleName()));
      snapshots.add(s.toString());
      return true;
    }

    @Override
    public void register(RaftListener listener) {}

    @Override
    public void unregister(RaftListener listener) {}

    @Override
    public long append(int epoch, List<ApiMessageAndVersion> records) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void resign(int epoch) {}

    @Override
    public LeaderAndEpoch leaderAndEpoch() {
      return LeaderAndEpoch.UNKNOWN;
    }

    @Override
    public long highWatermark() {
      return next;
    }

    @Override
    public long logEndOffset() {
      return next;
    }
  }
}
