package dev.vitrine.quorum;

import static dev.vitrine.quorum.CoreFixture.code;
import static dev.vitrine.quorum.CoreFixture.fetch;
import static dev.vitrine.quorum.CoreFixture.voteRequest;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.vitrine.protocol.ApiMessage;
import dev.vitrine.protocol.Errors;
import dev.vitrine.protocol.Uuid;
import dev.vitrine.protocol.message.BeginQuorumEpochRequest;
import dev.vitrine.protocol.message.DescribeQuorumRequest;
import dev.vitrine.protocol.message.DescribeQuorumResponse;
import dev.vitrine.protocol.message.EndQuorumEpochRequest;
import dev.vitrine.protocol.message.FetchRequest;
import dev.vitrine.protocol.message.FetchResponse;
import dev.vitrine.protocol.message.FetchSnapshotRequest;
import dev.vitrine.protocol.message.LeaderChangeMessage;
import dev.vitrine.protocol.message.VoteRequest;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The core alone: elections, leadership, replication, one rule a test. */
class QuorumCoreTest {
  private static LeaderAndEpoch leader(int id, int epoch) {
    return new LeaderAndEpoch(id, epoch);
  }

  // --- elections ---

  @Test
  void aSingleVoterLeadsAtOnce() {
    CoreFixture f = new CoreFixture(1).start(ElectionState.INITIAL);
    assertEquals(leader(1, 1), f.core.leaderAndEpoch());
    assertEquals(new ElectionState(1, 1, -1, Uuid.ZERO), f.lastPersisted());
    assertEquals(-1, f.core.highWatermark());
    f.flush();
    assertEquals(1, f.core.highWatermark());
    assertTrue(f.all(QuorumEffect.Send.class).isEmpty());
  }

  @Test
  void asksForPreVotesThenVotesThenLeads() {
    CoreFixture f = new CoreFixture(3);
    f.log.with(2, 3);
    f.unattached(4);
    f.tick(200);
    VoteRequest.PartitionData p = lastVote(f, 2);
    assertTrue(p.preVote());
    assertEquals(4, p.replicaEpoch());
    assertEquals(2, p.lastOffsetEpoch());
    assertEquals(3, p.lastOffset());
    assertNull(f.lastPersisted(), "nothing to remember of a pre-vote");
    f.answerVote(3, true);
    assertEquals(new ElectionState(5, -1, 1, CoreFixture.DIRECTORY), f.lastPersisted());
    p = lastVote(f, 3);
    assertFalse(p.preVote());
    assertEquals(5, p.replicaEpoch());
    f.answerVote(3, true);
    assertEquals(leader(1, 5), f.core.leaderAndEpoch());
    assertEquals(new ElectionState(5, 1, -1, Uuid.ZERO), f.lastPersisted());
    List<ControlRecords.Entry> started = f.all(QuorumEffect.AppendControl.class).get(0).records();
    LeaderChangeMessage change = (LeaderChangeMessage) started.get(0).value();
    assertEquals(1, change.leaderId());
    assertEquals(3, change.voters().size());
    assertEquals(2, change.grantingVoters().size());
    assertEquals(1, started.size());
    assertNotNull(f.lastSend(2, BeginQuorumEpochRequest.class));
    assertNotNull(f.lastSend(3, BeginQuorumEpochRequest.class));
  }

  private static VoteRequest.PartitionData lastVote(CoreFixture f, int node) {
    VoteRequest q = (VoteRequest) f.lastSend(node, VoteRequest.class).message();
    return q.topics().get(0).partitions().get(0);
  }

  @Test
  void whatMustBeDurableComesBeforeWhatIsSent() {
    CoreFixture f = new CoreFixture(3);
    f.prospective(4);
    f.effects.clear();
    f.answerVote(2, true);
    assertTrue(f.effects.get(0) instanceof QuorumEffect.Persist, f.effects.toString());
    CoreFixture g = new CoreFixture(3).unattached(4);
    g.effects.clear();
    g.request(voteRequest(2, 9, 0, 0, false));
    int respond = -1;
    int persist = -1;
    for (int i = 0; i < g.effects.size(); i++) {
      respond = g.effects.get(i) instanceof QuorumEffect.Respond ? i : respond;
      persist = g.effects.get(i) instanceof QuorumEffect.Persist ? i : persist;
    }
    assertTrue(persist >= 0 && persist < respond, g.effects.toString());
  }

