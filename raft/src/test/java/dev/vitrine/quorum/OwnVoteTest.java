package dev.vitrine.quorum;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.vitrine.protocol.ApiMessage;
import dev.vitrine.protocol.Errors;
import dev.vitrine.protocol.Uuid;
import dev.vitrine.protocol.message.AddRaftVoterRequest;
import dev.vitrine.protocol.message.AddRaftVoterResponse;
import dev.vitrine.protocol.message.FetchRequest;
import dev.vitrine.protocol.message.FetchResponse;
import dev.vitrine.protocol.message.RemoveRaftVoterRequest;
import dev.vitrine.protocol.message.UpdateRaftVoterRequest;
import dev.vitrine.protocol.message.UpdateRaftVoterResponse;
import dev.vitrine.seam.Endpoint;
import java.util.List;
import org.junit.jupiter.api.Test;

/** How a follower sees to its own place among the voters, and how it finds the quorum. */
class OwnVoteTest {
  private static final int FETCH_TIMEOUT_MS = QuorumConfig.Timeouts.DEFAULT.fetchTimeoutMs();

  private static long count(CoreFixture f, Class<? extends ApiMessage> type) {
    return f.all(QuorumEffect.Send.class).stream()
        .filter(s -> type.isInstance(s.message()))
        .count();
  }

  /** The leader answers fetches until its time-out has passed. */
  private static void follow(CoreFixture f, int leader, int epoch) {
    for (int ms = 0; ms <= FETCH_TIMEOUT_MS; ms += 500) {
      f.tick(500);
      f.answer(f.lastSend(leader, FetchRequest.class), CoreFixture.fetched(leader, epoch, 0));
    }
  }

  private static CoreFixture follower(CoreFixture f) {
    f.unattached(5);
    f.request(CoreFixture.begin(2, 5));
    return f;
  }

  @Test
  void aVoterThatTheLogKnowsElsewhereTellsTheLeader() {
    CoreFixture f = CoreFixture.dynamic(3);
    VoterSet.Voter before =
        new VoterSet.Voter(
            1,
            CoreFixture.DIRECTORY,
            List.of(new VoterSet.Listener("CONTROLLER", new Endpoint("old", 1))),
            QuorumConfig.KRAFT_VERSIONS);
    f.log.continueBehind(
        new Snapshot(
            OffsetAndEpoch.BOOTSTRAP, 0, (short) 1, CoreFixture.voters(3).with(before), List.of()));
    follower(f);
    follow(f, 2, 5);
    UpdateRaftVoterRequest q =
        (UpdateRaftVoterRequest) f.lastSend(2, UpdateRaftVoterRequest.class).message();
    assertEquals("host1", q.listeners().get(0).host());
    assertEquals(5, q.currentLeaderEpoch());
    assertEquals(1, count(f, UpdateRaftVoterRequest.class), "one at a time");
    f.fail(f.lastSend(2, UpdateRaftVoterRequest.class), QuorumTransport.Failure.TIMEOUT);
    follow(f, 2, 5);
    assertEquals(2, count(f, UpdateRaftVoterRequest.class), "again, while the log says otherwise");
  }

  @Test
  void aVoterThatTheLogKnowsIsSilent() {
    CoreFixture f = follower(CoreFixture.dynamic(3));
    follow(f, 2, 5);
    assertEquals(0, count(f, UpdateRaftVoterRequest.class));
  }

  @Test
  void atKraftVersion0EachLeaderIsToldOnce() {
    CoreFixture f = new CoreFixture(3).follower(5, 2);
    follow(f, 2, 5);
    assertEquals(1, count(f, UpdateRaftVoterRequest.class));
    UpdateRaftVoterResponse told = new UpdateRaftVoterResponse();
    told.currentLeader().leaderId(2).leaderEpoch(5);
    f.answer(f.lastSend(2, UpdateRaftVoterRequest.class), told);
    follow(f, 2, 5);
    assertEquals(1, count(f, UpdateRaftVoterRequest.class));
    f.request(CoreFixture.begin(3, 6));
    follow(f, 3, 6);
    assertEquals(2, count(f, UpdateRaftVoterRequest.class));
  }

  @Test
  void anObserverJoinsByItselfOnlyIfItIsTo() {
    for (boolean autoJoin : new boolean[] {false, true}) {
      CoreFixture f = follower(CoreFixture.dynamic(4, 3, autoJoin));
      follow(f, 2, 5);
      assertEquals(autoJoin ? 1 : 0, count(f, AddRaftVoterRequest.class));
    }
    CoreFixture f = follower(CoreFixture.dynamic(4, 3, true));
    follow(f, 2, 5);
    AddRaftVoterRequest q =
        (AddRaftVoterRequest) f.lastSend(2, AddRaftVoterRequest.class).message();
    assertFalse(q.ackWhenCommitted(), "the commit may need its own fetches");
    assertEquals(new Uuid(7, 4), q.voterDirectoryId());
    f.answer(
        f.lastSend(2, AddRaftVoterRequest.class),
        new AddRaftVoterResponse().errorCode(Errors.REQUEST_TIMED_OUT.code()));
    follow(f, 2, 5);
    assertEquals(2, count(f, AddRaftVoterRequest.class));
  }

  @Test
  void whatItWasWithAnotherDirectoryIsRemovedFirst() {
    CoreFixture f = CoreFixture.dynamic(4, 3, true);
    VoterSet.Voter before =
        new VoterSet.Voter(
            4, new Uuid(9, 9), CoreFixture.voter(4).listeners(), QuorumConfig.KRAFT_VERSIONS);
    f.log.continueBehind(
        new Snapshot(
            OffsetAndEpoch.BOOTSTRAP, 0, (short) 1, CoreFixture.voters(3).with(before), List.of()));
    follower(f);
    follow(f, 2, 5);
    RemoveRaftVoterRequest q =
        (RemoveRaftVoterRequest) f.lastSend(2, RemoveRaftVoterRequest.class).message();
    assertEquals(new Uuid(9, 9), q.voterDirectoryId());
    assertEquals(0, count(f, AddRaftVoterRequest.class));
  }

  @Test
  void whoKnowsNoVoterAsksTheBootstrapServersAndGoesWhereTheySay() {
    CoreFixture f = CoreFixture.dynamic(4, 0, false).unattached(0);
    QuorumEffect.Send first = f.lastSend(-2, FetchRequest.class);
    assertEquals(new Endpoint("boot", 1), first.to());
    FetchResponse r = CoreFixture.fetched(7, 3, -1);
    QuorumAnswers.only(r).errorCode(Errors.NOT_LEADER_OR_FOLLOWER.code());
    r.nodeEndpoints().add(new FetchResponse.NodeEndpoint().nodeId(7).host("there").port(77));
    f.answer(first, r);
    assertEquals(new LeaderAndEpoch(7, 3), f.core.leaderAndEpoch());
    assertEquals(new Endpoint("there", 77), f.lastSend(7, FetchRequest.class).to());
    assertTrue(f.core.nextDeadline() < Long.MAX_VALUE);
  }

  @Test
  void anObserverThatMayBecomeAVoterSyncsBeforeItAsksForMore() {
    CoreFixture f = CoreFixture.dynamic(4, 3, false);
    f.log.with(1, 5);
    f.unattached(1);
    assertEquals(0, count(f, FetchRequest.class));
    f.flush();
    assertEquals(1, count(f, FetchRequest.class));
  }
}
