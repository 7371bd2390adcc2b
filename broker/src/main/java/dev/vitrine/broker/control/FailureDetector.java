package dev.vitrine.broker.control;

import dev.vitrine.broker.api.CloseSignal;
import dev.vitrine.metadata.BrokerEndpoint;
import dev.vitrine.metadata.BrokerRegistration;
import dev.vitrine.metadata.MetadataImage;
import dev.vitrine.protocol.message.BrokerRegistrationRequest;
import dev.vitrine.quorum.CommittedBatch;
import dev.vitrine.quorum.LeaderAndEpoch;
import dev.vitrine.quorum.RaftListener;
import dev.vitrine.quorum.Snapshot;
import dev.vitrine.seam.Connection;
import dev.vitrine.seam.ConnectionListener;
import dev.vitrine.seam.Endpoint;
import dev.vitrine.seam.Network;
import dev.vitrine.seam.Shard;
import io.netty.buffer.ByteBuf;
import java.net.ConnectException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells the active controller of dead brokers before their sessions run out. On the quorum loop of
 * a controller's node.
 *
 * <p>Evidence of death is two things together: the connection over which the broker sent its
 * heartbeats was closed by the other side, and its inter-broker listener refuses a connection,
 * twice. Only a process that is gone does both; a broker that is slow, paused or cut off is silent,
 * and is left to its session. The evidence is about one registration: a broker that has registered
 * anew is not touched by what was seen of the one before. A controller that has just become active
 * has no connections yet: it dials every broker that is not fenced. It begins with that as soon as
 * nobody leads the quorum: the node that led it is most likely dead as a broker too.
 *
 * <p>Where a process is started again so soon that its listener answers before it was ever refused,
 * the new process is the evidence: it holds the log directories of the old one, and no two
 * processes hold the lock of one directory.
 *
 * <p>{@code vitrine.failure.detection=session} leaves all to the sessions, as Kafka does: where a
 * proxy stands before the brokers, a refusal says nothing about them.
 */
public final class FailureDetector implements RaftListener {
  private static final Logger LOG = LoggerFactory.getLogger(FailureDetector.class);

  /** Between two dials: a listener that is about to open has opened by then, most likely. */
  private static final long NEXT_LOOK_MS = 50;

  /** After so many more dials a broker that was not refused twice in a row is alive. */
  private static final int LOOKS = 4;

  /** What was found out before this controller became active is good for so long. */
  private static final long SUSPICION_MS = 1_000;

  /** The controller, as far as this must know it. On the quorum loop. */
  public interface Judge {
    boolean isActive();

    /** Everything committed. */
    MetadataImage image();

    /** Whether the session of this registration has not run out. */
    boolean isAlive(int brokerId, long brokerEpoch);

    /** Fences the broker unless it has registered anew. */
    void fence(int brokerId, long brokerEpoch);
  }

  private record Watched(long brokerEpoch, CloseSignal connection, Runnable forget) {}

  private record Suspect(long brokerEpoch, long ticks) {}

  private final Shard shard;
  private final Network network;
  private final Judge controller;
  private final int nodeId;
  private final String interBroker;
  private final Map<Integer, Watched> watched = new TreeMap<>();

  /** Those that were found dead while nobody led the quorum. */
  private final Map<Integer, Suspect> suspects = new TreeMap<>();

  private boolean leaderless;

  /**
   * @param interBroker the name of the listener by which brokers reach one another
   */
  public FailureDetector(
      Shard shard, Network network, Judge controller, int nodeId, String interBroker) {
    this.shard = shard;
    this.network = network;
    this.controller = controller;
    this.nodeId = nodeId;
    this.interBroker = interBroker;
  }

  /**
   * A heartbeat of this registration, or the registration itself, has come over this connection:
   * its end will be a sign.
   */
  void heard(int brokerId, long brokerEpoch, CloseSignal connection) {
    Watched w = watched.get(brokerId);
    if (w != null && w.connection == connection && w.brokerEpoch == brokerEpoch) {
      return;
    }
    if (w != null) {
      w.forget.run();
    }
    Runnable forget = connection.onClose(() -> lost(brokerId, brokerEpoch, connection));
    watched.put(brokerId, new Watched(brokerEpoch, connection, forget));
  }

