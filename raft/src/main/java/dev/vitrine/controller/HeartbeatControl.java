package dev.vitrine.controller;

import dev.vitrine.metadata.BrokerRegistration;
import dev.vitrine.metadata.MetadataImage;
import dev.vitrine.protocol.Uuid;
import dev.vitrine.protocol.message.BrokerHeartbeatRequest;
import dev.vitrine.protocol.message.BrokerHeartbeatResponse;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * BrokerHeartbeat v0-2: where a broker stands, and what follows from it. On the quorum loop.
 *
 * <pre>
 *            caught up, wants it               wants to shut down, leads something
 *   FENCED ----------------------> ACTIVE ---------------------> CONTROLLED_SHUTDOWN
 *     |  ^                          |  |                                  |
 *     |  +---- wants it, expired ---+  | leads nothing                    | leads nothing, and
 *     |                                v                                  | the others know it
 *     +-- wants to shut down --> SHUTDOWN_NOW &lt;--------------------------+
 * </pre>
 */
final class HeartbeatControl {
  private enum State {
    FENCED,
    ACTIVE,
    CONTROLLED_SHUTDOWN,
    SHUTDOWN_NOW
  }

  private static final Logger log = LoggerFactory.getLogger(HeartbeatControl.class);
  private static final int FIRST_VERSION_WITH_CORDONED_DIRECTORIES = 30;

  private final BrokerSessions sessions;
  private final BrokerControl brokers;
  private final Leadership leadership;

  HeartbeatControl(BrokerSessions sessions, BrokerControl brokers, Leadership leadership) {
    this.sessions = sessions;
    this.brokers = brokers;
    this.leadership = leadership;
  }

  BrokerHeartbeatResponse heartbeat(BrokerHeartbeatRequest r, Draft draft, long nowTicks) {
    BrokerRegistration broker = BrokerControl.current(draft.image(), r.brokerId(), r.brokerEpoch());
    State now =
        broker.fenced()
            ? State.FENCED
            : broker.inControlledShutdown() ? State.CONTROLLED_SHUTDOWN : State.ACTIVE;
    sessions.touch(broker.id(), broker.epoch(), r.currentMetadataOffset(), nowTicks);
    boolean caughtUp = r.currentMetadataOffset() >= broker.epoch();
    State next = next(now, r, draft.image(), caughtUp);
    if (next != now) {
      enter(next, draft, broker);
    }
    directories(r, draft);
    if (next == State.CONTROLLED_SHUTDOWN && !draft.isEmpty()) {
      sessions.shutdownAt(broker.id(), draft.nextOffset() - 1);
    }
    if (next == State.SHUTDOWN_NOW) {
      // It said good-bye: whoever comes next under this id need not wait for the session to end.
      sessions.forget(broker.id());
    }
    return new BrokerHeartbeatResponse()
        .isCaughtUp(caughtUp)
        .isFenced(next == State.FENCED || next == State.SHUTDOWN_NOW)
        .shouldShutDown(next == State.SHUTDOWN_NOW);
  }

  private State next(State now, BrokerHeartbeatRequest r, MetadataImage image, boolean caughtUp) {
    switch (now) {
      case FENCED:
        if (r.wantShutDown()) {
          return State.SHUTDOWN_NOW;
        }
        return !r.wantFence() && caughtUp ? State.ACTIVE : State.FENCED;
      case ACTIVE:
        if (r.wantFence()) {
          return r.wantShutDown() ? State.SHUTDOWN_NOW : State.FENCED;
        }
        if (r.wantShutDown()) {
          return leadership.hasLeaderships(image, r.brokerId())
              ? State.CONTROLLED_SHUTDOWN
              : State.SHUTDOWN_NOW;
        }
        return State.ACTIVE;
      case CONTROLLED_SHUTDOWN:
        return leadership.hasLeaderships(image, r.brokerId())
                || !sessions.mayStop(image, r.brokerId())
            ? State.CONTROLLED_SHUTDOWN
            : State.SHUTDOWN_NOW;
      default:
        throw new IllegalStateException(now.toString());
    }
  }

  private void enter(State next, Draft draft, BrokerRegistration broker) {
    log.info("broker {} (epoch {}) becomes {}", broker.id(), broker.epoch(), next);
    switch (next) {
      case ACTIVE -> {
        draft.add(BrokerControl.change(broker).fenced((byte) -1));
        leadership.electMissing(draft);
      }
      case CONTROLLED_SHUTDOWN -> {
        draft.add(BrokerControl.change(broker).inControlledShutdown((byte) 1));
        leadership.brokerLeaves(draft, broker.id());
      }
      case FENCED, SHUTDOWN_NOW -> brokers.fence(draft, broker.id());
    }
  }

  private void directories(BrokerHeartbeatRequest r, Draft draft) {
    BrokerRegistration broker = draft.image().broker(r.brokerId());
    if (!r.offlineLogDirs().isEmpty()) {
      List<Uuid> online = new ArrayList<>(broker.logDirs());
      online.removeAll(r.offlineLogDirs());
      if (online.size() != broker.logDirs().size() && !online.isEmpty()) {
        log.warn("broker {} lost log directories {}", broker.id(), r.offlineLogDirs());
        draft.add(BrokerControl.change(broker).logDirs(online));
        leadership.directoriesFail(draft, broker.id(), r.offlineLogDirs());
      }
    }
    if (r.cordonedLogDirs() != null
        && draft.image().features().metadataVersion() >= FIRST_VERSION_WITH_CORDONED_DIRECTORIES
        && !sameMembers(r.cordonedLogDirs(), broker.cordonedLogDirs())) {
      draft.add(BrokerControl.change(broker).cordonedLogDirs(new ArrayList<>(r.cordonedLogDirs())));
    }
  }

  private static boolean sameMembers(List<Uuid> a, List<Uuid> b) {
    return b != null && a.size() == b.size() && b.containsAll(a);
  }
}
