package dev.vitrine.quorum;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.vitrine.metadata.VersionRange;
import dev.vitrine.protocol.Errors;
import dev.vitrine.protocol.Uuid;
import dev.vitrine.protocol.message.AddRaftVoterRequest;
import dev.vitrine.protocol.message.AddRaftVoterResponse;
import dev.vitrine.protocol.message.ApiVersionsRequest;
import dev.vitrine.protocol.message.ApiVersionsResponse;
import dev.vitrine.protocol.message.EndQuorumEpochRequest;
import dev.vitrine.protocol.message.RemoveRaftVoterRequest;
import dev.vitrine.protocol.message.RemoveRaftVoterResponse;
import dev.vitrine.protocol.message.UpdateRaftVoterRequest;
import dev.vitrine.protocol.message.UpdateRaftVoterResponse;
import dev.vitrine.seam.Endpoint;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a leader answers who wants the voters changed, rule by rule (KIP-853). */
class VoterChangesTest {
  /** Leads epoch 5 of voters 1, 2 and 3, and has committed the start of it. */
  private static CoreFixture leader() {
    CoreFixture f = CoreFixture.dynamic(3).leader(5);
    f.flush();
    f.caughtUp(2);
    assertEquals(3, f.core.highWatermark());
    return f;
  }

  private static AddRaftVoterRequest add(VoterSet.Voter v) {
    AddRaftVoterRequest q =
        new AddRaftVoterRequest()
            .clusterId("cluster")
            .voterId(v.id())
            .voterDirectoryId(v.directoryId())
            .ackWhenCommitted(true);
    for (VoterSet.Listener l : v.listeners()) {
      q.listeners()
          .add(
              new AddRaftVoterRequest.Listener()
                  .name(l.name())
                  .host(l.endpoint().host())
                  .port(l.endpoint().port()));
    }
    return q;
  }

  private static RemoveRaftVoterRequest remove(int id, Uuid directory) {
    return new RemoveRaftVoterRequest()
        .clusterId("cluster")
        .voterId(id)
        .voterDirectoryId(directory);
  }

  private static UpdateRaftVoterRequest update(int epoch, VoterSet.Voter v) {
    UpdateRaftVoterRequest q =
        new UpdateRaftVoterRequest()
            .clusterId("cluster")
            .currentLeaderEpoch(epoch)
            .voterId(v.id())
            .voterDirectoryId(v.directoryId());
    q.listeners()
        .add(
            new UpdateRaftVoterRequest.Listener()
                .name("CONTROLLER")
                .host(v.endpoint("CONTROLLER").host())
                .port(v.endpoint("CONTROLLER").port()));
    q.kRaftVersionFeature()
        .minSupportedVersion(v.kraftVersions().min())
        .maxSupportedVersion(v.kraftVersions().max());
    return q;
  }

  private static Errors added(CoreFixture f, AddRaftVoterRequest q) {
    AddRaftVoterResponse r = (AddRaftVoterResponse) f.request(q);
    return r == null ? null : Errors.forCode(r.errorCode());
  }

  private static Errors removed(CoreFixture f, RemoveRaftVoterRequest q) {
    RemoveRaftVoterResponse r = (RemoveRaftVoterResponse) f.request(q);
    return r == null ? null : Errors.forCode(r.errorCode());
  }

  private static Errors updated(CoreFixture f, UpdateRaftVoterRequest q) {
    return Errors.forCode(((UpdateRaftVoterResponse) f.request(q)).errorCode());
  }

  private static ApiVersionsResponse versions(int max) {
    ApiVersionsResponse r = new ApiVersionsResponse();
    r.supportedFeatures()
        .add(
            new ApiVersionsResponse.SupportedFeatureKey()
                .name("kraft.version")
                .minVersion((short) 0)
                .maxVersion((short) max));
    return r;
  }

  /** Asks to add node 4, which has fetched everything. */
  private static long beginToAdd(CoreFixture f) {
    f.caughtUp(4);
    assertNull(f.request(add(CoreFixture.voter(4))), "it must be asked first");
    return f.lastToken();
  }

