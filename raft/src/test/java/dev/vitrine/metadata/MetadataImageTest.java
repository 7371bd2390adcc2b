package dev.vitrine.metadata;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.vitrine.protocol.ApiMessage;
import dev.vitrine.protocol.MessageWriter;
import dev.vitrine.protocol.Uuid;
import dev.vitrine.protocol.message.*;
import dev.vitrine.quorum.ApiMessageAndVersion;
import dev.vitrine.quorum.CommittedBatch;
import dev.vitrine.quorum.OffsetAndEpoch;
import dev.vitrine.quorum.Snapshot;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

class MetadataImageTest {
  @Property(tries = 150)
  void recordsOfAnImageRebuildIt(@ForAll long seed) {
    RandomRecords random = new RandomRecords(seed);
    MetadataImage image = MetadataImage.EMPTY;
    for (int i = 0; i < 200; i++) {
      image = image.apply(random.next(image));
    }
    MetadataImage rebuilt = MetadataImage.EMPTY;
    for (ApiMessage record : image.records()) {
      rebuilt = rebuilt.apply(throughBytes(record));
    }
    assertEquals(image.visible(), rebuilt);
  }

  /** What is written in the version of our choice comes back whole. */
  private static ApiMessage throughBytes(ApiMessage record) {
    short version = RecordVersions.of(record);
    ByteBuf bytes = Unpooled.buffer();
    record.write(new MessageWriter(bytes), version);
    ApiMessage read = MetadataRecordType.forId(record.apiKey()).newRecord();
    read.read(bytes, version);
    return read;
  }

  @Property(tries = 150)
  void changesAddUpToTheImage(@ForAll long seed) {
    RandomRecords random = new RandomRecords(seed);
    ImageLoader loader = new ImageLoader();
    MetadataImage image = MetadataImage.EMPTY;
    Mirror mirror = new Mirror();
    long offset = -1;
    for (int batch = 0; batch < 40; batch++) {
      List<ApiMessageAndVersion> records = new ArrayList<>();
      long base = offset + 1;
      for (int i = random.upTo(8); i >= 0; i--) {
        ApiMessage record = random.next(image);
        image = image.apply(record);
        records.add(new ApiMessageAndVersion(record, RecordVersions.of(record)));
        offset++;
      }
      ImageChange change = loader.apply(new CommittedBatch(base, offset, 3, 0, 0, records));
      if (image.transactionStart() != null) {
        assertNull(change);
      } else {
        assertEquals(image.at(offset, 3), change.after());
        mirror.follow(change);
        mirror.assertSame(image);
      }
    }
    ImageChange all = ImageChange.between(MetadataImage.EMPTY, loader.image());
    Mirror fresh = new Mirror();
    fresh.follow(all);
    fresh.assertSame(loader.image());
  }

  /** Somebody who only hears of changes. */
  private static final class Mirror {
    final Map<Uuid, Map<Integer, PartitionImage>> partitions = new HashMap<>();
    final Set<Uuid> topics = new HashSet<>();
    final Map<Integer, BrokerRegistration> brokers = new HashMap<>();
    final Map<ConfigResource, Map<String, String>> configs = new HashMap<>();

    void follow(ImageChange change) {
      change.createdTopics().forEach(t -> assertTrue(topics.add(t.id())));
      change.deletedTopics().forEach(t -> assertTrue(topics.remove(t.id())));
      for (PartitionChange p : change.partitions()) {
        Map<Integer, PartitionImage> of =
            partitions.computeIfAbsent(p.topicId(), id -> new HashMap<>());
        assertEquals(of.get(p.partition()), p.before());
        if (p.after() == null) {
          of.remove(p.partition());
        } else {
          of.put(p.partition(), p.after());
        }
        if (of.isEmpty()) {
          partitions.remove(p.topicId());
        }
      }
      for (int id : change.brokers()) {
        if (change.after().broker(id) == null) {
          brokers.remove(id);
        } else {
          brokers.put(id, change.after().broker(id));
        }
      }
      for (ConfigResource r : change.configs()) {
        if (change.after().configs().of(r).isEmpty()) {
          configs.remove(r);
        } else {
          configs.put(r, change.after().configs().of(r));
        }
      }
    }

    void assertSame(MetadataImage image) {
      Set<Uuid> ids = new TreeSet<>();
      Map<Uuid, Map<Integer, PartitionImage>> all = new HashMap<>();
      for (TopicImage t : image.topics().all()) {
        ids.add(t.id());
        assertEquals(t, image.topic(t.name()));
        if (t.partitionCount() > 0) {
          all.put(t.id(), new HashMap<>(t.partitions()));
        }
      }
      assertEquals(ids, topics);
      assertEquals(all, partitions);
      assertEquals(image.cluster().brokers(), brokers);
      assertEquals(image.configs().resources(), configs);
    }
  }

