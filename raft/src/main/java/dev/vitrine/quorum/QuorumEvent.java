package dev.vitrine.quorum;

import dev.vitrine.protocol.ApiMessage;
import java.util.function.Consumer;

/** All that can happen to a {@link QuorumCore}. */
sealed interface QuorumEvent {
  /** Time has passed. */
  record Tick() implements QuorumEvent {}

  /**
   * A peer or a client asks; answered once, by a {@link QuorumEffect.Respond} with this token.
   *
   * @param wallMs wall clock, for what is shown to people
   */
  record Request(long token, ApiMessage message, short version, long wallMs)
      implements QuorumEvent {}

  /** The answer to a {@link QuorumEffect.Send}. */
  record Response(long requestId, ApiMessage message) implements QuorumEvent {}

  /** There will be no answer to a {@link QuorumEffect.Send}. */
  record Failure(long requestId, QuorumTransport.Failure cause) implements QuorumEvent {}

  /** The log has changed, as an effect asked for or by an append of the local controller. */
  record LogChanged() implements QuorumEvent {}

  /** The records of {@link QuorumEffect.AppendAsFollower} were not what a leader sends. */
  record AppendFailed() implements QuorumEvent {}

  /** What the log held below this offset when the {@link QuorumEffect.Flush} came is durable. */
  record Flushed(long offset) implements QuorumEvent {}

  /** A snapshot from the leader is there durably, and the log goes on behind it at the latest. */
  record SnapshotStored(OffsetAndEpoch id) implements QuorumEvent {}

  /** What the leader sent was not a whole snapshot, or could not be stored. */
  record SnapshotFailed() implements QuorumEvent {}

  /** The local controller gives up the leadership that it has in this epoch. */
  record Resign(int epoch) implements QuorumEvent {}

  /**
   * The local controller, which leads this epoch, raises kraft.version.
   *
   * @param answer hears, from within the step, null, or why not
   */
  record Upgrade(int epoch, short version, boolean validateOnly, Consumer<String> answer)
      implements QuorumEvent {}

  /** The node is going down in good order. */
  record Shutdown() implements QuorumEvent {}
}