  private static Errors answer(CoreFixture f, long token) {
    return f.answerTo(token) instanceof AddRaftVoterResponse r
        ? Errors.forCode(r.errorCode())
        : f.answerTo(token) instanceof RemoveRaftVoterResponse r2
            ? Errors.forCode(r2.errorCode())
            : null;
  }

  // --- the start of an epoch ---

  @Test
  void whatFormatWroteOfTheVotersIsPutIntoTheLog() {
    CoreFixture f = CoreFixture.dynamic(3).leader(5);
    List<ControlRecords.Entry> records = f.all(QuorumEffect.AppendControl.class).get(0).records();
    assertEquals(
        List.of((short) 2, (short) 5, (short) 6),
        records.stream().map(ControlRecords.Entry::type).toList());
    assertEquals(2, f.log.voters().votersOffset());
    assertEquals(CoreFixture.voters(3), f.core.voters());
    assertEquals(1, f.log.voters().kraftVersion());
  }

  @Test
  void votersThatAreInTheLogAreNotWrittenAgain() {
    CoreFixture f = CoreFixture.dynamic(3);
    f.unattached(3);
    f.append(3, ControlRecords.voters(CoreFixture.voters(3)));
    f.tick(200);
    f.preVotes(true);
    f.answerVote(2, true);
    assertEquals(1, f.all(QuorumEffect.AppendControl.class).get(0).records().size());
  }

  @Test
  void aLeaderThatListensElsewhereSaysSo() {
    CoreFixture f = CoreFixture.dynamic(3);
    VoterSet.Voter elsewhere =
        new VoterSet.Voter(
            1,
            CoreFixture.DIRECTORY,
            List.of(new VoterSet.Listener("CONTROLLER", new Endpoint("old", 1))),
            QuorumConfig.KRAFT_VERSIONS);
    f.unattached(3);
    f.append(3, ControlRecords.voters(CoreFixture.voters(3).with(elsewhere)));
    f.tick(200);
    f.preVotes(true);
    f.answerVote(2, true);
    assertEquals(CoreFixture.voters(3), f.core.voters());
  }

  // --- AddRaftVoter ---

  @Test
  void aNewVoterCountsFromTheAppendOn() {
    CoreFixture f = leader();
    long token = beginToAdd(f);
    f.answer(f.lastSend(4, ApiVersionsRequest.class), versions(1));
    assertEquals(CoreFixture.voters(4), f.core.voters());
    f.flush();
    f.caughtUp(2);
    assertEquals(3, f.core.highWatermark(), "two of four are no majority");
    assertNull(answer(f, token));
    f.caughtUp(4);
    assertEquals(4, f.core.highWatermark());
    assertEquals(Errors.NONE, answer(f, token));
  }

  @Test
  void whoNeedNotKnowOfTheCommitIsAnsweredAtOnce() {
    CoreFixture f = leader();
    f.caughtUp(4);
    f.request(add(CoreFixture.voter(4)).ackWhenCommitted(false));
    long token = f.lastToken();
    assertNull(answer(f, token));
    f.answer(f.lastSend(4, ApiVersionsRequest.class), versions(1));
    assertEquals(Errors.NONE, answer(f, token));
    assertEquals(
        Errors.REQUEST_TIMED_OUT,
        removed(f, remove(2, new Uuid(7, 2))),
        "the change is not committed yet");
  }

  @Test
  void oneChangeAtATime() {
    CoreFixture f = leader();
    beginToAdd(f);
    assertEquals(Errors.REQUEST_TIMED_OUT, added(f, add(CoreFixture.voter(5))));
    assertEquals(Errors.REQUEST_TIMED_OUT, removed(f, remove(2, new Uuid(7, 2))));
    assertEquals(Errors.REQUEST_TIMED_OUT, updated(f, update(5, CoreFixture.voter(2))));
  }

  @Test
  void noChangeBeforeARecordOfThisEpochIsCommitted() {
    CoreFixture f = CoreFixture.dynamic(3).leader(5);
    assertEquals(Errors.REQUEST_TIMED_OUT, added(f, add(CoreFixture.voter(4))));
    assertEquals(Errors.REQUEST_TIMED_OUT, removed(f, remove(2, new Uuid(7, 2))));
    assertEquals(Errors.REQUEST_TIMED_OUT, updated(f, update(5, CoreFixture.voter(2))));
    CoreFixture fixed = new CoreFixture(3).leader(5);
    assertEquals(Errors.REQUEST_TIMED_OUT, updated(fixed, update(5, CoreFixture.voter(2))));
  }