  @Test
  void aPreVoteThatCannotBeWonIsGivenUp() {
    CoreFixture f = new CoreFixture(3);
    f.prospective(4);
    f.effects.clear();
    f.answerVote(2, false);
    f.answerVote(3, false);
    assertTrue(f.all(QuorumEffect.Persist.class).isEmpty());
    assertEquals(leader(-1, 4), f.core.leaderAndEpoch());
    f.tick(5_000);
    assertTrue(lastVote(f, 2).preVote());
  }

  @Test
  void aLostElectionIsTriedAgainFromPreVotes() {
    CoreFixture f = new CoreFixture(3);
    f.candidate(4);
    f.answerVote(2, false);
    f.answerVote(3, false);
    assertFalse(lastVoteOrNull(f) != null && lastVoteOrNull(f).preVote());
    f.tick(5_000);
    assertTrue(lastVote(f, 2).preVote());
    assertEquals(5, lastVote(f, 2).replicaEpoch());
  }

  private static VoteRequest.PartitionData lastVoteOrNull(CoreFixture f) {
    try {
      return lastVote(f, 2);
    } catch (AssertionError e) {
      return null;
    }
  }

  @Test
  void anAnswerToAnEarlierStateCountsForNothing() {
    CoreFixture f = new CoreFixture(5);
    f.prospective(4);
    QuorumEffect.Send late = f.lastSend(5, VoteRequest.class);
    f.answerVote(2, true);
    f.answerVote(3, true);
    // Candidate of epoch 5 now; a promise of before is no vote.
    f.answerVote(2, true);
    f.answer(late, CoreFixture.vote(Errors.NONE, -1, 5, true));
    assertEquals(leader(-1, 5), f.core.leaderAndEpoch());
    f.answerVote(4, true);
    assertEquals(leader(1, 5), f.core.leaderAndEpoch());
  }

  @Test
  void aHigherEpochInAnAnswerEndsACandidacy() {
    CoreFixture f = new CoreFixture(3);
    f.candidate(4);
    f.answer(
        f.lastSend(2, VoteRequest.class),
        CoreFixture.vote(Errors.FENCED_LEADER_EPOCH, 3, 8, false));
    assertEquals(leader(3, 8), f.core.leaderAndEpoch());
    assertEquals(new ElectionState(8, 3, -1, Uuid.ZERO), f.lastPersisted());
    assertNotNull(f.lastSend(3, FetchRequest.class));
  }

  @Test
  void oneThatLedNeitherLeadsNorVotesInThatEpochAgain() {
    CoreFixture f = new CoreFixture(3).start(new ElectionState(5, 1, -1, Uuid.ZERO));
    assertEquals(leader(-1, 5), f.core.leaderAndEpoch());
    f.request(CoreFixture.begin(1, 5));
    assertEquals(leader(-1, 5), f.core.leaderAndEpoch());
    f.tick(500);
    f.answerVote(2, true);
    assertEquals(6, lastVote(f, 2).replicaEpoch());
  }

  @Test
  void theLogMayKnowALaterEpochThanTheFile() {
    CoreFixture f = new CoreFixture(3);
    f.log.with(7, 2);
    f.start(new ElectionState(5, 2, -1, Uuid.ZERO));
    assertEquals(leader(-1, 7), f.core.leaderAndEpoch());
  }

  // --- following ---

  @Test
  void aFollowerFetchesOnlyWhatIsDurable() {
    CoreFixture f = new CoreFixture(3);
    f.log.with(3, 5);
    f.follower(4, 2);
    assertTrue(
        f.all(QuorumEffect.Send.class).stream()
            .noneMatch(s -> s.message() instanceof FetchRequest));
    f.flush();
    FetchRequest q = (FetchRequest) f.lastSend(2, FetchRequest.class).message();
    FetchRequest.FetchPartition p = q.topics().get(0).partitions().get(0);
    assertEquals(5, p.fetchOffset());
    assertEquals(3, p.lastFetchedEpoch());
    assertEquals(4, p.currentLeaderEpoch());
    assertEquals(1, q.replicaState().replicaId());
  }

