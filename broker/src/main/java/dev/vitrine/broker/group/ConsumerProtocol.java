package dev.vitrine.broker.group;

import dev.vitrine.metadata.MetadataImage;
import dev.vitrine.metadata.TopicImage;
import dev.vitrine.protocol.MalformedMessageException;
import dev.vitrine.protocol.MessageWriter;
import dev.vitrine.protocol.Uuid;
import dev.vitrine.protocol.message.ConsumerProtocolAssignment;
import dev.vitrine.protocol.message.ConsumerProtocolSubscription;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * What consumers of the classic protocol say to one another in its opaque bytes: the broker reads
 * and writes it where they share a group with members of the consumer protocol. A later version
 * than is known is read as the newest that is.
 */
final class ConsumerProtocol {
  private static final int NEWEST = 3;

  private ConsumerProtocol() {}

  /**
   * @throws MalformedMessageException if these are not the bytes of a subscription
   */
  static ConsumerProtocolSubscription subscription(byte[] bytes) {
    ByteBuf in = Unpooled.wrappedBuffer(bytes);
    short version = version(in);
    ConsumerProtocolSubscription s = new ConsumerProtocolSubscription();
    s.read(in, version);
    return s;
  }

  /**
   * @throws MalformedMessageException if these are not the bytes of an assignment
   */
  static ConsumerProtocolAssignment assignment(byte[] bytes) {
    ByteBuf in = Unpooled.wrappedBuffer(bytes);
    short version = version(in);
    ConsumerProtocolAssignment a = new ConsumerProtocolAssignment();
    a.read(in, version);
    return a;
  }

  /** The version that the bytes are of. */
  static short version(byte[] bytes) {
    return version(Unpooled.wrappedBuffer(bytes));
  }

  private static short version(ByteBuf in) {
    if (in.readableBytes() < 2) {
      throw new MalformedMessageException("no version");
    }
    short version = in.readShort();
    if (version < 0) {
      throw new MalformedMessageException("version " + version);
    }
    return (short) Math.min(version, NEWEST);
  }

  /** What a member is told that it owns; topics that are gone are left out. */
  static byte[] write(
      Map<Uuid, ? extends Set<Integer>> owned, MetadataImage cluster, short version) {
    TreeMap<String, List<Integer>> byName = new TreeMap<>();
    owned.forEach(
        (id, partitions) -> {
          TopicImage topic = cluster.topic(id);
          if (topic != null) {
            byName.put(topic.name(), new ArrayList<>(partitions));
          }
        });
    ConsumerProtocolAssignment a = new ConsumerProtocolAssignment();
    byName.forEach(
        (name, partitions) ->
            a.assignedPartitions()
                .add(
                    new ConsumerProtocolAssignment.TopicPartition()
                        .topic(name)
                        .partitions(partitions)));
    byte[] bytes = new byte[2 + a.size(version)];
    ByteBuf out = Unpooled.wrappedBuffer(bytes).writerIndex(0);
    out.writeShort(version);
    a.write(new MessageWriter(out), version);
    return bytes;
  }

  static byte[] write(PartitionEpochs owned, MetadataImage cluster, short version) {
    TreeMap<Uuid, Set<Integer>> partitions = new TreeMap<>();
    owned.byTopic().forEach((topic, epochs) -> partitions.put(topic, epochs.keySet()));
    return write(partitions, cluster, version);
  }

  /** What a member says that it owns; topics that are gone are left out. */
  static Map<Uuid, Set<Integer>> owned(ConsumerProtocolSubscription s, MetadataImage cluster) {
    TreeMap<Uuid, Set<Integer>> owned = new TreeMap<>();
    s.ownedPartitions().forEach(t -> add(t.topic(), t.partitions(), cluster, owned));
    return owned;
  }

  static Map<Uuid, Set<Integer>> assigned(ConsumerProtocolAssignment a, MetadataImage cluster) {
    TreeMap<Uuid, Set<Integer>> assigned = new TreeMap<>();
    a.assignedPartitions().forEach(t -> add(t.topic(), t.partitions(), cluster, assigned));
    return assigned;
  }

  private static void add(
      String name, List<Integer> partitions, MetadataImage cluster, Map<Uuid, Set<Integer>> to) {
    TopicImage topic = cluster.topic(name);
    if (topic != null) {
      to.computeIfAbsent(topic.id(), id -> new TreeSet<>()).addAll(partitions);
    }
  }
}