  @Test
  void noChangeAtKraftVersion0() {
    CoreFixture f = new CoreFixture(3).leader(5);
    f.flush();
    f.caughtUp(2);
    assertEquals(Errors.UNSUPPORTED_VERSION, added(f, add(CoreFixture.voter(4))));
    assertEquals(Errors.UNSUPPORTED_VERSION, removed(f, remove(2, new Uuid(7, 2))));
  }

  @Test
  void whoIsToBeAddedMustBeSaidInFull() {
    CoreFixture f = leader();
    VoterSet.Voter v = CoreFixture.voter(4);
    VoterSet.Voter nowhere =
        new VoterSet.Voter(
            4,
            v.directoryId(),
            List.of(new VoterSet.Listener("OTHER", new Endpoint("h", 1))),
            v.kraftVersions());
    VoterSet.Voter homeless = new VoterSet.Voter(4, Uuid.ZERO, v.listeners(), v.kraftVersions());
    assertEquals(Errors.INVALID_REQUEST, added(f, add(nowhere)));
    assertEquals(Errors.INVALID_REQUEST, added(f, add(homeless)));
    assertEquals(Errors.DUPLICATE_VOTER, added(f, add(CoreFixture.voter(2))));
    assertEquals(
        Errors.INCONSISTENT_CLUSTER_ID, added(f, add(CoreFixture.voter(4)).clusterId("other")));
  }

  @Test
  void onlyTheLeaderChangesVoters() {
    CoreFixture f = CoreFixture.dynamic(3).follower(5, 2);
    assertEquals(Errors.NOT_LEADER_OR_FOLLOWER, added(f, add(CoreFixture.voter(4))));
    assertEquals(Errors.NOT_LEADER_OR_FOLLOWER, removed(f, remove(2, new Uuid(7, 2))));
    UpdateRaftVoterResponse r =
        (UpdateRaftVoterResponse) f.request(update(5, CoreFixture.voter(3)));
    assertEquals(Errors.NOT_LEADER_OR_FOLLOWER.code(), r.errorCode());
    assertEquals(2, r.currentLeader().leaderId());
    assertEquals("host2", r.currentLeader().host());
  }

  @Test
  void aNewVoterMustSupportTheVersionAndBeCaughtUpAndThere() {
    CoreFixture f = leader();
    long token = beginToAdd(f);
    f.answer(f.lastSend(4, ApiVersionsRequest.class), versions(0));
    assertEquals(Errors.INVALID_REQUEST, answer(f, token));
    token = beginToAdd(f);
    f.fail(f.lastSend(4, ApiVersionsRequest.class), QuorumTransport.Failure.REFUSED);
    assertEquals(Errors.REQUEST_TIMED_OUT, answer(f, token));
    f.request(add(CoreFixture.voter(5)));
    token = f.lastToken();
    f.answer(f.lastSend(5, ApiVersionsRequest.class), versions(1));
    assertEquals(Errors.REQUEST_TIMED_OUT, answer(f, token), "it has never fetched");
    assertEquals(CoreFixture.voters(3), f.core.voters());
  }

  @Test
  void aChangeThatTakesTooLongIsNotKnownToBeDone() {
    CoreFixture f = leader();
    long token = beginToAdd(f);
    f.caughtUp(2, 3);
    f.tick(2000);
    assertEquals(Errors.REQUEST_TIMED_OUT, answer(f, token));
    f.answer(f.lastSend(4, ApiVersionsRequest.class), versions(1));
    assertEquals(CoreFixture.voters(3), f.core.voters(), "what came late counts no more");
  }

  @Test
  void whoWaitsHearsThatTheLeaderIsNoneAnyMore() {
    CoreFixture f = leader();
    long token = beginToAdd(f);
    f.request(CoreFixture.begin(2, 6));
    assertEquals(Errors.NOT_LEADER_OR_FOLLOWER, answer(f, token));
  }