  @Test
  void aFollowerTruncatesToWhereTheLogsDiverge() {
    CoreFixture f = new CoreFixture(3);
    f.log.with(1, 4).with(2, 3).with(4, 5);
    f.follower(5, 2);
    f.flush();
    FetchResponse r = CoreFixture.fetched(2, 5, 4);
    QuorumAnswers.only(r).divergingEpoch().epoch(2).endOffset(6);
    f.answer(f.lastSend(2, FetchRequest.class), r);
    assertEquals(6, f.all(QuorumEffect.TruncateTo.class).get(0).offset());
    // The leader has nothing of epoch 3: what we have up to epoch 1 may be the same.
    CoreFixture g = new CoreFixture(3);
    g.log.with(1, 4).with(4, 5);
    g.follower(5, 2);
    g.flush();
    r = CoreFixture.fetched(2, 5, 2);
    QuorumAnswers.only(r).divergingEpoch().epoch(3).endOffset(8);
    g.answer(g.lastSend(2, FetchRequest.class), r);
    assertEquals(4, g.all(QuorumEffect.TruncateTo.class).get(0).offset());
  }

  @Test
  void whatIsCommittedIsNeverTruncated() {
    CoreFixture f = new CoreFixture(3);
    f.log.with(1, 4);
    f.follower(5, 2);
    f.flush();
    f.answer(f.lastSend(2, FetchRequest.class), CoreFixture.fetched(2, 5, 4));
    assertEquals(4, f.core.highWatermark());
    FetchResponse r = CoreFixture.fetched(2, 5, 4);
    QuorumAnswers.only(r).divergingEpoch().epoch(1).endOffset(3);
    f.answer(f.lastSend(2, FetchRequest.class), r);
    assertEquals(1, f.all(QuorumEffect.Fail.class).size());
    assertTrue(f.all(QuorumEffect.TruncateTo.class).isEmpty());
    assertEquals(List.of(), f.step(new QuorumEvent.Tick()));
  }

  @Test
  void theHighWatermarkOfAFollowerEndsWithItsLog() {
    CoreFixture f = new CoreFixture(3);
    f.log.with(1, 4);
    f.follower(5, 2);
    f.flush();
    f.answer(f.lastSend(2, FetchRequest.class), CoreFixture.fetched(2, 5, 9));
    assertEquals(4, f.core.highWatermark());
  }

  @Test
  void aFollowerThatCannotFetchAsksAfterTheFetchTimeout() {
    CoreFixture f = new CoreFixture(3);
    f.follower(4, 2);
    f.tick(1_999);
    assertTrue(sentNoVote(f));
    f.tick(2);
    assertEquals(4, lastVote(f, 3).replicaEpoch());
    assertTrue(lastVote(f, 3).preVote());
    assertEquals(leader(2, 4), f.core.leaderAndEpoch());
  }

  private static boolean sentNoVote(CoreFixture f) {
    return f.all(QuorumEffect.Send.class).stream()
        .noneMatch(s -> s.message() instanceof VoteRequest);
  }

  @Test
  void aRefusedConnectionTwiceIsALeaderThatIsGone() {
    CoreFixture f = new CoreFixture(3);
    f.follower(4, 2);
    f.fail(f.lastSend(2, FetchRequest.class), QuorumTransport.Failure.DISCONNECTED);
    f.tick(25);
    f.fail(f.lastSend(2, FetchRequest.class), QuorumTransport.Failure.REFUSED);
    f.tick(45);
    assertTrue(sentNoVote(f));
    f.fail(f.lastSend(2, FetchRequest.class), QuorumTransport.Failure.REFUSED);
    f.tick(110);
    assertTrue(lastVote(f, 3).preVote());
  }

  @Test
  void theFirstSuccessorOfALeaderThatResignsStandsAtOnce() {
    CoreFixture f = new CoreFixture(3);
    f.follower(4, 2);
    f.request(CoreFixture.end(2, 4, 1, 3));
    assertTrue(lastVote(f, 3).preVote());
    CoreFixture g = new CoreFixture(3);
    g.follower(4, 2);
    g.request(CoreFixture.end(2, 4, 3, 1));
    assertTrue(sentNoVote(g));
    g.tick(500);
    assertTrue(lastVote(g, 3).preVote());
  }

