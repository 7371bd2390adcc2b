package dev.vitrine.quorum;

import static dev.vitrine.quorum.CoreFixture.fetch;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.vitrine.protocol.Errors;
import dev.vitrine.protocol.Uuid;
import dev.vitrine.protocol.message.FetchRequest;
import dev.vitrine.protocol.message.FetchResponse;
import dev.vitrine.protocol.message.FetchSnapshotRequest;
import dev.vitrine.protocol.message.FetchSnapshotResponse;
import dev.vitrine.protocol.record.MemoryRecords;
import io.netty.buffer.Unpooled;
import java.util.List;
import org.junit.jupiter.api.Test;

/** KIP-630 from both sides: who is sent to a snapshot, what is served of it, what is made of it. */
class SnapshotRulesTest {
  private static final OffsetAndEpoch ID = new OffsetAndEpoch(10, 3);

  private static FetchSnapshotRequest ask(String topic, int epoch, OffsetAndEpoch id, long at) {
    return new FetchSnapshotRequest()
        .clusterId("cluster")
        .replicaId(2)
        .maxBytes(100)
        .topics(
            List.of(
                new FetchSnapshotRequest.TopicSnapshot()
                    .name(topic)
                    .partitions(
                        List.of(
                            new FetchSnapshotRequest.PartitionSnapshot()
                                .currentLeaderEpoch(epoch)
                                .replicaDirectoryId(new Uuid(7, 2))
                                .position(at)
                                .snapshotId(
                                    new FetchSnapshotRequest.SnapshotId()
                                        .endOffset(id.offset())
                                        .epoch(id.epoch()))))));
  }

  private static CoreFixture leaderBehindSnapshot() {
    CoreFixture f = new CoreFixture(3);
    f.log.continueBehind(new Snapshot(ID, 0, List.of()));
    f.log.snapshotSize = 250;
    f.log.with(4, 2);
    return f.leader(5);
  }

  @Test
  void refusesAsKafkaDoes() {
    CoreFixture f = leaderBehindSnapshot();
    String ours = QuorumRequests.TOPIC;
    OffsetAndEpoch other = new OffsetAndEpoch(9, 3);
    assertEquals(Errors.SNAPSHOT_NOT_FOUND, error(f, ask(ours, 5, other, 0)));
    assertEquals(Errors.SNAPSHOT_NOT_FOUND, error(f, ask(ours, 5, OffsetAndEpoch.BOOTSTRAP, 0)));
    assertEquals(Errors.POSITION_OUT_OF_RANGE, error(f, ask(ours, 5, ID, 250)));
    assertEquals(Errors.POSITION_OUT_OF_RANGE, error(f, ask(ours, 5, ID, -1)));
    assertEquals(Errors.FENCED_LEADER_EPOCH, error(f, ask(ours, 4, ID, 0)));
    assertEquals(Errors.UNKNOWN_LEADER_EPOCH, error(f, ask(ours, 6, ID, 0)));
    assertEquals(Errors.UNKNOWN_TOPIC_OR_PARTITION, error(f, ask("other", 5, ID, 0)));
    assertEquals(
        Errors.INCONSISTENT_CLUSTER_ID, error(f, ask(ours, 5, ID, 0).clusterId("elsewhere")));
    assertEquals(Errors.INVALID_REQUEST, error(f, ask(ours, 5, ID, 0).topics(List.of())));
    CoreFixture g = new CoreFixture(3).follower(5, 2);
    assertEquals(Errors.NOT_LEADER_OR_FOLLOWER, error(g, ask(ours, 5, ID, 0)));
  }

  private static Errors error(CoreFixture f, FetchSnapshotRequest q) {
    FetchSnapshotResponse r = (FetchSnapshotResponse) f.request(q);
    return Errors.forCode(
        QuorumAnswers.only(r) == null ? r.errorCode() : QuorumAnswers.only(r).errorCode());
  }

  @Test
  void servesFromThePositionAsMuchAsIsAskedFor() {
    CoreFixture f = leaderBehindSnapshot();
    f.request(ask(QuorumRequests.TOPIC, 5, ID, 70));
    QuorumEffect.RespondWithSnapshot e = f.all(QuorumEffect.RespondWithSnapshot.class).get(0);
    assertEquals(70, e.position());
    assertEquals(100, e.maxBytes());
    FetchSnapshotResponse.PartitionSnapshot p = QuorumAnswers.only(e.message());
    assertEquals(250, p.size());
    assertEquals(70, p.position());
    assertEquals(ID.offset(), p.snapshotId().endOffset());
    assertEquals(ID.epoch(), p.snapshotId().epoch());
    assertEquals(1, p.currentLeader().leaderId());
    assertEquals(5, p.currentLeader().leaderEpoch());
  }