  // --- RemoveRaftVoter ---

  @Test
  void onlyThatVeryVoterIsRemovedAndNeverTheLast() {
    CoreFixture f = leader();
    assertEquals(Errors.VOTER_NOT_FOUND, removed(f, remove(4, new Uuid(7, 4))));
    assertEquals(Errors.VOTER_NOT_FOUND, removed(f, remove(2, new Uuid(8, 2))));
    assertEquals(Errors.INVALID_REQUEST, removed(f, remove(2, Uuid.ZERO)));
    CoreFixture one = CoreFixture.dynamic(1).unattached(4);
    one.flush();
    assertEquals(Errors.VOTER_NOT_FOUND, removed(one, remove(1, CoreFixture.DIRECTORY)));
  }

  @Test
  void aRemovedVoterCountsNoMore() {
    CoreFixture f = leader();
    assertNull(f.request(remove(3, new Uuid(7, 3))));
    long token = f.lastToken();
    f.flush();
    f.caughtUp(3);
    assertEquals(3, f.core.highWatermark());
    f.caughtUp(2);
    assertEquals(4, f.core.highWatermark());
    assertEquals(Errors.NONE, answer(f, token));
  }

  @Test
  void aLeaderThatRemovesItselfStaysUntilThatIsCommitted() {
    CoreFixture f = leader();
    f.request(remove(1, CoreFixture.DIRECTORY));
    long token = f.lastToken();
    f.flush();
    f.caughtUp(2);
    assertTrue(f.core.isLeaderOf(5), "of 2 and 3 only one has it");
    assertEquals(3, f.core.highWatermark());
    f.caughtUp(3);
    assertEquals(Errors.NONE, answer(f, token));
    assertEquals(new LeaderAndEpoch(-1, 5), f.core.leaderAndEpoch());
    assertNotNull(f.lastSend(2, EndQuorumEpochRequest.class));
    assertNotNull(f.lastSend(3, EndQuorumEpochRequest.class));
    f.tick(3000);
    assertEquals(5, f.core.state.epoch, "it starts no elections");
    assertTrue(f.core.state instanceof Unattached);
  }

  @Test
  void whoIsToBeRemovedStandsUntilItKnowsThatThisIsCommitted() {
    CoreFixture f = CoreFixture.dynamic(3).follower(5, 2);
    f.append(5, ControlRecords.voters(CoreFixture.voters(3).without(1)));
    assertFalse(f.core.isVoter());
    assertTrue(f.core.mayLead());
    f.core.advanceTo(f.log.endOffset());
    assertFalse(f.core.mayLead());
  }

  @Test
  void aRumourOfOneThatHasRemovedItselfPutsNoElectionOff() {
    CoreFixture f = CoreFixture.dynamic(3).start(new ElectionState(5, 3, -1, Uuid.ZERO));
    f.append(5, ControlRecords.voters(CoreFixture.voters(3).without(3)));
    EpochState waits = f.core.state;
    assertTrue(waits instanceof Unattached, "" + waits);
    long deadline = waits.deadline;
    f.core.learn(3, 5, null, false);
    assertSame(waits, f.core.state);
    assertEquals(deadline, waits.deadline);
    f.core.learn(3, 5, new Endpoint("n3", 9093), false);
    assertTrue(f.core.state instanceof Follower, "it may be there still");
  }

  // --- UpdateRaftVoter ---

  private static VoterSet.Voter moved(int id, VersionRange versions) {
    return new VoterSet.Voter(
        id,
        new Uuid(7, id),
        List.of(new VoterSet.Listener("CONTROLLER", new Endpoint("new", 1))),
        versions);
  }