  @Test
  void refusesWhatItDoesNotKnow() {
    ApiMessage foreign = new FetchRequest();
    MetadataImage image = MetadataImage.EMPTY;
    // 1 is the number of a record too; what matters is that nothing is applied in silence.
    assertThrows(RuntimeException.class, () -> image.apply(foreign));
    InvalidMetadataRecordException e =
        assertThrows(
            InvalidMetadataRecordException.class, () -> image.apply(new ControlledShutdown()));
    assertTrue(e.getMessage().contains("ControlledShutdown"), e.getMessage());
    e =
        assertThrows(
            InvalidMetadataRecordException.class,
            () -> image.apply(new PartitionRecord().topicId(new Uuid(4, 4))));
    assertTrue(e.getMessage().contains("PartitionRecord"), e.getMessage());
  }

  /** A message with a number that no metadata record has. */
  private static final class ControlledShutdown extends NoMessage {
    @Override
    public short apiKey() {
      return 77;
    }

    @Override
    public String toString() {
      return "ControlledShutdown";
    }
  }

  @Test
  void electionRaisesTheLeaderEpochAndEachChangeThePartitionEpoch() {
    Uuid id = new Uuid(1, 1);
    MetadataImage image =
        MetadataImage.EMPTY
            .apply(new TopicRecord().name("t").topicId(id))
            .apply(
                new PartitionRecord()
                    .topicId(id)
                    .partitionId(0)
                    .replicas(List.of(1, 2))
                    .isr(List.of(1, 2))
                    .leader(1)
                    .leaderEpoch(4)
                    .partitionEpoch(9));
    PartitionImage shrunk =
        image
            .apply(new PartitionChangeRecord().topicId(id).partitionId(0).isr(List.of(1)))
            .partition(id, 0);
    assertEquals(4, shrunk.leaderEpoch());
    assertEquals(10, shrunk.partitionEpoch());
    PartitionImage none =
        image
            .apply(new PartitionChangeRecord().topicId(id).partitionId(0).leader(-1))
            .partition("t", 0);
    assertEquals(5, none.leaderEpoch());
    assertFalse(none.hasLeader());
    assertEquals(4, image.partition("t", 0).leaderEpoch());
  }

  @Test
  void deletedTopicTakesItsConfigsWithIt() {
    Uuid id = new Uuid(1, 1);
    MetadataImage image =
        MetadataImage.EMPTY
            .apply(new TopicRecord().name("t").topicId(id))
            .apply(
                new ConfigRecord().resourceType((byte) 2).resourceName("t").name("a").value("1"));
    assertEquals(Map.of("a", "1"), image.configs().topic("t"));
    MetadataImage gone = image.apply(new RemoveTopicRecord().topicId(id));
    assertNull(gone.topic("t"));
    assertTrue(gone.configs().topic("t").isEmpty());
    assertEquals(List.of(ConfigResource.topic("t")), ImageChange.between(image, gone).configs());
  }

  @Test
  void abortedTransactionLeavesNoTrace() {
    MetadataImage before =
        MetadataImage.EMPTY.apply(new TopicRecord().name("t").topicId(new Uuid(1, 1)));
    MetadataImage open =
        before
            .apply(new BeginTransactionRecord())
            .apply(new TopicRecord().name("u").topicId(new Uuid(1, 2)));
    assertNotNull(open.topic("u"));
    assertNull(open.visible().topic("u"));
    assertEquals(before, open.apply(new AbortTransactionRecord()));
    MetadataImage ended = open.apply(new EndTransactionRecord());
    assertSame(ended, ended.visible());
    assertNotNull(ended.topic("u"));
  }

  @Test
  void bootstrapSnapshotIsIgnored() {
    ImageLoader loader = new ImageLoader();
    List<ApiMessageAndVersion> records =
        List.of(
            new ApiMessageAndVersion(
                new FeatureLevelRecord().name("metadata.version").featureLevel((short) 33),
                (short) 0));
    ImageChange change = loader.load(new Snapshot(OffsetAndEpoch.BOOTSTRAP, 0, records));
    assertTrue(change.isEmpty());
    assertEquals(0, loader.image().features().metadataVersion());
    change = loader.load(new Snapshot(new OffsetAndEpoch(12, 3), 0, records));
    assertTrue(change.features());
    assertEquals(11, loader.image().offset());
    assertEquals(33, loader.image().features().metadataVersion());
  }

  @Test
  void clientsSeeBrokersOfTheirListenerThatAreNotFenced() {
    MetadataImage image = MetadataImage.EMPTY;
    for (int id = 1; id <= 3; id++) {
      image =
          image.apply(
              new RegisterBrokerRecord()
                  .brokerId(id)
                  .brokerEpoch(id)
                  .fenced(id == 2)
                  .endPoints(
                      List.of(
                          new RegisterBrokerRecord.BrokerEndpoint()
                              .name(id == 3 ? "OTHER" : "PLAINTEXT")
                              .host("h")
                              .port(id))));
    }
    assertEquals(1, image.aliveBrokers("PLAINTEXT").size());
    assertEquals(1, image.aliveEndpoint(1, "PLAINTEXT").port());
    assertNull(image.aliveEndpoint(2, "PLAINTEXT"));
    assertNull(image.aliveEndpoint(3, "PLAINTEXT"));
  }
}
