package dev.vitrine.quorum;

import dev.vitrine.metadata.VersionRange;
import dev.vitrine.protocol.Errors;
import dev.vitrine.protocol.Uuid;
import dev.vitrine.protocol.message.AddRaftVoterRequest;
import dev.vitrine.protocol.message.AddRaftVoterResponse;
import dev.vitrine.protocol.message.ApiVersionsResponse;
import dev.vitrine.protocol.message.RemoveRaftVoterRequest;
import dev.vitrine.protocol.message.RemoveRaftVoterResponse;
import dev.vitrine.protocol.message.UpdateRaftVoterRequest;
import dev.vitrine.rpc.RpcChannel;
import dev.vitrine.seam.Endpoint;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * What a leader does to the set of voters (KIP-853): one change at a time, and none before the last
 * is committed and a record of its own epoch is, so that any two majorities that may decide have a
 * voter in common. Belongs to {@link LeaderWork}; requests have been checked for cluster and epoch.
 */
final class VoterChanges {
  private final QuorumCore core;

  /** What is answered only later; one at a time. */
  private Pending pending;

  /** At kraft.version 0: what the voters of the configuration have told of themselves. */
  private VoterSet told;

  private static final class Pending {
    final long token;

    /** Of a request to add: whom; null of one to remove. */
    final VoterSet.Voter candidate;

    final boolean ackWhenCommitted;
    final long deadline;

    /** Where the new set stands in the log; -1 while the candidate is being asked. */
    long offset = -1;

    boolean answered;

    Pending(long token, VoterSet.Voter candidate, boolean ackWhenCommitted, long deadline) {
      this.token = token;
      this.candidate = candidate;
      this.ackWhenCommitted = ackWhenCommitted;
      this.deadline = deadline;
    }
  }

  VoterChanges(QuorumCore core) {
    this.core = core;
  }

  long deadline() {
    return pending == null ? Long.MAX_VALUE : pending.deadline;
  }

  /** A leader begins, who knows of the others only what the configuration says. */
  void begin(Leader l) {
    VoterSet.Voter self = l.voterSet().voter(core.id());
    told = self == null ? l.voterSet() : l.voterSet().with(core.config.selfAsVoter());
  }

  /** It leads no more. */
  void end() {
    finish(Errors.NOT_LEADER_OR_FOLLOWER, null);
  }

  void poll() {
    if (pending != null && core.now >= pending.deadline) {
      finish(Errors.REQUEST_TIMED_OUT, null);
    }
  }

  /** The high watermark has moved. */
  void committed(Leader l) {
    if (pending != null && pending.offset >= 0 && l.highWatermark > pending.offset) {
      finish(Errors.NONE, null);
    }
    boolean settled = l.highWatermark > core.logView.voters().votersOffset();
    if (settled && !l.voterSet().contains(core.config.self())) {
      core.resignSoon("it is not among the voters any more: " + l.voterSet().keys());
    }
  }

  // --- what the three requests have in common ---

  private record Refusal(Errors error, String message) {}

  /** Why the voters cannot be changed now, or null. */
  private Refusal notNow(Leader l, String what) {
    poll();
    if (pending != null) {
      return new Refusal(
          Errors.REQUEST_TIMED_OUT,
          "Request timed out waiting for leader to handle previous voter change request");
    }
    if (l.highWatermark < 0) {
      return new Refusal(
          Errors.REQUEST_TIMED_OUT,
          "Request timed out waiting for leader to establish HWM and fence previous voter changes");
    }
    short version = core.logView.voters().kraftVersion();
    if (version == 0 && what != null) {
      return new Refusal(
          Errors.UNSUPPORTED_VERSION,
          "Cluster doesn't support "
              + what
              + " voter because the kraft.version feature is "
              + version);
    }
    long at = core.logView.voters().votersOffset();
    if (version > 0 && at >= l.highWatermark) {
      return new Refusal(
          Errors.REQUEST_TIMED_OUT,
          "Request timed out waiting for voters to commit the latest voter change at "
              + at
              + " with HWM "
              + l.highWatermark);
    }
    return null;
  }

  /** Appends the set; it counts from the next event on. Returns the offset of its record. */
  private long append(Leader l, VoterSet voters, boolean withVersion) {
    List<ControlRecords.Entry> records = new ArrayList<>();
    if (withVersion) {
      records.add(ControlRecords.kraftVersion(QuorumConfig.KRAFT_VERSIONS.max()));
    }
    records.add(ControlRecords.voters(voters));
    long offset = core.logView.endOffset() + records.size() - 1;
    core.replication.logWillChange();
    core.emit(new QuorumEffect.AppendControl(records, l.epoch));
    return offset;
  }

