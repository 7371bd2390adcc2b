package dev.vitrine.controller;

import dev.vitrine.metadata.BrokerRegistration;
import dev.vitrine.metadata.MetadataImage;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;

/**
 * What the active controller remembers of the brokers' heartbeats. None of it is in the log: a new
 * controller starts afresh and gives every broker that is not fenced one whole session. Owned by
 * the quorum loop.
 */
final class BrokerSessions {
  private static final class Session {
    final long epoch;
    long lastContactTicks;
    long metadataOffset = -1;
    long shutdownOffset = -1;

    Session(long epoch) {
      this.epoch = epoch;
    }
  }

  private final long timeoutMs;
  private final TreeMap<Integer, Session> sessions = new TreeMap<>();

  BrokerSessions(long timeoutMs) {
    this.timeoutMs = timeoutMs;
  }

  /** Forgets all, and gives those who are not fenced a session from now. */
  void startOver(MetadataImage image, long nowTicks) {
    sessions.clear();
    for (BrokerRegistration b : image.cluster().brokers().values()) {
      if (!b.fenced()) {
        touch(b.id(), b.epoch(), -1, nowTicks);
      }
    }
  }

  void touch(int broker, long epoch, long metadataOffset, long nowTicks) {
    Session s = sessions.get(broker);
    if (s == null || s.epoch != epoch) {
      s = new Session(epoch);
      sessions.put(broker, s);
    }
    s.lastContactTicks = nowTicks;
    s.metadataOffset = Math.max(s.metadataOffset, metadataOffset);
  }

  void forget(int broker) {
    sessions.remove(broker);
  }

  /** Whether this incarnation was heard of within the session timeout. */
  boolean isAlive(int broker, long epoch, long nowTicks) {
    Session s = sessions.get(broker);
    return s != null && s.epoch == epoch && nowTicks - s.lastContactTicks < timeoutMs;
  }

  /** Remembers up to where the others must have read before this broker may stop. */
  void shutdownAt(int broker, long offset) {
    Session s = sessions.get(broker);
    if (s != null) {
      s.shutdownOffset = Math.max(s.shutdownOffset, offset);
    }
  }

  /** Whether all active brokers know that this one leads nothing any more. */
  boolean mayStop(MetadataImage image, int broker) {
    Session leaving = sessions.get(broker);
    if (leaving == null) {
      return true;
    }
    for (BrokerRegistration b : image.cluster().brokers().values()) {
      Session s = sessions.get(b.id());
      if (b.isActive() && (s == null || s.metadataOffset < leaving.shutdownOffset)) {
        return false;
      }
    }
    return true;
  }

  /** Brokers that are not fenced although their session is over. */
  List<BrokerRegistration> expired(MetadataImage image, long nowTicks) {
    List<BrokerRegistration> expired = new ArrayList<>();
    for (BrokerRegistration b : image.cluster().brokers().values()) {
      if (!b.fenced() && !isAlive(b.id(), b.epoch(), nowTicks)) {
        expired.add(b);
      }
    }
    return expired;
  }

  /** Milliseconds until the next session may be over; the whole timeout if nobody has one. */
  long msToNextExpiry(MetadataImage image, long nowTicks) {
    long next = timeoutMs;
    for (BrokerRegistration b : image.cluster().brokers().values()) {
      Session s = sessions.get(b.id());
      if (!b.fenced() && s != null) {
        next = Math.min(next, s.lastContactTicks + timeoutMs - nowTicks);
      }
    }
    return Math.max(1, next);
  }
}
