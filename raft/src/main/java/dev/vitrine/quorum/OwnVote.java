package dev.vitrine.quorum;

import dev.vitrine.protocol.ApiMessage;
import dev.vitrine.protocol.Errors;
import dev.vitrine.protocol.message.UpdateRaftVoterResponse;

/**
 * The part of {@link QuorumCore} by which a follower sees to its own place among the voters
 * (KIP-853, KIP-1186): a voter tells the leader where it listens and what it supports, if the
 * voters in the log say something else; an observer that is to join asks to be added, after what it
 * was before with another directory is removed. One request at a time, one in each fetch time-out.
 */
final class OwnVote {
  private final QuorumCore core;
  private boolean pending;

  OwnVote(QuorumCore core) {
    this.core = core;
  }

  /** What was under way was of another state. */
  void stateChanged() {
    pending = false;
  }

  long nextDeadline() {
    return core.state instanceof Follower f && wanted(f) != null && !pending
        ? f.nextVoterRequestAt
        : Long.MAX_VALUE;
  }

  void poll() {
    if (core.state instanceof Follower f
        && !pending
        && core.now >= f.nextVoterRequestAt
        && !core.shuttingDown) {
      ApiMessage request = wanted(f);
      if (request != null) {
        pending = true;
        core.send(f.leaderId(), f.endpoint, request);
      }
    }
  }

  private ApiMessage wanted(Follower f) {
    VoterSet voters = core.voters();
    boolean dynamic = core.logView.voters().kraftVersion() > 0;
    if (core.isVoter()) {
      VoterSet.Voter self = core.config.selfAsVoter();
      boolean needed = dynamic ? !self.equals(voters.voter(self.id())) : !f.leaderKnowsVoter;
      return needed ? core.requests.updateVoter(f.epoch, self) : null;
    }
    if (!dynamic || !core.config.canBecomeVoter() || !core.config.membership().autoJoin()) {
      return null;
    }
    VoterSet.Voter before = voters.voter(core.id());
    return before != null
        ? core.requests.removeVoter(before.key())
        : core.requests.addVoter(core.config.selfAsVoter());
  }

  void onUpdated(int node, UpdateRaftVoterResponse r) {
    again();
    if (core.handledAsNews(node, News.of(r))) {
      return;
    }
    Errors error = Errors.forCode(r.errorCode());
    if (core.state instanceof Follower f
        && (error == Errors.NONE || error == Errors.UNSUPPORTED_VERSION)) {
      f.leaderKnowsVoter = true;
    } else if (error != Errors.NONE) {
      core.logRefusal("UpdateRaftVoter", node, error.code());
    }
  }

  /** The answer to a request to be added, or that an earlier self be removed. */
  void onChanged(String api, int node, short error, String message) {
    again();
    if (error != Errors.NONE.code()) {
      core.log()
          .info(
              "node {}: node {} answered {} with {}: {}",
              core.id(),
              node,
              api,
              Errors.forCode(error),
              message);
    }
  }

  /** It is not answered, and is put again when its time comes. */
  void again() {
    pending = false;
    if (core.state instanceof Follower f) {
      f.nextVoterRequestAt = core.now + core.timeouts.fetchTimeoutMs();
    }
  }
}