  @Test
  void aVoterMovesAndNobodyElseDoes() {
    CoreFixture f = leader();
    VoterSet.Voter moved = moved(2, QuorumConfig.KRAFT_VERSIONS);
    assertEquals(Errors.NONE, updated(f, update(5, moved)));
    assertEquals(CoreFixture.voters(3).with(moved), f.core.voters());
    assertEquals(Errors.REQUEST_TIMED_OUT, updated(f, update(5, moved)), "not committed yet");
    f.flush();
    f.caughtUp(2);
    int batches = f.log.entries.size();
    assertEquals(Errors.NONE, updated(f, update(5, moved)));
    assertEquals(batches, f.log.entries.size(), "it is there already");
    assertEquals(
        Errors.VOTER_NOT_FOUND, updated(f, update(5, moved(4, QuorumConfig.KRAFT_VERSIONS))));
    assertEquals(Errors.INVALID_REQUEST, updated(f, update(5, moved(2, VersionRange.of(0, 0)))));
    assertEquals(Errors.INVALID_REQUEST, updated(f, update(5, moved(2, VersionRange.of(1, 0)))));
    assertEquals(Errors.FENCED_LEADER_EPOCH, updated(f, update(4, moved)));
  }

  // --- kraft.version ---

  private static String upgrade(CoreFixture f, int version, boolean validateOnly) {
    String[] answer = {"none"};
    f.step(
        new QuorumEvent.Upgrade(
            f.core.state.epoch, (short) version, validateOnly, why -> answer[0] = why));
    return answer[0];
  }

  @Test
  void theVersionRisesOnceAllVotersHaveToldWhatTheyAre() {
    CoreFixture f = new CoreFixture(3).leader(5);
    f.flush();
    f.caughtUp(2);
    assertEquals(Errors.NONE, updated(f, update(5, CoreFixture.voter(2))));
    assertTrue(upgrade(f, 1, false).contains("not all of the voters support it"));
    assertEquals(Errors.NONE, updated(f, update(5, CoreFixture.voter(3))));
    assertNull(upgrade(f, 1, true));
    assertEquals(0, f.log.voters().kraftVersion());
    assertNull(upgrade(f, 1, false));
    assertEquals(1, f.log.voters().kraftVersion());
    assertEquals(CoreFixture.voters(3).keys(), f.core.voters().keys());
    assertTrue(upgrade(f, 0, false).contains("downgrade"));
    assertNull(upgrade(f, 1, false), "it is that already");
  }

  // --- the history ---

  @Test
  void truncatedVotersCountNoMore() {
    CoreFixture f = CoreFixture.dynamic(3).follower(5, 2);
    f.append(5, ControlRecords.voters(CoreFixture.voters(4)));
    assertEquals(CoreFixture.voters(4), f.core.voters());
    f.append(
        5, ControlRecords.kraftVersion((short) 1), ControlRecords.voters(CoreFixture.voters(5)));
    assertEquals(2, f.log.voters().votersOffset());
    f.log.truncateTo(1);
    assertEquals(CoreFixture.voters(4), f.core.voters());
    f.log.truncateTo(0);
    assertEquals(CoreFixture.voters(3), f.core.voters());
    assertEquals(-1, f.log.voters().votersOffset());
  }

  @Test
  void theHistoryKnowsEachOffsetAndForgetsWhatIsBeforeTheLog() {
    VoterHistory h = new VoterHistory();
    assertNull(h.voters());
    h.startAt(
        new Snapshot(new OffsetAndEpoch(10, 2), 0, (short) 1, CoreFixture.voters(1), List.of()));
    CoreFixture f = CoreFixture.dynamic(1);
    assertEquals(CoreFixture.voters(1), h.votersAt(9));
    assertNull(h.votersAt(8));
    assertEquals(1, h.kraftVersionAt(9));
    assertEquals(0, h.kraftVersionAt(8));
    f.unattached(3);
    f.append(3, ControlRecords.voters(CoreFixture.voters(2)));
    f.append(3, ControlRecords.voters(CoreFixture.voters(3)));
    VoterHistory log = f.log.voters();
    assertEquals(4, log.votersSince(-1).size(), "that of format, the leader's own, and two more");
    long end = f.log.endOffset();
    log.forgetBefore(end - 2);
    assertNull(log.votersAt(end - 3));
    assertEquals(CoreFixture.voters(2), log.votersAt(end - 2));
    assertEquals(CoreFixture.voters(3), log.voters());
  }

  @Test
  void aVoterIsNamedOnce() {
    VoterSet.Voter v = CoreFixture.voter(1);
    assertThrows(IllegalArgumentException.class, () -> new VoterSet(List.of(v, v)));
  }
}
