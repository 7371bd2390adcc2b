package dev.vitrine.quorum;

import dev.vitrine.protocol.Errors;
import dev.vitrine.protocol.message.VoteResponse;

/**
 * The part of {@link QuorumCore} that asks for votes: pre-votes first, then votes, and what follows
 * from the answers (KIP-996).
 */
final class Election {
  private final QuorumCore core;

  /** In a row. */
  private int losses;

  Election(QuorumCore core) {
    this.core = core;
  }

  /** There is a leader. */
  void over() {
    losses = 0;
  }

  void poll(Nominee n) {
    if (n.hasMajority()) {
      advance(n);
    } else if (n.candidate) {
      if (!n.lost && (n.isRejected() || n.isHopeless())) {
        n.lost = true;
        n.deadline = Math.min(n.deadline, core.now + lossBackoff());
      }
      if (core.now >= n.deadline) {
        core.becomeProspective();
        return;
      }
    } else if (n.isRejected() || core.now >= n.deadline) {
      afterLostPreVote(n);
      return;
    }
    for (int node : n.outbox.due(core.now)) {
      n.outbox.sent(node);
      VoterSet.Voter to = n.voters.voter(node);
      core.send(to, core.requests.vote(to, n.epoch, core.logView.end(), !n.candidate));
    }
  }

  void onVote(int node, VoteResponse r) {
    Nominee n = (Nominee) core.state;
    int backoffMs = core.timeouts.retryBackoffMs();
    News news = News.of(r);
    if (news == null) {
      core.logRefusal("Vote", node, r.errorCode());
      n.outbox.failed(node, core.now, backoffMs, false);
    } else if (core.handledAsNews(node, news)) {
      if (core.state == n) {
        n.outbox.failed(node, core.now, backoffMs, false);
      }
    } else {
      if (news.error() != Errors.NONE) {
        core.logRefusal("Vote", node, news.error().code());
        n.outbox.failed(node, core.now, backoffMs, false);
      } else if (QuorumAnswers.only(r).voteGranted()) {
        n.granted(node);
      } else {
        n.rejected(node);
      }
      advance(n);
    }
  }

  void onFailure(int node, Nominee n, QuorumTransport.Failure cause) {
    if (cause == QuorumTransport.Failure.UNSUPPORTED && !n.candidate) {
      // A voter from before KIP-996 can't promise; it is asked in earnest.
      n.granted(node);
      advance(n);
    } else {
      boolean refused = cause == QuorumTransport.Failure.REFUSED;
      n.outbox.failed(node, core.now, core.timeouts.retryBackoffMs(), refused);
    }
  }

  private void advance(Nominee n) {
    if (n.hasMajority()) {
      if (n.candidate) {
        losses = 0;
        core.becomeLeader(n);
      } else {
        core.becomeCandidate(n);
      }
    }
  }

  private void afterLostPreVote(Nominee n) {
    boolean reachable = n.leaderAt != null || core.voters().contains(n.leaderId());
    if (n.leaderId() >= 0 && reachable) {
      core.becomeFollower(n.epoch, n.leaderId(), n.leaderAt);
    } else {
      core.becomeUnattached(n, core.now + lossBackoff(), "no majority would vote for it");
    }
  }

  /** Longer with each election that is lost in a row. Those who collided must part. */
  private long lossBackoff() {
    int max = Math.max(2, core.timeouts.electionBackoffMaxMs());
    int range = Math.min(max, 100 << Math.min(losses++, 10));
    return range / 4 + core.random.nextInt(range);
  }
}