  /**
   * A process asks to be registered. If the one before it can't be alive, it is fenced before
   * {@code goOn}; else the controller will refuse the new one as long as the session of the old one
   * lasts.
   *
   * <p>What a process asked that has died since may be read late, when its successor is registered
   * already, and must not take its place: then the successor's connection is open, or this one ends
   * within a moment.
   *
   * @param goOn handles the request; called once, at once if there is nothing to find out
   */
  void asked(BrokerRegistrationRequest request, CloseSignal connection, Runnable goOn) {
    BrokerRegistration before =
        controller.isActive() ? controller.image().broker(request.brokerId()) : null;
    if (before == null || !wasReplaced(before, request)) {
      goOn.run();
      return;
    }
    AtomicBoolean ended = new AtomicBoolean();
    Runnable forget = connection.onClose(() -> ended.set(true));
    shard.schedule(
        NEXT_LOOK_MS,
        () -> {
          forget.run();
          if (!ended.get() && controller.isActive() && !isConnected(before)) {
            LOG.info(
                "Broker {} (epoch {}) is dead: another process holds its directories",
                before.id(),
                before.epoch());
            controller.fence(before.id(), before.epoch());
          }
          goOn.run();
        });
  }

  private boolean wasReplaced(BrokerRegistration before, BrokerRegistrationRequest request) {
    return !before.incarnationId().equals(request.incarnationId())
        && controller.isAlive(before.id(), before.epoch())
        && !before.logDirs().isEmpty()
        && request.logDirs().containsAll(before.logDirs())
        && !isConnected(before);
  }

  private boolean isConnected(BrokerRegistration broker) {
    Watched w = watched.get(broker.id());
    return w != null && w.brokerEpoch == broker.epoch();
  }

  private void lost(int brokerId, long brokerEpoch, CloseSignal connection) {
    Watched w = watched.get(brokerId);
    if (w != null && w.connection == connection) {
      watched.remove(brokerId);
      dial(brokerId, brokerEpoch, 0, 0);
    }
  }

  @Override
  public void handleLeaderChange(LeaderAndEpoch leader) {
    leaderless = leader.leaderId() < 0;
    if (leader.isLeader(nodeId)) {
      shard.execute(this::begin); // the controller hears of its leadership before that
    } else {
      suspects.clear();
      if (leaderless) {
        shard.execute(this::dialAll);
      }
    }
  }

  private void begin() {
    if (controller.isActive()) {
      suspects.values().removeIf(s -> shard.ticks() - s.ticks > SUSPICION_MS);
      suspects.forEach((id, s) -> controller.fence(id, s.brokerEpoch));
      dialAll();
      suspects.clear();
    }
  }

  private void dialAll() {
    for (BrokerRegistration b : controller.image().cluster().brokers().values()) {
      if (!b.fenced() && b.id() != nodeId && !suspects.containsKey(b.id())) {
        dial(b.id(), b.epoch(), 0, 0);
      }
    }
  }

  /**
   * @param look how many there were before
   * @param refusals how many of them in a row, up to the last, were refused
   */
  private void dial(int brokerId, long brokerEpoch, int look, int refusals) {
    MetadataImage image = controller.image();
    BrokerRegistration b = image.broker(brokerId);
    BrokerEndpoint at = b == null ? null : b.endpoint(interBroker);
    boolean judges = controller.isActive() || leaderless;
    if (!judges || at == null || b.fenced() || b.epoch() != brokerEpoch) {
      return;
    }
    network.connect(
        new Endpoint(at.host(), at.port()),
        shard,
        new ConnectionListener() {
          @Override
          public void opened(Connection connection) {
            // A dying process closes its sockets one after the other: its listener may be the next.
            connection.close();
            lookAgain(brokerId, brokerEpoch, look, 0);
          }

          @Override
          public void received(Connection connection, ByteBuf frame) {
            frame.release();
          }

          @Override
          public void closed(Connection connection, Throwable cause) {
            if (!(cause instanceof ConnectException)) {
              return;
            }
            if (refusals == 0) {
              lookAgain(brokerId, brokerEpoch, look, 1);
            } else {
              LOG.info(
                  "Broker {} (epoch {}) is dead: nobody listens at {}", brokerId, brokerEpoch, at);
              found(brokerId, brokerEpoch);
            }
          }
        });
  }

  private void found(int brokerId, long brokerEpoch) {
    if (controller.isActive()) {
      controller.fence(brokerId, brokerEpoch);
    } else if (leaderless) {
      suspects.put(brokerId, new Suspect(brokerEpoch, shard.ticks()));
    }
  }

  private void lookAgain(int brokerId, long brokerEpoch, int look, int refusals) {
    if (look < LOOKS) {
      shard.schedule(NEXT_LOOK_MS, () -> dial(brokerId, brokerEpoch, look + 1, refusals));
    }
  }

  @Override
  public void handleCommit(List<CommittedBatch> batches) {}

  @Override
  public void handleLoadSnapshot(Snapshot snapshot) {}
}
