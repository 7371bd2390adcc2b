package dev.vitrine.quorum;

import dev.vitrine.protocol.Errors;
import dev.vitrine.protocol.message.BeginQuorumEpochResponse;
import dev.vitrine.protocol.message.EndQuorumEpochResponse;
import dev.vitrine.protocol.message.LeaderChangeMessage;
import java.util.ArrayList;
import java.util.List;

/**
 * The part of {@link QuorumCore} that a leader does, and one that has resigned: begins its epoch in
 * the log, tells the others of it and of its end, and says what is committed.
 */
final class LeaderWork {
  private final QuorumCore core;
  final VoterChanges changes;

  LeaderWork(QuorumCore core) {
    this.core = core;
    this.changes = new VoterChanges(core);
  }

  long nextDeadline(Leader l) {
    long at = Math.min(l.begins.nextDue(), changes.deadline());
    for (Leader.ParkedFetch p : l.parked) {
      at = Math.min(at, p.until());
    }
    return at;
  }

  /**
   * What stands at the start of the epoch: who leads it and, where the voters are in the log, the
   * voters if they are only in what {@code format} wrote, or if this one is not what they say.
   */
  List<ControlRecords.Entry> startOfEpoch(Leader l) {
    List<ControlRecords.Entry> records = new ArrayList<>();
    records.add(new ControlRecords.Entry(ControlRecords.LEADER_CHANGE, leaderChange(l)));
    VoterHistory history = core.logView.voters();
    short version = history.kraftVersion();
    if (version > 0) {
      VoterSet.Voter self = core.config.selfAsVoter();
      boolean votes = l.voterSet().contains(self.key());
      boolean other = votes && !self.equals(l.voterSet().voter(core.id()));
      if (history.votersOffset() < 0 || other) {
        records.add(ControlRecords.kraftVersion(version));
        records.add(ControlRecords.voters(votes ? l.voterSet().with(self) : l.voterSet()));
      }
    }
    return records;
  }

  private LeaderChangeMessage leaderChange(Leader l) {
    LeaderChangeMessage m = new LeaderChangeMessage().version((short) 0).leaderId(core.id());
    for (VoterSet.Voter v : l.voterSet().voters()) {
      m.voters().add(new LeaderChangeMessage.Voter().voterId(v.id()));
    }
    for (int v : l.granting) {
      m.grantingVoters().add(new LeaderChangeMessage.Voter().voterId(v));
    }
    return m;
  }

  void poll(Leader l) {
    if (core.now >= l.deadline) {
      core.becomeResigned("no majority of the voters fetches from it");
      return;
    }
    sendBegins(l);
    changes.poll();
    core.answers.fetches.expireParked(l);
  }

  private void sendBegins(Leader l) {
    int pause = core.timeouts.fetchTimeoutMs() / 2;
    for (int node : l.begins.due(core.now)) {
      if (l.isFetching(node, core.now, pause)) {
        l.begins.again(node, core.now + pause);
      } else {
        l.begins.sent(node);
        VoterSet.Voter to = l.voterSet().voter(node);
        core.send(to, core.requests.begin(to, l.epoch));
      }
    }
  }

  void onBegin(int node, BeginQuorumEpochResponse r) {
    Leader l = (Leader) core.state;
    News news = News.of(r);
    if (news != null && core.handledAsNews(node, news) && core.state != l) {
      return;
    }
    Errors error = news == null ? Errors.forCode(r.errorCode()) : news.error();
    if (error == Errors.NONE) {
      l.begins.again(node, core.now + core.timeouts.fetchTimeoutMs() / 2);
    } else {
      core.logRefusal("BeginQuorumEpoch", node, error.code());
      l.begins.failed(node, core.now, core.timeouts.retryBackoffMs(), false);
    }
  }

  /** The log has changed: perhaps by a new set of voters, which counts at once. */
  void logChanged(Leader l) {
    VoterSet voters = core.voters();
    if (!voters.equals(l.voterSet())) {
      l.votersAre(voters, core.now);
      core.log().info("node {}: the voters are {} now", core.id(), voters.keys());
      maybeAdvance(l);
    }
    core.answers.fetches.completeParked(l);
  }

  void maybeAdvance(Leader l) {
    if (l.advanceHighWatermark(core.replication.flushed())) {
      core.advanceTo(l.highWatermark);
      core.answers.fetches.completeParked(l);
      changes.committed(l);
    }
  }

  void pollResigned(Resigned r) {
    if (core.now >= r.deadline) {
      if (core.mayLead()) {
        core.becomeUnattached(r.epoch + 1);
      } else {
        // Removed: it takes no part in elections, and looks for who leads now.
        core.becomeObserver(r.epoch, core.config.self());
      }
      return;
    }
    for (int node : r.outbox.due(core.now)) {
      r.outbox.sent(node);
      VoterSet.Voter to = r.voters.voter(node);
      core.send(to, core.requests.end(r.epoch, r.successors));
    }
  }

  void onEnd(int node, EndQuorumEpochResponse r) {
    Resigned s = (Resigned) core.state;
    News news = News.of(r);
    if (news != null && core.handledAsNews(node, news) && core.state != s) {
      return;
    }
    Errors error = news == null ? Errors.forCode(r.errorCode()) : news.error();
    if (error == Errors.NONE) {
      s.outbox.done(node);
    } else {
      s.outbox.failed(node, core.now, core.timeouts.retryBackoffMs(), false);
    }
  }
}