  private void finish(Errors error, String message) {
    Pending p = pending;
    pending = null;
    if (p != null && !p.answered) {
      core.answers.respond(
          p.token, p.candidate == null ? removed(error, message) : added(error, message));
    }
  }

  static AddRaftVoterResponse added(Errors error, String message) {
    String text = message == null && error != Errors.NONE ? error.message() : message;
    return new AddRaftVoterResponse().errorCode(error.code()).errorMessage(text);
  }

  static RemoveRaftVoterResponse removed(Errors error, String message) {
    String text = message == null && error != Errors.NONE ? error.message() : message;
    return new RemoveRaftVoterResponse().errorCode(error.code()).errorMessage(text);
  }

  // --- AddRaftVoter ---

  void add(long token, AddRaftVoterRequest q) {
    Leader l = (Leader) core.state;
    ReplicaKey key = new ReplicaKey(q.voterId(), q.voterDirectoryId());
    List<VoterSet.Listener> listeners = new ArrayList<>();
    q.listeners()
        .forEach(
            e -> listeners.add(new VoterSet.Listener(e.name(), new Endpoint(e.host(), e.port()))));
    VoterSet.Voter candidate =
        new VoterSet.Voter(key.id(), key.directoryId(), listeners, VersionRange.of(0, 0));
    Refusal refusal = notToAdd(l, candidate);
    if (refusal != null) {
      core.answers.respond(token, added(refusal.error, refusal.message));
      return;
    }
    pending =
        new Pending(
            token, candidate, q.ackWhenCommitted(), core.now + core.timeouts.requestTimeoutMs());
    core.log().info("node {}: asking {} for its versions, to add it", core.id(), key);
    core.send(candidate, RpcChannel.versionsRequest());
  }

  /** In the form that Kafka's message has. */
  private static String shown(List<VoterSet.Listener> listeners) {
    return listeners.stream()
        .map(
            l ->
                "ListenerName("
                    + l.name()
                    + ")="
                    + l.endpoint().host()
                    + "/<unresolved>:"
                    + l.endpoint().port())
        .collect(Collectors.joining(", ", "Endpoints(endpoints={", "})"));
  }

  private Refusal notToAdd(Leader l, VoterSet.Voter candidate) {
    String listener = core.config.listenerName();
    if (candidate.id() < 0 || candidate.directoryId().equals(Uuid.ZERO)) {
      return new Refusal(Errors.INVALID_REQUEST, "Add voter request didn't include a valid voter");
    }
    if (candidate.endpoint(listener) == null) {
      return new Refusal(
          Errors.INVALID_REQUEST,
          "Add voter request didn't include the endpoint ("
              + shown(candidate.listeners())
              + ") for the default listener ListenerName("
              + listener
              + ")");
    }
    Refusal refusal = notNow(l, "adding");
    if (refusal == null && core.voters().contains(candidate.id())) {
      return new Refusal(
          Errors.DUPLICATE_VOTER,
          "The voter id for "
              + candidate.key()
              + " is already part of the set of voters "
              + core.voters().keys()
              + ".");
    }
    return refusal;
  }

  /** The candidate says what it supports. */
  void onVersions(int node, ApiVersionsResponse r) {
    if (pending == null
        || pending.candidate == null
        || pending.offset >= 0
        || pending.candidate.id() != node) {
      return;
    }
    Leader l = (Leader) core.state;
    ReplicaKey key = pending.candidate.key();
    VersionRange range = null;
    for (ApiVersionsResponse.SupportedFeatureKey f : r.supportedFeatures()) {
      if (f.name().equals(QuorumConfig.KRAFT_VERSION)) {
        range = new VersionRange(f.minVersion(), f.maxVersion());
      }
    }
    short version = core.logView.voters().kraftVersion();
    if (r.errorCode() != Errors.NONE.code()) {
      abort(
          Errors.REQUEST_TIMED_OUT,
          "Aborted add voter operation since API_VERSIONS returned an error "
              + Errors.forCode(r.errorCode()));
    } else if (range == null || !range.contains(version)) {
      abort(
          Errors.INVALID_REQUEST,
          "Aborted add voter operation for %s since the kraft.version range (min: %s, max: %s) doesn't support the finalized version %s"
              .formatted(
                  key, range == null ? 0 : range.min(), range == null ? 0 : range.max(), version));
    } else if (!l.isCaughtUp(key, core.now)) {
      abort(
          Errors.REQUEST_TIMED_OUT,
          "Aborted add voter operation for " + key + " since it is lagging behind");
    } else {
      VoterSet.Voter voter =
          new VoterSet.Voter(key.id(), key.directoryId(), pending.candidate.listeners(), range);
      pending.offset = append(l, core.voters().with(voter), false);
      if (!pending.ackWhenCommitted) {
        pending.answered = true;
        core.answers.respond(pending.token, added(Errors.NONE, null));
      }
    }
  }

