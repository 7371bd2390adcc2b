package dev.vitrine.quorum;

import dev.vitrine.protocol.Errors;
import dev.vitrine.protocol.message.FetchResponse;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The part of {@link QuorumCore} that keeps the own log up: what of it is durable, one fetch at a
 * time from the leader (or, to find one, from any voter), truncation where the logs diverge. A
 * voter never fetches before all that it has is durable, because the offset it fetches from says so
 * to the leader.
 */
final class Replication {
  private static final Logger log = LoggerFactory.getLogger(Replication.class);

  private final QuorumCore core;

  /** All below it is durable. */
  private long flushed;

  private boolean flushing;

  // The one fetch that may be under way.
  private boolean fetching;
  private int fetchFailures;
  private long nextFetchAt;

  /** An effect that changes the log has been given out and not been reported yet. */
  private boolean logChanging;

  Replication(QuorumCore core) {
    this.core = core;
    this.nextFetchAt = core.now;
  }

  long flushed() {
    return flushed;
  }

  void flushed(long offset) {
    flushing = false;
    flushed = Math.max(flushed, offset);
  }

  void logWillChange() {
    logChanging = true;
  }

  void logChanged() {
    logChanging = false;
    // A truncation may take a whole batch, from before the offset.
    flushed = Math.min(flushed, core.logView.endOffset());
  }

  /** What was under way was of another state. */
  void stateChanged() {
    fetching = false;
    fetchFailures = 0;
    nextFetchAt = core.now;
  }

  long nextDeadline() {
    boolean waits = wantsToFetch() && !fetching && !logChanging && !flushing;
    return waits ? nextFetchAt : Long.MAX_VALUE;
  }

  void poll() {
    maybeFlush();
    maybeFetch();
  }

  void onFetch(int node, FetchResponse r) {
    fetching = false;
    FetchResponse.PartitionData p = QuorumAnswers.only(r);
    if (p == null) {
      core.logRefusal("Fetch", node, r.errorCode());
      failed();
      return;
    }
    EpochState before = core.state;
    Errors error = Errors.forCode(p.errorCode());
    int leaderId = p.currentLeader().leaderId();
    int epoch = p.currentLeader().leaderEpoch();
    if (core.handledAsNews(node, error, leaderId, epoch)) {
      if (core.state == before) {
        failed();
        if (core.state instanceof Follower f
            && node == f.leaderId()
            && epoch == f.epoch
            && leaderId != node
            && error == Errors.NOT_LEADER_OR_FOLLOWER) {
          core.leaderGone(f, core.survivorDelay(), "it says that it leads no more");
        }
      }
    } else if (error != Errors.NONE || !(core.state instanceof Follower)) {
      if (error != Errors.NONE) {
        core.logRefusal("Fetch", node, p.errorCode());
      }
      failed();
    } else {
      onFetched((Follower) core.state, p);
    }
  }

  private void onFetched(Follower f, FetchResponse.PartitionData p) {
    f.deadline = core.now + core.timeouts.fetchTimeoutMs();
    f.hasFetched = true;
    f.leaderGone = false;
    f.refusals = 0;
    fetchFailures = 0;
    core.electionLosses = 0;
    nextFetchAt = core.now;
    if (p.divergingEpoch().epoch() >= 0 && p.divergingEpoch().endOffset() >= 0) {
      truncate(p.divergingEpoch().epoch(), p.divergingEpoch().endOffset());
    } else if (p.snapshotId().epoch() >= 0 || p.snapshotId().endOffset() >= 0) {
      log.error(
          "the leader {} no longer has the log from {} on and offers the snapshot {}-{}, which"
              + " cannot be fetched yet",
          f.leaderId(),
          core.logView.endOffset(),
          p.snapshotId().endOffset(),
          p.snapshotId().epoch());
      failed();
    } else {
      f.leaderHighWatermark = Math.max(f.leaderHighWatermark, p.highWatermark());
      if (p.records() != null && p.records().sizeInBytes() > 0) {
        logChanging = true;
        core.emit(new QuorumEffect.AppendAsFollower(p.records(), f.leaderId(), f.epoch));
      } else {
        followHighWatermark(f);
      }
    }
  }

  /** Back to the last place that may be the same as at the leader (KIP-101, KIP-595). */
  private void truncate(int epoch, long endOffset) {
    OffsetAndEpoch ours = core.logView.endOffsetForEpoch(epoch);
    long to = ours.epoch() == epoch ? Math.min(ours.offset(), endOffset) : ours.offset();
    if (to < core.highWatermark) {
      core.fail(
          "the leader wants the log cut to " + to + ", below the committed " + core.highWatermark);
    } else if (to >= core.logView.endOffset()) {
      log.error("the leader says that epoch {} ends at {}, and so it does", epoch, endOffset);
      failed();
    } else {
      flushed = Math.min(flushed, to);
      logChanging = true;
      core.emit(new QuorumEffect.TruncateTo(to));
    }
  }

  void followHighWatermark(Follower f) {
    core.advanceTo(Math.min(f.leaderHighWatermark, core.logView.endOffset()));
  }

  void failed() {
    fetching = false;
    nextFetchAt = core.now + Outbox.backoff(core.timeouts.retryBackoffMs(), fetchFailures++);
  }

  private void maybeFlush() {
    if (!flushing && !logChanging && core.config.isVoter() && core.logView.endOffset() > flushed) {
      flushing = true;
      core.emit(new QuorumEffect.Flush());
    }
  }

  private boolean wantsToFetch() {
    return (core.state instanceof Follower || core.state instanceof Unattached)
        && !core.shuttingDown
        && core.config.voters().size() > (core.config.isVoter() ? 1 : 0);
  }

  private void maybeFetch() {
    boolean durable = !core.config.isVoter() || core.logView.endOffset() <= flushed;
    if (!wantsToFetch() || fetching || logChanging || !durable || core.now < nextFetchAt) {
      return;
    }
    fetching = true;
    int node = core.state instanceof Follower f ? f.leaderId() : anyVoter();
    core.send(
        node,
        core.requests.fetch(
            core.state.epoch, core.logView.end(), core.logView.startOffset(), core.highWatermark));
  }

  private int anyVoter() {
    List<VoterSet.Voter> others =
        core.config.voters().voters().stream().filter(v -> v.id() != core.id()).toList();
    return others.get(core.random.nextInt(others.size())).id();
  }
}
