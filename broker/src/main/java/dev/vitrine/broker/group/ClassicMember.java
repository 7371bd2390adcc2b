package dev.vitrine.broker.group;

import dev.vitrine.protocol.message.JoinGroupResponse;
import dev.vitrine.protocol.message.SyncGroupResponse;
import java.util.List;
import java.util.function.Consumer;

/**
 * One member of a classic group, and the requests of it that wait for the group. Belongs to its
 * {@link ClassicGroup}, which alone changes who waits.
 */
final class ClassicMember {
  static final byte[] NO_ASSIGNMENT = new byte[0];

  /**
   * Who it is.
   *
   * @param groupInstanceId of a static member, otherwise null
   */
  record Identity(String memberId, String groupInstanceId, String clientId, String clientHost) {
    Identity withMemberId(String other) {
      return new Identity(other, groupInstanceId, clientId, clientHost);
    }
  }

  /** What it has asked for when it joined last. */
  record Terms(int rebalanceTimeoutMs, int sessionTimeoutMs, List<Protocol> protocols) {}

  private final Identity identity;
  final Deadline session;
  Terms terms;
  byte[] assignment = NO_ASSIGNMENT;

  /** Has not had the answer to its first join yet, and so cannot send heartbeats. */
  boolean isNew;

  /** Null if no join waits. */
  Consumer<JoinGroupResponse> join;

  /** Null if no sync waits. */
  Consumer<SyncGroupResponse> sync;

  ClassicMember(Identity identity, Terms terms, Deadline session) {
    this.identity = identity;
    this.terms = terms;
    this.session = session;
  }

  Identity identity() {
    return identity;
  }

  String memberId() {
    return identity.memberId;
  }

  String groupInstanceId() {
    return identity.groupInstanceId;
  }

  boolean isStatic() {
    return identity.groupInstanceId != null;
  }

  String clientId() {
    return identity.clientId;
  }

  String clientHost() {
    return identity.clientHost;
  }

  int rebalanceTimeoutMs() {
    return terms.rebalanceTimeoutMs;
  }

  int sessionTimeoutMs() {
    return terms.sessionTimeoutMs;
  }

  boolean isAwaitingJoin() {
    return join != null;
  }

  boolean isAwaitingSync() {
    return sync != null;
  }

  /** It is not to be thrown out although nothing was heard: its request waits here. */
  boolean isExcused() {
    return !isNew && (isAwaitingJoin() || isAwaitingSync());
  }

  /** What it says in this protocol; empty if it does not know it. */
  byte[] metadata(String protocol) {
    for (Protocol p : terms.protocols) {
      if (p.name().equals(protocol)) {
        return p.metadata();
      }
    }
    return NO_ASSIGNMENT;
  }

  boolean matches(List<Protocol> others) {
    return terms.protocols.equals(others);
  }
}