  @Test
  void anObserverFollowsWhomeverAVoterNames() {
    CoreFixture f = new CoreFixture(9, 3).unattached(0);
    QuorumEffect.Send s =
        f.all(QuorumEffect.Send.class).stream()
            .filter(e -> e.message() instanceof FetchRequest)
            .findFirst()
            .orElseThrow();
    FetchResponse r = CoreFixture.fetched(2, 6, -1);
    QuorumAnswers.only(r).errorCode(Errors.FENCED_LEADER_EPOCH.code());
    f.answer(s, r);
    assertEquals(leader(2, 6), f.core.leaderAndEpoch());
    f.tick(60_000);
    assertTrue(sentNoVote(f));
  }

  // --- leading ---

  @Test
  void aMajorityOfDurableLogsCommits() {
    CoreFixture f = new CoreFixture(5);
    f.candidate(4);
    f.answerVote(2, true);
    f.answerVote(3, true);
    assertEquals(leader(1, 5), f.core.leaderAndEpoch());
    f.log.with(5, 4);
    f.step(new QuorumEvent.LogChanged());
    f.request(fetch(2, 5, 5, 5, 0));
    f.request(fetch(3, 5, 3, 5, 0));
    assertEquals(-1, f.core.highWatermark(), "its own log is not durable");
    f.flush();
    assertEquals(3, f.core.highWatermark());
    f.request(fetch(9, 5, 5, 5, 0));
    assertEquals(3, f.core.highWatermark(), "an observer doesn't count");
    f.request(fetch(4, 5, 5, 5, 0));
    assertEquals(5, f.core.highWatermark());
    f.request(fetch(4, 5, 3, 5, 0));
    assertEquals(5, f.core.highWatermark(), "never back");
  }

  @Test
  void recordsOfEarlierEpochsAreCommittedOnlyByOneOfTheOwn() {
    CoreFixture f = new CoreFixture(3);
    f.log.with(3, 4);
    f.leader(5);
    f.flush();
    f.request(fetch(2, 5, 4, 3, 0));
    assertEquals(-1, f.core.highWatermark());
    f.request(fetch(2, 5, 5, 5, 0));
    assertEquals(5, f.core.highWatermark());
  }

  @Test
  void aFetchIsFencedByEpochAndRole() {
    CoreFixture f = new CoreFixture(3).leader(5);
    assertEquals(Errors.FENCED_LEADER_EPOCH.code(), code(f.request(fetch(2, 4, 0, 0, 0))));
    assertEquals(Errors.UNKNOWN_LEADER_EPOCH.code(), code(f.request(fetch(2, 6, 0, 0, 0))));
    short invalid = Errors.INVALID_REQUEST.code();
    assertEquals(invalid, code(f.request(fetch(2, 5, -1, 0, 0))));
    assertEquals(invalid, code(f.request(fetch(2, 5, 0, -1, 0))));
    assertEquals(invalid, code(f.request(fetch(2, 5, 0, 6, 0))));
    assertEquals(invalid, code(f.request(fetch(2, 5, 0, 0, -1))));
    assertEquals(invalid, code(f.request(new FetchRequest().clusterId("cluster"))));
    FetchRequest byName = fetch(2, 5, 0, 0, 0);
    byName.topics().get(0).topic("__cluster_metadata").topicId(Uuid.ZERO);
    assertEquals(invalid, code(f.request(byName)), "the log has an id");
    assertEquals(
        Errors.INCONSISTENT_CLUSTER_ID.code(),
        code(f.request(fetch(2, 5, 0, 0, 0).clusterId("other"))));
    CoreFixture g = new CoreFixture(3).follower(5, 2);
    FetchResponse r = (FetchResponse) g.request(fetch(3, 5, 0, 0, 0));
    assertEquals(Errors.NOT_LEADER_OR_FOLLOWER.code(), code(r));
    assertEquals(2, QuorumAnswers.only(r).currentLeader().leaderId());
    assertEquals("host2", r.nodeEndpoints().get(0).host());
    assertEquals(9002, r.nodeEndpoints().get(0).port());
    ResponseVersions.fit(r, (short) 17);
    assertEquals(1, r.nodeEndpoints().size());
    ResponseVersions.fit(r, (short) 16);
    assertTrue(r.nodeEndpoints().isEmpty(), "the schema has a place, but Kafka leaves it empty");
  }

