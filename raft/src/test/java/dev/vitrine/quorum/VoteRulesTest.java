package dev.vitrine.quorum;

import static dev.vitrine.quorum.CoreFixture.voteRequest;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.vitrine.protocol.Errors;
import dev.vitrine.protocol.Uuid;
import dev.vitrine.protocol.message.VoteRequest;
import dev.vitrine.protocol.message.VoteResponse;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Who gets a vote, and who the promise of one: the tables of KIP-595 and KIP-996. */
class VoteRulesTest {
  private static final int EPOCH = 5;

  /** Node 1 in each state of this epoch, with a log that ends at offset 10 of epoch 3. */
  private static CoreFixture in(String state) {
    CoreFixture f = new CoreFixture(3);
    f.log.with(1, 4).with(3, 6);
    Supplier<CoreFixture> made =
        switch (state) {
          case "unattached" -> () -> f.unattached(EPOCH);
          case "voted for 2" -> () -> f.start(new ElectionState(EPOCH, -1, 2, Uuid.ZERO));
          case "unattached, knows leader 3" ->
              () -> f.start(new ElectionState(EPOCH, 3, -1, Uuid.ZERO));
          case "led it before a restart" ->
              () -> f.start(new ElectionState(EPOCH, 1, -1, Uuid.ZERO));
          case "prospective" -> () -> f.prospective(EPOCH);
          case "candidate" -> () -> f.candidate(EPOCH - 1);
          case "follower of 3, not heard from" -> () -> f.follower(EPOCH, 3);
          case "follower of 3" -> () -> fetched(f.follower(EPOCH, 3));
          case "follower of 3, which resigned" -> () -> resigned(fetched(f.follower(EPOCH, 3)));
          case "leader, nothing committed" -> () -> f.leader(EPOCH);
          case "leader" -> () -> committed(f.leader(EPOCH));
          case "resigned" -> () -> resign(committed(f.leader(EPOCH)));
          default -> throw new IllegalArgumentException(state);
        };
    CoreFixture out = made.get();
    assertEquals(EPOCH, out.core.leaderAndEpoch().epoch(), state);
    out.effects.clear();
    return out;
  }

  private static CoreFixture fetched(CoreFixture f) {
    f.flush();
    f.answer(
        f.lastSend(3, dev.vitrine.protocol.message.FetchRequest.class),
        CoreFixture.fetched(3, EPOCH, 0));
    return f;
  }

  private static CoreFixture resigned(CoreFixture f) {
    f.request(CoreFixture.end(3, EPOCH, 2));
    return f;
  }

  private static CoreFixture committed(CoreFixture f) {
    f.flush();
    f.request(CoreFixture.fetch(2, EPOCH, f.log.endOffset(), EPOCH, 0));
    assertTrue(f.core.highWatermark() > 0);
    return f;
  }

  private static CoreFixture resign(CoreFixture f) {
    f.step(new QuorumEvent.Resign(EPOCH));
    return f;
  }

  private static boolean granted(CoreFixture f, VoteRequest q) {
    VoteResponse r = (VoteResponse) f.request(q);
    assertEquals(Errors.NONE.code(), CoreFixture.code(r));
    return QuorumAnswers.only(r).voteGranted();
  }

