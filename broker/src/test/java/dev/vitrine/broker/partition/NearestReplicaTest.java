package dev.vitrine.broker.partition;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.vitrine.metadata.MetadataImage;
import dev.vitrine.protocol.Errors;
import dev.vitrine.protocol.Uuid;
import dev.vitrine.protocol.message.RegisterBrokerRecord;
import dev.vitrine.sim.SimWorld;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.replica.ClientMetadata;
import org.apache.kafka.common.replica.PartitionView;
import org.apache.kafka.common.replica.RackAwareReplicaSelector;
import org.apache.kafka.common.replica.ReplicaView;
import org.junit.jupiter.api.Test;

/** The replica that a consumer is sent to (KIP-392), beside Kafka's own selector. */
class NearestReplicaTest {
  private static final String LISTENER = "PLAINTEXT";
  private static final String[] RACKS = {null, "a", "b", "c"};

  private final SimWorld world = new SimWorld(3);
  private final Replica leader = new Replica(world, 1, 1);

  private static MetadataImage brokers(boolean fenced, String... racks) {
    MetadataImage image = MetadataImage.EMPTY;
    for (int i = 0; i < racks.length; i++) {
      image =
          image.apply(
              new RegisterBrokerRecord()
                  .brokerId(i + 1)
                  .incarnationId(new Uuid(1, i))
                  .brokerEpoch(i)
                  .rack(racks[i])
                  .fenced(fenced && i > 0)
                  .endPoints(
                      List.of(
                          new RegisterBrokerRecord.BrokerEndpoint()
                              .name(LISTENER)
                              .host("h")
                              .port(9092))));
    }
    return image;
  }

  private int nearest(MetadataImage image, String rack, long offset) {
    return new NearestReplica(image, rack, LISTENER).of(leader.partition, offset);
  }

  private void write(int records) {
    for (int i = 0; i < records; i++) {
      leader.append(1, 0, "x");
    }
  }

  @Test
  void choosesAsKafkasSelectorDoes() {
    Random random = new Random(4);
    leader.lead(1, 0, 0, List.of(1, 2, 3));
    write(20);
    int redirected = 0;
    for (int round = 0; round < 500; round++) {
      long two = random.nextInt(21);
      long three = random.nextInt(21);
      leader.fetchAs(2, two).records().release();
      world.runFor(random.nextInt(3));
      leader.fetchAs(3, three).records().release();
      String[] racks = new String[3];
      for (int i = 0; i < 3; i++) {
        racks[i] = RACKS[random.nextInt(4)];
      }
      String rack = RACKS[1 + random.nextInt(3)];
      long offset = random.nextInt(21);
      int ours = nearest(brokers(false, racks), rack, offset);
      int theirs = theirs(racks, rack, offset, List.of(two, three));
      // They name the leader where ours says to stay.
      assertEquals(theirs == 1 ? NearestReplica.HERE : theirs, ours, "round " + round);
      redirected += ours > 0 ? 1 : 0;
    }
    assertTrue(redirected > 50);
  }

  /** As a Kafka broker asks its selector: in-sync replicas that have the offset, and the leader. */
  private int theirs(String[] racks, String rack, long offset, List<Long> ends) {
    Set<ReplicaView> views = new HashSet<>();
    ReplicaView first = view(1, racks[0], 20, 0);
    views.add(first);
    for (Partition.ReplicaView ours : leader.partition.readable(0)) {
      int id = ours.brokerId();
      long since = leader.shard.ticks() - ours.lastCaughtUpTicks();
      assertEquals(ends.get(id - 2), ours.logEndOffset());
      if (ours.logEndOffset() >= offset) {
        views.add(view(id, racks[id - 1], ours.logEndOffset(), since));
      }
    }
    ClientMetadata client =
        new ClientMetadata.DefaultClientMetadata(rack, "c", null, null, LISTENER);
    return new RackAwareReplicaSelector()
        .select(null, client, new PartitionView.DefaultPartitionView(views, first))
        .orElseThrow()
        .endpoint()
        .id();
  }

