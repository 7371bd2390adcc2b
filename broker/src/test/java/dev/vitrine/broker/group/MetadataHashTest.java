package dev.vitrine.broker.group;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.vitrine.metadata.MetadataImage;
import dev.vitrine.protocol.Uuid;
import dev.vitrine.protocol.message.PartitionRecord;
import dev.vitrine.protocol.message.RegisterBrokerRecord;
import dev.vitrine.protocol.message.TopicRecord;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The hashes are those that Apache Kafka 4.4.0's own code computes for the same metadata. */
class MetadataHashTest {
  private static MetadataImage cluster() {
    MetadataImage image = MetadataImage.EMPTY;
    for (int i = 1; i <= 3; i++) {
      image =
          image.apply(
              new RegisterBrokerRecord()
                  .brokerId(i)
                  .brokerEpoch(i)
                  .incarnationId(new Uuid(1, i))
                  .rack(i == 3 ? null : "rack-é" + i));
    }
    image = topic(image, "t", 2, List.of(3));
    return topic(image, "orders", 3, List.of(2, 1, 3));
  }

  private static MetadataImage topic(
      MetadataImage image, String name, int partitions, List<Integer> replicas) {
    Uuid id = new Uuid(name.length(), 5);
    MetadataImage with = image.apply(new TopicRecord().name(name).topicId(id));
    for (int p = 0; p < partitions; p++) {
      with =
          with.apply(
              new PartitionRecord()
                  .topicId(id)
                  .partitionId(p)
                  .replicas(replicas)
                  .isr(List.of(replicas.get(0)))
                  .leader(replicas.get(0))
                  .directories(Collections.nCopies(replicas.size(), new Uuid(9, 9))));
    }
    return with;
  }

  private static long hash(String... topics) {
    return MetadataHash.of(ConsumerMember.sorted(List.of(topics)), cluster());
  }

  @Test
  void isApacheKafkas() {
    assertEquals(2633337133598344065L, hash("t"));
    assertEquals(-6597869333362341587L, hash("t", "orders"));
  }

  @Test
  void topicsThatAreNotThereDoNotCount() {
    assertEquals(0, hash());
    assertEquals(0, hash("none"));
    assertEquals(hash("t"), hash("none", "t"));
  }
}
