package dev.vitrine.quorum;

import dev.vitrine.protocol.ApiMessage;
import dev.vitrine.protocol.Errors;
import dev.vitrine.protocol.message.FetchResponse;
import dev.vitrine.protocol.message.FetchSnapshotResponse;
import dev.vitrine.seam.Endpoint;
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

  /** As in Kafka, where ids of nodes that are only known by their endpoints go down from here. */
  private static final int FIRST_BOOTSTRAP_ID = -2;

  private final QuorumCore core;

  /** All below it is durable. */
  private long flushed;

  private boolean flushing;

  // The one fetch that may be under way.
  private boolean fetching;
  private int fetchFailures;
  private long nextFetchAt;

  /** The snapshot that is fetched instead of the log, or null. */
  private Download download;

  private record Download(OffsetAndEpoch id, long position) {}

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

  /** The snapshot stands for everything before its end, durably. */
  void snapshotStored(OffsetAndEpoch id) {
    logChanged();
    flushed = Math.max(flushed, id.offset());
    nextFetchAt = core.now;
  }

  /** What was under way was of another state. */
  void stateChanged() {
    fetching = false;
    download = null;
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
    } else if (followsOn("Fetch", node, News.of(r))) {
      onFetched((Follower) core.state, p);
    }
  }

  /** Whether an answer is that of the leader, who has what was asked for; if not, deals with it. */
  private boolean followsOn(String api, int node, News news) {
    EpochState before = core.state;
    Errors error = news.error();
    if (core.handledAsNews(node, news)) {
      if (core.state == before) {
        failed();
        if (core.state instanceof Follower f
            && node == f.leaderId()
            && news.epoch() == f.epoch
            && news.leaderId() != node
            && error == Errors.NOT_LEADER_OR_FOLLOWER) {
          core.leaderGone(f, core.survivorDelay(), "it says that it leads no more");
        }
      }
      return false;
    }
    if (error != Errors.NONE || !(core.state instanceof Follower)) {
      if (error != Errors.NONE) {
        core.logRefusal(api, node, error.code());
      }
      failed();
      return false;
    }
    Follower f = (Follower) core.state;
    f.deadline = core.now + core.timeouts.fetchTimeoutMs();
    f.hasFetched = true;
    f.leaderGone = false;
    f.refusals = 0;
    fetchFailures = 0;
    core.election.over();
    nextFetchAt = core.now;
    return true;
  }

  private void onFetched(Follower f, FetchResponse.PartitionData p) {
    if (p.divergingEpoch().epoch() >= 0 && p.divergingEpoch().endOffset() >= 0) {
      truncate(p.divergingEpoch().epoch(), p.divergingEpoch().endOffset());
    } else if (p.snapshotId().epoch() >= 0 || p.snapshotId().endOffset() >= 0) {
      beginDownload(f, new OffsetAndEpoch(p.snapshotId().endOffset(), p.snapshotId().epoch()));
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

  private void beginDownload(Follower f, OffsetAndEpoch id) {
    if (id.epoch() < 0 || id.offset() <= Math.max(0, core.highWatermark) || id.epoch() > f.epoch) {
      log.error(
          "node {}: the leader {} offers the snapshot {}, and {} is committed here",
          core.id(),
          f.leaderId(),
          id,
          core.highWatermark);
      failed();
      return;
    }
    log.info("node {}: fetching the snapshot {} from {}", core.id(), id, f.leaderId());
    download = new Download(id, 0);
  }

  void onFetchSnapshot(int node, FetchSnapshotResponse r) {
    fetching = false;
    FetchSnapshotResponse.PartitionSnapshot p = QuorumAnswers.only(r);
    if (p == null) {
      core.logRefusal("FetchSnapshot", node, r.errorCode());
      failed();
      return;
    }
    Errors error = Errors.forCode(p.errorCode());
    if (error == Errors.SNAPSHOT_NOT_FOUND || error == Errors.POSITION_OUT_OF_RANGE) {
      // The leader has a later one by now: the next fetch will tell.
      download = null;
    }
    if (followsOn("FetchSnapshot", node, News.of(r))) {
      onPart(node, p);
    }
  }

  private void onPart(int node, FetchSnapshotResponse.PartitionSnapshot p) {
    OffsetAndEpoch id = new OffsetAndEpoch(p.snapshotId().endOffset(), p.snapshotId().epoch());
    int bytes = p.unalignedRecords() == null ? 0 : p.unalignedRecords().sizeInBytes();
    if (download == null
        || !id.equals(download.id)
        || p.position() != download.position
        || bytes == 0
        || p.position() + bytes > p.size()) {
      log.error(
          "node {}: node {} sent {} bytes at {} of the snapshot {} instead of {}",
          core.id(),
          node,
          bytes,
          p.position(),
          id,
          download);
      download = null;
      failed();
      return;
    }
    boolean last = p.position() + bytes == p.size();
    core.emit(new QuorumEffect.StoreSnapshot(id, p.position(), p.unalignedRecords(), last));
    download = last ? null : new Download(id, p.position() + bytes);
    logChanging = last;
  }

  /** Back to the last place that may be the same as at the leader (KIP-101, KIP-595). */
  private void truncate(int epoch, long endOffset) {
    OffsetAndEpoch ours = core.logView.endOffsetForEpoch(epoch);
    long to = ours.epoch() == epoch ? Math.min(ours.offset(), endOffset) : ours.offset();
    long committed = Math.max(core.highWatermark, core.logView.startOffset());
    if (to < committed) {
      core.fail(
          "the leader's epoch %d ends at %d, so the log from %d to %s were to be cut to %d, and up to %d it is committed"
              .formatted(
                  epoch, endOffset, core.logView.startOffset(), core.logView.end(), to, committed));
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
    if (!flushing && !logChanging && mustBeDurable() && core.logView.endOffset() > flushed) {
      flushing = true;
      core.emit(new QuorumEffect.Flush());
    }
  }

  /** Who votes, or may be made a voter: the leader counts what a new voter had when it was none. */
  private boolean mustBeDurable() {
    return core.isVoter() || core.config.canBecomeVoter();
  }

  private boolean wantsToFetch() {
    return !core.shuttingDown
        && (core.state instanceof Follower
            || (core.state instanceof Unattached && !core.isOnlyVoter() && someoneIsKnown()));
  }

  private boolean someoneIsKnown() {
    VoterSet voters = core.voters();
    boolean others = voters.size() > (voters.contains(core.id()) ? 1 : 0);
    return others || !core.config.membership().bootstrapServers().isEmpty();
  }

  private void maybeFetch() {
    boolean durable = !mustBeDurable() || core.logView.endOffset() <= flushed;
    if (!wantsToFetch() || fetching || logChanging || !durable || core.now < nextFetchAt) {
      return;
    }
    fetching = true;
    int epoch = core.state.epoch;
    LogView view = core.logView;
    ApiMessage request =
        download != null
            ? core.requests.fetchSnapshot(epoch, download.id, download.position)
            : core.requests.fetch(epoch, view.end(), view.startOffset(), core.highWatermark);
    if (core.state instanceof Follower f) {
      core.send(f.leaderId(), f.endpoint, request);
    } else {
      askAnybody(request);
    }
  }

  /** Any voter, or a bootstrap server, can tell who leads. */
  private void askAnybody(ApiMessage request) {
    List<VoterSet.Voter> others =
        core.voters().voters().stream().filter(v -> v.id() != core.id()).toList();
    List<Endpoint> servers = core.config.membership().bootstrapServers();
    int i = core.random.nextInt(others.size() + servers.size());
    if (i < others.size()) {
      core.send(others.get(i), request);
    } else {
      int server = i - others.size();
      core.send(FIRST_BOOTSTRAP_ID - server, servers.get(server), request);
    }
  }
}