  @Test
  void aFetchFromElsewhereIsToldWhereTheLogsDiverge() {
    CoreFixture f = new CoreFixture(3);
    f.log.with(1, 4).with(3, 2);
    f.leader(5);
    record Case(long offset, int epoch, int divergingEpoch, long end) {}
    for (Case c :
        List.of(
            new Case(5, 1, 1, 4),
            new Case(8, 2, 1, 4),
            new Case(8, 3, 3, 6),
            new Case(9, 5, 5, 7),
            new Case(9, 4, 3, 6))) {
      FetchResponse r = (FetchResponse) f.request(fetch(2, 5, c.offset, c.epoch, 500));
      assertEquals(c.divergingEpoch, QuorumAnswers.only(r).divergingEpoch().epoch(), c.toString());
      assertEquals(c.end, QuorumAnswers.only(r).divergingEpoch().endOffset(), c.toString());
    }
    FetchResponse r = (FetchResponse) f.request(fetch(2, 5, 4, 1, 0));
    assertEquals(-1, QuorumAnswers.only(r).divergingEpoch().epoch());
  }

  @Test
  void aFetchAtTheEndWaitsForRecordsOrTheDeadline() {
    CoreFixture f = new CoreFixture(3).leader(5);
    f.flush();
    assertNull(f.request(fetch(2, 5, 1, 5, 500)));
    long first = f.lastToken();
    f.tick(499);
    assertNull(f.answerTo(first));
    f.tick(2);
    assertNotNull(f.answerTo(first));
    assertNull(f.request(fetch(2, 5, 1, 5, 500)));
    long second = f.lastToken();
    f.log.with(5, 1);
    f.step(new QuorumEvent.LogChanged());
    assertNotNull(f.answerTo(second));
  }

  @Test
  void aNewHighWatermarkIsToldAtOnceToWhomItConcerns() {
    CoreFixture f = new CoreFixture(3).leader(5);
    f.flush();
    FetchRequest q = fetch(9, 5, 1, 5, 500);
    q.topics().get(0).partitions().get(0).highWatermark(-1);
    assertNull(f.request(q));
    long observer = f.lastToken();
    assertNull(f.request(fetch(2, 5, 1, 5, 500)), "an old fetch doesn't say what it knows");
    FetchResponse r = (FetchResponse) f.answerTo(observer);
    assertEquals(1, QuorumAnswers.only(r).highWatermark());
  }

  @Test
  void fetchesThatWaitAreDismissedWithTheLeader() {
    CoreFixture f = new CoreFixture(3).leader(5);
    f.flush();
    assertNull(f.request(fetch(2, 5, 1, 5, 500)));
    long waiting = f.lastToken();
    f.request(CoreFixture.begin(3, 6));
    assertEquals(Errors.NOT_LEADER_OR_FOLLOWER.code(), code(f.answerTo(waiting)));
    FetchResponse r = (FetchResponse) f.answerTo(waiting);
    assertEquals(3, QuorumAnswers.only(r).currentLeader().leaderId());
    assertEquals(6, QuorumAnswers.only(r).currentLeader().leaderEpoch());
  }

  @Test
  void aLeaderThatNoMajorityFollowsResigns() {
    CoreFixture f = new CoreFixture(3).leader(5);
    f.flush();
    f.tick(2_900);
    f.request(fetch(3, 5, 1, 5, 0));
    f.tick(2_900);
    assertEquals(leader(1, 5), f.core.leaderAndEpoch());
    f.tick(101);
    assertEquals(leader(-1, 5), f.core.leaderAndEpoch());
    EndQuorumEpochRequest q =
        (EndQuorumEpochRequest) f.lastSend(2, EndQuorumEpochRequest.class).message();
    assertEquals(
        List.of(3, 2),
        q.topics().get(0).partitions().get(0).preferredCandidates().stream()
            .map(c -> c.candidateId())
            .toList());
    f.tick(2_000);
    assertEquals(6, f.core.leaderAndEpoch().epoch());
  }

  @Test
  void aShutdownOfTheLeaderWaitsForItsSuccessor() {
    CoreFixture f = new CoreFixture(3).leader(5);
    f.step(new QuorumEvent.Shutdown());
    assertFalse(f.core.isShutdownComplete());
    assertNotNull(f.lastSend(3, EndQuorumEpochRequest.class));
    f.request(CoreFixture.begin(3, 6));
    assertTrue(f.core.isShutdownComplete());
    CoreFixture g = new CoreFixture(3).follower(5, 2);
    g.step(new QuorumEvent.Shutdown());
    assertTrue(g.core.isShutdownComplete());
  }