  private static ReplicaView view(int id, String rack, long end, long since) {
    return new ReplicaView.DefaultReplicaView(new Node(id, "h", 1, rack), end, since);
  }

  @Test
  void onlyWhoIsInSyncAndReachableAndHasTheOffset() {
    leader.lead(1, 0, 0, List.of(1, 2));
    write(5);
    leader.fetchAs(2, 3).records().release();
    leader.fetchAs(3, 5).records().release();
    leader.accept();
    leader.lead(1, 0, 7, List.of(1, 2));
    MetadataImage image = brokers(false, "a", "b", "c");
    assertEquals(2, nearest(image, "b", 3));
    assertEquals(NearestReplica.HERE, nearest(image, "b", 4));
    assertEquals(NearestReplica.HERE, nearest(image, "c", 3), "not in sync");
    assertEquals(NearestReplica.HERE, nearest(image, "", 3));
    assertEquals(NearestReplica.HERE, nearest(image, "d", 3));
    assertEquals(NearestReplica.HERE, nearest(brokers(true, "a", "b", "c"), "b", 3));
    assertEquals(
        NearestReplica.HERE, new NearestReplica(image, "b", "OTHER").of(leader.partition, 3));
  }

  @Test
  void followerSendsNobodyAway() {
    leader.lead(2, 0, 0, List.of(1, 2));
    assertEquals(NearestReplica.HERE, nearest(brokers(false, "a", "b", "c"), "b", 0));
  }

  @Test
  void whoIsSentAwayIsToldTheOffsetsAndGetsNothing() {
    leader.lead(1, 4, 0, List.of(1));
    write(5);
    ReadOutcome o = leader.partition.redirect(4, 2);
    assertEquals(Errors.NONE, o.error());
    assertEquals(2, o.preferredReplica());
    assertEquals(5, o.highWatermark());
    assertEquals(0, o.records().sizeInBytes());
    assertEquals(Errors.FENCED_LEADER_EPOCH, leader.partition.redirect(3, 2).error());
    assertEquals(Errors.UNKNOWN_LEADER_EPOCH, leader.partition.redirect(5, 2).error());
  }

  @Test
  void followerServesUpToItsHighWatermark() {
    Replica follower = new Replica(world, 2, 1);
    leader.lead(1, 0, 0, List.of(1, 2));
    follower.lead(1, 0, 0, List.of(1, 2));
    write(3);
    follower.follow(leader, 2);
    write(2);
    ReadOutcome first = leader.fetchAs(2, 3);
    ByteBuf records = Unpooled.buffer();
    first.records().writeTo(records);
    first.records().release();
    follower.partition.following().append(records, first.highWatermark(), 0);
    assertEquals(5, follower.partition.logEndOffset());
    assertEquals(3, follower.partition.highWatermark());
    assertEquals(3, count(follower, 0));
    assertEquals(0, count(follower, 3));
    assertEquals(0, count(follower, 5));
    assertEquals(Errors.OFFSET_OUT_OF_RANGE, consume(follower, 6).error());
  }

  private static ReadOutcome consume(Replica replica, long offset) {
    return replica.partition.read(
        new ReadRequest(
            -1, -1, 0, offset, -1, -1, 1 << 20, true, false, ReadLimit.HIGH_WATERMARK, false));
  }

  private static int count(Replica replica, long offset) {
    ReadOutcome o = consume(replica, offset);
    assertEquals(Errors.NONE, o.error());
    ByteBuf out = Unpooled.buffer();
    o.records().writeTo(out);
    o.records().release();
    int batches = 0;
    while (out.isReadable()) {
      out.skipBytes(12 + out.getInt(out.readerIndex() + 8));
      batches++;
    }
    return batches;
  }
}