  /** The candidate does not answer. */
  void onFailure(int node) {
    if (pending != null
        && pending.candidate != null
        && pending.offset < 0
        && pending.candidate.id() == node) {
      abort(
          Errors.REQUEST_TIMED_OUT,
          "Aborted add voter operation since API_VERSIONS is not answered");
    }
  }

  private void abort(Errors error, String message) {
    core.log().info("node {}: {}", core.id(), message);
    finish(error, message);
  }

  // --- RemoveRaftVoter ---

  void remove(long token, RemoveRaftVoterRequest q) {
    Leader l = (Leader) core.state;
    ReplicaKey key = new ReplicaKey(q.voterId(), q.voterDirectoryId());
    Refusal refusal =
        key.id() < 0 || !key.hasDirectory()
            ? new Refusal(
                Errors.INVALID_REQUEST, "Remove voter request didn't include a valid voter")
            : notNow(l, "removing");
    VoterSet.Voter voter = core.voters().voter(key.id());
    boolean known = voter != null && voter.key().equals(key);
    if (refusal == null && (!known || core.voters().size() == 1)) {
      refusal =
          new Refusal(
              Errors.VOTER_NOT_FOUND,
              "Cannot remove voter " + key + " from the set of voters " + core.voters().keys());
    }
    if (refusal != null) {
      core.answers.respond(token, removed(refusal.error, refusal.message));
      return;
    }
    pending = new Pending(token, null, true, core.now + core.timeouts.requestTimeoutMs());
    pending.offset = append(l, core.voters().without(key.id()), false);
  }

  // --- UpdateRaftVoter ---

  /** What a voter says of itself. Answered before it is committed, as in Kafka. */
  Errors update(UpdateRaftVoterRequest q) {
    Leader l = (Leader) core.state;
    List<VoterSet.Listener> listeners = new ArrayList<>();
    q.listeners()
        .forEach(
            e -> listeners.add(new VoterSet.Listener(e.name(), new Endpoint(e.host(), e.port()))));
    short min = q.kRaftVersionFeature().minSupportedVersion();
    short max = q.kRaftVersionFeature().maxSupportedVersion();
    VoterSet.Voter voter =
        new VoterSet.Voter(
            q.voterId(), q.voterDirectoryId(), listeners, new VersionRange(min, max));
    if (voter.id() < 0
        || voter.directoryId().equals(Uuid.ZERO)
        || voter.endpoint(core.config.listenerName()) == null
        || min < 0
        || max < min) {
      return Errors.INVALID_REQUEST;
    }
    Refusal refusal = notNow(l, null);
    if (refusal != null) {
      return refusal.error;
    }
    short version = core.logView.voters().kraftVersion();
    if (!voter.kraftVersions().contains(version)) {
      return Errors.INVALID_REQUEST;
    }
    VoterSet.Voter known = (version == 0 ? told : core.voters()).voter(voter.id());
    if (known == null || (version > 0 && !known.key().equals(voter.key()))) {
      return Errors.VOTER_NOT_FOUND;
    }
    if (version == 0) {
      told = told.with(voter);
    } else if (!known.equals(voter)) {
      append(l, core.voters().with(voter), false);
    }
    l.follows(voter.key(), core.now);
    return Errors.NONE;
  }

  // --- kraft.version ---

  /** Raises kraft.version: the voters go into the log. Returns why not, or null. */
  String upgrade(QuorumEvent.Upgrade e) {
    if (!core.isLeaderOf(e.epoch())) {
      return "This node does not lead epoch " + e.epoch();
    }
    Leader l = (Leader) core.state;
    short version = core.logView.voters().kraftVersion();
    if (e.version() == version) {
      return null;
    }
    if (e.version() < version) {
      return "Invalid upgrade of kraft.version from version "
          + version
          + " to "
          + e.version()
          + " because the new version is a downgrade";
    }
    for (VoterSet.Voter v : told.voters()) {
      if (!v.kraftVersions().contains(e.version())) {
        return "Invalid upgrade of kraft.version to "
            + e.version()
            + " because not all of the voters support it";
      }
    }
    if (notNow(l, null) != null) {
      return "Unable to upgrade version for kraft.version to "
          + e.version()
          + " due to changing voters";
    }
    if (!e.validateOnly()) {
      append(l, told, true);
    }
    return null;
  }
}
