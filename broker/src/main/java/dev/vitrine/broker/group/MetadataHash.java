package dev.vitrine.broker.group;

import com.dynatrace.hash4j.hashing.HashStream64;
import com.dynatrace.hash4j.hashing.Hashing;
import dev.vitrine.metadata.BrokerRegistration;
import dev.vitrine.metadata.MetadataImage;
import dev.vitrine.metadata.PartitionImage;
import dev.vitrine.metadata.TopicImage;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SortedSet;

/**
 * What a group keeps of the topics that it is subscribed to (KIP-1101): if it differs, partitions,
 * racks or topics themselves have changed, and a new assignment is wanted. The number is Apache
 * Kafka's, so that a coordinator of the one that takes over a log of the other sees no change.
 */
final class MetadataHash {
  /** Version of the hash itself. */
  private static final byte MAGIC = 0;

  private MetadataHash() {}

  /** 0 if none of the topics is there. */
  static long of(SortedSet<String> topics, MetadataImage image) {
    HashStream64 all = null;
    for (String name : topics) {
      TopicImage topic = image.topic(name);
      if (topic != null) {
        all = all == null ? Hashing.xxh3_64().hashStream() : all;
        all.putLong(of(topic, image));
      }
    }
    return all == null ? 0 : all.getAsLong();
  }

  private static long of(TopicImage topic, MetadataImage image) {
    HashStream64 hash =
        Hashing.xxh3_64()
            .hashStream()
            .putByte(MAGIC)
            .putLong(topic.id().mostSignificantBits())
            .putLong(topic.id().leastSignificantBits())
            .putString(topic.name())
            .putInt(topic.partitionCount());
    for (int p = 0; p < topic.partitionCount(); p++) {
      hash.putInt(p);
      for (String rack : racks(topic.partition(p), image)) {
        hash.putInt(rack.length()).putString(rack);
      }
    }
    return hash.getAsLong();
  }

  private static List<String> racks(PartitionImage partition, MetadataImage image) {
    List<String> racks = new ArrayList<>();
    if (partition != null) {
      for (int replica : partition.replicas()) {
        BrokerRegistration broker = image.broker(replica);
        if (broker != null && broker.rack() != null) {
          racks.add(broker.rack());
        }
      }
    }
    Collections.sort(racks);
    return racks;
  }
}