  @Test
  void whoComesFromBeforeTheLogIsSentToTheSnapshot() {
    CoreFixture f = leaderBehindSnapshot();
    record Case(long offset, int epoch, boolean snapshot, int divergingEpoch, long end) {}
    for (Case c :
        List.of(
            new Case(0, 0, true, -1, -1),
            new Case(9, 3, true, -1, -1),
            new Case(10, 2, true, -1, -1),
            new Case(11, 2, true, -1, -1),
            new Case(10, 4, true, -1, -1),
            new Case(11, 3, false, 3, 10),
            new Case(10, 3, false, -1, -1),
            new Case(12, 4, false, -1, -1))) {
      FetchResponse r = (FetchResponse) f.request(fetch(2, 5, c.offset, c.epoch, 0));
      FetchResponse.PartitionData p = QuorumAnswers.only(r);
      assertEquals(c.snapshot ? ID.offset() : -1, p.snapshotId().endOffset(), c.toString());
      assertEquals(c.divergingEpoch, p.divergingEpoch().epoch(), c.toString());
      assertEquals(c.end, p.divergingEpoch().endOffset(), c.toString());
    }
  }

  private static FetchSnapshotResponse part(OffsetAndEpoch id, long at, int bytes, long size) {
    FetchSnapshotResponse.PartitionSnapshot p =
        new FetchSnapshotResponse.PartitionSnapshot()
            .position(at)
            .size(size)
            .snapshotId(
                new FetchSnapshotResponse.SnapshotId().endOffset(id.offset()).epoch(id.epoch()))
            .unalignedRecords(new MemoryRecords(Unpooled.wrappedBuffer(new byte[bytes])));
    p.currentLeader().leaderId(2).leaderEpoch(5);
    return new FetchSnapshotResponse()
        .topics(List.of(new FetchSnapshotResponse.TopicSnapshot().partitions(List.of(p))));
  }

  /** Follows 2 in epoch 5 and has been sent to the snapshot. */
  private static CoreFixture fetching() {
    CoreFixture f = new CoreFixture(3).follower(5, 2);
    f.flush();
    FetchResponse r = CoreFixture.fetched(2, 5, 12);
    QuorumAnswers.only(r).snapshotId().endOffset(ID.offset()).epoch(ID.epoch());
    f.answer(f.lastSend(2, FetchRequest.class), r);
    return f;
  }

  private static long asked(CoreFixture f) {
    FetchSnapshotRequest q =
        (FetchSnapshotRequest) f.lastSend(2, FetchSnapshotRequest.class).message();
    return q.topics().get(0).partitions().get(0).position();
  }

  private static void answer(CoreFixture f, FetchSnapshotResponse r) {
    f.answer(f.lastSend(2, FetchSnapshotRequest.class), r);
  }

  @Test
  void fetchesPartByPartThenGoesOnBehindIt() {
    CoreFixture f = fetching();
    assertEquals(0, asked(f));
    answer(f, part(ID, 0, 100, 150));
    assertEquals(100, asked(f));
    int sent = f.all(QuorumEffect.Send.class).size();
    answer(f, part(ID, 100, 50, 150));
    List<QuorumEffect.StoreSnapshot> stored = f.all(QuorumEffect.StoreSnapshot.class);
    assertFalse(stored.get(0).last());
    assertTrue(stored.get(1).last());
    assertEquals(sent, f.all(QuorumEffect.Send.class).size(), "asks before it is durable");
    assertEquals(-1, f.core.highWatermark());
    f.log.continueBehind(new Snapshot(ID, 0, List.of()));
    f.step(new QuorumEvent.SnapshotStored(ID));
    assertEquals(10, f.core.highWatermark());
    FetchRequest q = (FetchRequest) f.lastSend(2, FetchRequest.class).message();
    assertEquals(10, q.topics().get(0).partitions().get(0).fetchOffset());
    assertEquals(3, q.topics().get(0).partitions().get(0).lastFetchedEpoch());
  }

  @Test
  void aPartThatDoesNotFollowIsNotStored() {
    for (FetchSnapshotResponse bad :
        List.of(
            part(ID, 1, 10, 150),
            part(ID, 0, 0, 150),
            part(ID, 0, 151, 150),
            part(new OffsetAndEpoch(11, 3), 0, 10, 150))) {
      CoreFixture f = fetching();
      answer(f, bad);
      assertTrue(f.all(QuorumEffect.StoreSnapshot.class).isEmpty());
      f.tick(100);
      f.lastSend(2, FetchRequest.class);
    }
  }

  @Test
  void oneThatIsGoneIsGivenUpForWhatTheNextFetchTells() {
    CoreFixture f = fetching();
    FetchSnapshotResponse r = part(ID, 0, 10, 150);
    QuorumAnswers.only(r).errorCode(Errors.SNAPSHOT_NOT_FOUND.code());
    answer(f, r);
    f.tick(100);
    f.lastSend(2, FetchRequest.class);
    assertTrue(f.all(QuorumEffect.StoreSnapshot.class).isEmpty());
  }

  @Test
  void oneOfWhatIsCommittedHereIsNotFetched() {
    CoreFixture f = new CoreFixture(3);
    f.log.with(1, 12);
    f.follower(5, 2);
    f.flush();
    f.answer(f.lastSend(2, FetchRequest.class), CoreFixture.fetched(2, 5, 12));
    FetchResponse r = CoreFixture.fetched(2, 5, 12);
    QuorumAnswers.only(r).snapshotId().endOffset(ID.offset()).epoch(ID.epoch());
    f.answer(f.lastSend(2, FetchRequest.class), r);
    f.tick(100);
    f.lastSend(2, FetchRequest.class);
    assertTrue(
        f.all(QuorumEffect.Send.class).stream()
            .noneMatch(s -> s.message() instanceof FetchSnapshotRequest));
  }
}
