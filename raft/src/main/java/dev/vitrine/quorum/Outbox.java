package dev.vitrine.quorum;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * One kind of request to several nodes: to each at most one at a time, again after a pause that
 * grows while it fails, and no more once it is done. What is said of a node that is not among them
 * any more is passed over.
 */
final class Outbox {
  private static final class Peer {
    boolean pending;
    boolean done;
    boolean refused;
    int failures;
    long nextAt;
  }

  private final Map<Integer, Peer> peers = new TreeMap<>();

  Outbox(VoterSet voters, int except) {
    retarget(voters, except);
  }

  /** The voters are others now: who has been sent to already is not sent to anew. */
  void retarget(VoterSet voters, int except) {
    peers.keySet().removeIf(id -> !voters.contains(id));
    for (VoterSet.Voter v : voters.voters()) {
      if (v.id() != except) {
        peers.computeIfAbsent(v.id(), id -> new Peer());
      }
    }
  }

  /** Nodes to send to now. */
  List<Integer> due(long now) {
    List<Integer> out = new ArrayList<>();
    peers.forEach(
        (id, p) -> {
          if (!p.pending && !p.done && p.nextAt <= now) {
            out.add(id);
          }
        });
    return out;
  }

  /** When the next node is due if nothing is heard until then. */
  long nextDue() {
    long next = Long.MAX_VALUE;
    for (Peer p : peers.values()) {
      if (!p.pending && !p.done) {
        next = Math.min(next, p.nextAt);
      }
    }
    return next;
  }

  void sent(int node) {
    peers.get(node).pending = true;
  }

  /** The node answered and need not be asked again. */
  void done(int node) {
    Peer p = peers.get(node);
    if (p != null) {
      p.pending = false;
      p.done = true;
      p.refused = false;
    }
  }

  /** The node answered; it is to be asked again at this time. */
  void again(int node, long at) {
    Peer p = peers.get(node);
    if (p != null) {
      p.pending = false;
      p.failures = 0;
      p.refused = false;
      p.nextAt = at;
    }
  }

  void failed(int node, long now, int backoffMs, boolean refused) {
    Peer p = peers.get(node);
    if (p != null) {
      p.pending = false;
      p.refused = refused;
      p.nextAt = now + backoff(backoffMs, p.failures++);
    }
  }

  boolean allDone() {
    return peers.values().stream().allMatch(p -> p.done);
  }

  /** Nodes that have not answered, but may: those at which nobody listens are left out. */
  int open() {
    return (int) peers.values().stream().filter(p -> !p.done && !p.refused).count();
  }

  /** Kafka's constant pause, but longer and longer for a node that stays silent. */
  static long backoff(int backoffMs, int failures) {
    return (long) backoffMs << Math.min(failures, 4);
  }
}