  @Test
  void theVotersAreToldUntilTheyFetch() {
    CoreFixture f = new CoreFixture(3).leader(5);
    f.fail(f.lastSend(2, BeginQuorumEpochRequest.class), QuorumTransport.Failure.DISCONNECTED);
    f.tick(25);
    BeginQuorumEpochRequest q =
        (BeginQuorumEpochRequest) f.lastSend(2, BeginQuorumEpochRequest.class).message();
    assertEquals(2, q.voterId());
    assertEquals("host1", q.leaderEndpoints().get(0).host());
    assertEquals("CONTROLLER", q.leaderEndpoints().get(0).name());
  }

  @Test
  void describesTheQuorum() {
    CoreFixture f = new CoreFixture(3).leader(5);
    f.flush();
    f.request(fetch(2, 5, 1, 5, 0));
    f.request(fetch(9, 5, 0, 0, 0));
    DescribeQuorumRequest q =
        new DescribeQuorumRequest()
            .topics(
                List.of(
                    new DescribeQuorumRequest.TopicData()
                        .topicName("__cluster_metadata")
                        .partitions(List.of(new DescribeQuorumRequest.PartitionData()))));
    f.tick(100);
    DescribeQuorumResponse r = (DescribeQuorumResponse) f.request(q);
    DescribeQuorumResponse.PartitionData p = r.topics().get(0).partitions().get(0);
    assertEquals(1, p.leaderId());
    assertEquals(5, p.leaderEpoch());
    assertEquals(1, p.highWatermark());
    assertEquals(3, p.currentVoters().size());
    assertEquals(1, p.currentVoters().get(0).logEndOffset());
    assertEquals(1, p.currentVoters().get(1).logEndOffset());
    assertEquals(1_700_000_000_000L - 100, p.currentVoters().get(1).lastFetchTimestamp());
    assertEquals(1_700_000_000_000L - 100, p.currentVoters().get(1).lastCaughtUpTimestamp());
    assertEquals(-1, p.currentVoters().get(2).logEndOffset());
    // Voters of the configuration have no directories; what an observer tells is told on.
    p.currentVoters().forEach(v -> assertEquals(Uuid.ZERO, v.replicaDirectoryId()));
    assertEquals(9, p.observers().get(0).replicaId());
    assertEquals(new Uuid(7, 9), p.observers().get(0).replicaDirectoryId());
    assertEquals(3, r.nodes().size());
    CoreFixture g = new CoreFixture(3).follower(5, 2);
    r = (DescribeQuorumResponse) g.request(q);
    assertEquals(
        Errors.NOT_LEADER_OR_FOLLOWER.code(), r.topics().get(0).partitions().get(0).errorCode());
  }

  @Test
  void everyAnswerFitsEveryVersion() {
    for (boolean leads : new boolean[] {true, false}) {
      CoreFixture f = leads ? new CoreFixture(3).leader(5) : new CoreFixture(3).follower(5, 2);
      f.request(fetch(9, 5, 0, 0, 0));
      FetchSnapshotRequest snapshot = new FetchSnapshotRequest();
      FetchSnapshotRequest.TopicSnapshot topic =
          new FetchSnapshotRequest.TopicSnapshot().name("__cluster_metadata");
      topic.partitions().add(new FetchSnapshotRequest.PartitionSnapshot().currentLeaderEpoch(5));
      snapshot.topics().add(topic);
      for (ApiMessage q :
          List.of(
              fetch(3, 5, 0, 0, 0),
              voteRequest(3, 5, 0, 0, true),
              CoreFixture.begin(leads ? 1 : 2, 5),
              CoreFixture.end(leads ? 1 : 2, 5, 3),
              snapshot,
              new DescribeQuorumRequest()
                  .topics(
                      List.of(
                          new DescribeQuorumRequest.TopicData()
                              .topicName("__cluster_metadata")
                              .partitions(List.of(new DescribeQuorumRequest.PartitionData())))))) {
        for (int v = q.highestSupportedVersion(); v >= q.lowestSupportedVersion(); v--) {
          ApiMessage r = f.request(q);
          ResponseVersions.fit(r, (short) v);
          assertTrue(r.size((short) v) > 0, r.toString());
        }
      }
    }
  }
}