  @ParameterizedTest
  @CsvSource({
    "unattached, true, true",
    "voted for 2, true, true",
    "'unattached, knows leader 3', false, true",
    "led it before a restart, false, true",
    "prospective, true, true",
    "candidate, false, true",
    "'follower of 3, not heard from', false, true",
    "follower of 3, false, false",
    "'follower of 3, which resigned', false, true",
    "'leader, nothing committed', false, true",
    "leader, false, false",
    "resigned, false, true",
  })
  void grantsToAnUpToDateCandidateOfTheSameEpoch(String state, boolean vote, boolean preVote) {
    CoreFixture f = in(state);
    // A leader's log, of this epoch, is ahead of any candidate's of this epoch: made up to date.
    long end = f.log.endOffset();
    int lastEpoch = Math.min(f.log.lastEpoch(), EPOCH - 1);
    if (f.log.lastEpoch() < EPOCH) {
      assertEquals(vote, granted(f, voteRequest(2, EPOCH, lastEpoch, end, false)), "vote");
    }
    f = in(state);
    assertEquals(
        preVote, granted(f, voteRequest(2, EPOCH, f.log.lastEpoch(), end, true)), "pre-vote");
    assertNull(f.lastPersisted(), "a promise binds nobody");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "unattached",
        "voted for 2",
        "unattached, knows leader 3",
        "prospective",
        "candidate",
        "follower of 3",
        "leader",
        "resigned"
      })
  void aHigherEpochFreesFromEverything(String state) {
    CoreFixture f = in(state);
    assertTrue(granted(f, voteRequest(3, EPOCH + 1, EPOCH, f.log.endOffset() + 1, false)), "vote");
    assertEquals(new ElectionState(EPOCH + 1, -1, 3, new Uuid(7, 3)), f.lastPersisted());
    assertFalse(granted(f, voteRequest(2, EPOCH + 1, EPOCH, 99, false)), "a second vote");
    assertTrue(granted(f, voteRequest(3, EPOCH + 1, EPOCH, 99, false)), "the same once more");
    assertEquals(new ElectionState(EPOCH + 1, -1, 3, new Uuid(7, 3)), f.lastPersisted());
  }

  @ParameterizedTest
  @CsvSource({
    "3, 10, true", // the same end
    "3, 11, true",
    "3, 9, false",
    "4, 1, true", // a later epoch beats a longer log
    "2, 99, false",
  })
  void theLogMustBeAtLeastAsUpToDate(int lastEpoch, long lastOffset, boolean expected) {
    for (boolean preVote : new boolean[] {true, false}) {
      CoreFixture f = in("unattached");
      assertEquals(expected, granted(f, voteRequest(2, EPOCH, lastEpoch, lastOffset, preVote)));
      f = in("follower of 3");
      boolean bump = granted(f, voteRequest(2, EPOCH + 1, lastEpoch, lastOffset, preVote));
      assertEquals(expected, bump);
    }
  }

  @Test
  void aPreVoteOfAHigherEpochMovesTheEpochOnly() {
    CoreFixture f = in("follower of 3");
    granted(f, voteRequest(2, EPOCH + 2, 3, 10, true));
    assertEquals(new ElectionState(EPOCH + 2, -1, -1, Uuid.ZERO), f.lastPersisted());
    assertEquals(new LeaderAndEpoch(-1, EPOCH + 2), f.core.leaderAndEpoch());
  }

  @Test
  void aLowerEpochIsFenced() {
    CoreFixture f = in("follower of 3");
    VoteResponse r = (VoteResponse) f.request(voteRequest(2, EPOCH - 1, 3, 10, false));
    assertEquals(Errors.FENCED_LEADER_EPOCH.code(), CoreFixture.code(r));
    assertEquals(EPOCH, QuorumAnswers.only(r).leaderEpoch());
    assertEquals(3, QuorumAnswers.only(r).leaderId());
    assertEquals("host3", r.nodeEndpoints().get(0).host());
  }

  @Test
  void whatCannotBeIsRefused() {
    CoreFixture f = in("unattached");
    short invalid = Errors.INVALID_REQUEST.code();
    assertEquals(invalid, CoreFixture.code(f.request(voteRequest(2, EPOCH, EPOCH, 10, false))));
    assertEquals(invalid, CoreFixture.code(f.request(voteRequest(2, EPOCH, EPOCH + 1, 10, true))));
    assertEquals(invalid, CoreFixture.code(f.request(voteRequest(2, EPOCH, -1, 10, false))));
    assertEquals(invalid, CoreFixture.code(f.request(voteRequest(2, EPOCH, 3, -1, false))));
    assertEquals(invalid, CoreFixture.code(f.request(voteRequest(-1, EPOCH, 3, 10, false))));
    assertEquals(invalid, CoreFixture.code(f.request(new VoteRequest())));
    assertEquals(
        Errors.INCONSISTENT_CLUSTER_ID.code(),
        CoreFixture.code(f.request(voteRequest(2, EPOCH, 3, 10, false).clusterId("other"))));
    assertEquals(
        Errors.INVALID_VOTER_KEY.code(),
        CoreFixture.code(f.request(voteRequest(2, EPOCH, 3, 10, false).voterId(9))));
    VoteRequest q = voteRequest(2, EPOCH, 3, 10, false);
    q.topics().get(0).partitions().get(0).voterDirectoryId(new Uuid(9, 9));
    assertEquals(Errors.INVALID_VOTER_KEY.code(), CoreFixture.code(f.request(q)));
    assertNull(f.lastPersisted());
    // An unknown cluster id is none, and a voter key of before KIP-853 too.
    assertTrue(granted(f, voteRequest(2, EPOCH, 3, 10, false).clusterId(null).voterId(-1)));
  }
}
