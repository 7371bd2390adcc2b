package dev.vitrine.broker.control;

import dev.vitrine.protocol.ApiMessage;
import dev.vitrine.protocol.Errors;
import dev.vitrine.protocol.Uuid;
import dev.vitrine.protocol.message.BrokerHeartbeatRequest;
import dev.vitrine.protocol.message.BrokerHeartbeatResponse;
import dev.vitrine.protocol.message.BrokerRegistrationRequest;
import dev.vitrine.protocol.message.BrokerRegistrationResponse;
import dev.vitrine.rpc.RpcCallback;
import dev.vitrine.rpc.RpcFailure;
import dev.vitrine.rpc.RpcRequest;
import dev.vitrine.seam.Shard;
import dev.vitrine.seam.Timer;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * This broker in the eyes of the controller: registers it, then sends heartbeats until it may go.
 * Belongs to the quorum loop.
 *
 * <pre>
 *   STARTING --registered--> CATCHING_UP --has the metadata, logs loaded--> RUNNING
 *                                  \____________________________________________|
 *                                        shutDown()     |
 *                                                       v
 *                         LEAVING --the controller has moved the leaderships--> GONE
 * </pre>
 *
 * A broker is fenced (takes no part) until it has caught up with the metadata that was there when
 * it registered. It never registers a second time: a new registration is a new process.
 */
public final class BrokerLifecycle {
  private static final Logger LOG = LoggerFactory.getLogger(BrokerLifecycle.class);

  /** While something is expected any moment, and only then. */
  private static final long EAGER_MS = 20;

  private static final long RETRY_MS = 200;

  /** How long a broker that leaves looks for a controller: an election is over by then. */
  private static final long LAST_WORD_MS = 3_000;

  private enum State {
    STARTING,
    CATCHING_UP,
    RUNNING,
    LEAVING,
    GONE
  }

  /**
   * @param heartbeatMs {@code broker.heartbeat.interval.ms}
   * @param sessionMs {@code broker.session.timeout.ms}: an unanswered heartbeat is given up by then
   * @param metadataOffset the last offset of metadata that this broker has put into effect
   */
  public record Options(
      BrokerRegistrationRequest registration,
      long heartbeatMs,
      long sessionMs,
      LongSupplier metadataOffset) {}

  /** Hears of the two moments that others wait for, on the quorum loop. */
  public interface Listener {
    /** Registered with this epoch: fetches and proposals may carry it. */
    void registered(long brokerEpoch);

    /** Unfenced: clients find this broker, partitions may be led here. */
    void running();

    /** The controller cannot have this broker: there is no point in going on. */
    void refused(String why);
  }

  private final Options options;
  private final Shard shard;
  private final ControllerChannel controller;
  private final Listener listener;
  private State state = State.STARTING;
  private long brokerEpoch = -1;
  private final List<Uuid> offline = new ArrayList<>();
  private final List<Uuid> told = new ArrayList<>();
  private boolean ready;
  private boolean caughtUp;
  private boolean inFlight;
  private Timer next;
  private Runnable gone;

  public BrokerLifecycle(
      Options options, Shard shard, ControllerChannel controller, Listener listener) {
    this.options = options;
    this.shard = shard;
    this.controller = controller;
    this.listener = listener;
  }

  public void start() {
    controller.send(
        RpcRequest.of(options.registration),
        options.sessionMs,
        r -> ((BrokerRegistrationResponse) r).errorCode() == Errors.NOT_CONTROLLER.code(),
        new RpcCallback() {
          @Override
          public void completed(ApiMessage response, short version, ByteBuf frame) {
            registered((BrokerRegistrationResponse) response);
          }

          @Override
          public void failed(RpcFailure failure) {
            LOG.warn("Not registered yet: {}", failure.message());
            retryRegistration();
          }
        });
  }

  private void retryRegistration() {
    if (state == State.STARTING) {
      shard.schedule(RETRY_MS, this::start);
    }
  }

  private void registered(BrokerRegistrationResponse response) {
    if (state != State.STARTING) {
      return;
    }
    Errors error = Errors.forCode(response.errorCode());
    switch (error) {
      case NONE -> {
        brokerEpoch = response.brokerEpoch();
        state = State.CATCHING_UP;
        LOG.info(
            "Registered as broker {} with epoch {}", options.registration.brokerId(), brokerEpoch);
        listener.registered(brokerEpoch);
        heartbeat();
      }
      case INCONSISTENT_CLUSTER_ID, UNSUPPORTED_VERSION, INVALID_REGISTRATION, INVALID_REQUEST ->
          listener.refused(
              "the controller refuses the registration: " + error + ", " + error.message());
      default -> {
        // A duplicate is one until the session of the process before us has run out.
        LOG.warn("Not registered yet: {}", error);
        retryRegistration();
      }
    }
  }

  /** The logs are loaded: from now on this broker wants to be unfenced. */
  public void ready() {
    ready = true;
    hurry();
  }

  /**
   * A log directory does not work any more: the controller is to move its leaderships away.
   *
   * @param timeoutMs {@code log.dir.failure.timeout.ms}: until then it must know
   */
  public void directoryFailed(Uuid directory, long timeoutMs) {
    offline.add(directory);
    hurry();
    shard.schedule(
        timeoutMs,
        () -> {
          if (!told.contains(directory) && state != State.GONE) {
            listener.refused(
                "the controller can't be told in "
                    + timeoutMs
                    + " ms that the log directory "
                    + directory
                    + " has failed");
          }
        });
  }

  /**
   * There is another active controller: it learns now that this broker lives, and over which
   * connection.
   */
  public void controllerChanged() {
    hurry();
  }

  /**
   * Asks the controller to take the leaderships away; {@code whenGone} runs once, when it has or
   * there is no point.
   */
  public void shutDown(long timeoutMs, Runnable whenGone) {
    gone = whenGone;
    if (state != State.RUNNING && state != State.CATCHING_UP) {
      leave("not registered");
      return;
    }
    state = State.LEAVING;
    shard.schedule(timeoutMs, () -> leave("the controller did not let go in " + timeoutMs + " ms"));
    hurry();
  }

  private void leave(String why) {
    if (state != State.GONE) {
      LOG.info("Leaving the cluster: {}", why);
      state = State.GONE;
      if (next != null) {
        next.cancel();
      }
      gone.run();
    }
  }

  private void hurry() {
    if (brokerEpoch >= 0 && state != State.GONE && !inFlight) {
      scheduleIn(0);
    }
  }

  private void scheduleIn(long delayMs) {
    if (next != null) {
      next.cancel();
    }
    next = shard.schedule(delayMs, this::heartbeat);
  }

  private void heartbeat() {
    if (inFlight || state == State.GONE) {
      return;
    }
    inFlight = true;
    BrokerHeartbeatRequest request =
        new BrokerHeartbeatRequest()
            .brokerId(options.registration.brokerId())
            .brokerEpoch(brokerEpoch)
            .currentMetadataOffset(options.metadataOffset.getAsLong())
            .wantFence(!(ready && caughtUp))
            .wantShutDown(state == State.LEAVING);
    List<Uuid> failed = List.copyOf(offline);
    request.offlineLogDirs(failed);
    Predicate<ApiMessage> notController =
        r -> ((BrokerHeartbeatResponse) r).errorCode() == Errors.NOT_CONTROLLER.code();
    controller.send(
        RpcRequest.of(request),
        state == State.LEAVING
            ? Math.min(LAST_WORD_MS, options.sessionMs / 2)
            : options.sessionMs / 2,
        notController,
        new RpcCallback() {
          @Override
          public void completed(ApiMessage response, short version, ByteBuf frame) {
            inFlight = false;
            answered((BrokerHeartbeatResponse) response, failed);
          }

          @Override
          public void failed(RpcFailure failure) {
            inFlight = false;
            LOG.warn("Heartbeat unanswered: {}", failure.message());
            if (state == State.LEAVING) {
              // Where the whole cluster stops, the last of it has no quorum left to sign off from.
              leave("no controller answers");
            } else {
              scheduleIn(RETRY_MS);
            }
          }
        });
  }

  private void answered(BrokerHeartbeatResponse response, List<Uuid> failed) {
    if (state == State.GONE) {
      return;
    }
    Errors error = Errors.forCode(response.errorCode());
    if (error != Errors.NONE) {
      LOG.warn("The controller refuses the heartbeat: {}", error);
      scheduleIn(RETRY_MS);
      return;
    }
    caughtUp |= response.isCaughtUp();
    told.clear();
    told.addAll(failed);
    if (state == State.LEAVING) {
      if (response.shouldShutDown()) {
        leave("all leaderships have moved");
      } else {
        scheduleIn(EAGER_MS);
      }
      return;
    }
    if (state == State.CATCHING_UP && !response.isFenced()) {
      state = State.RUNNING;
      listener.running();
    }
    if (failed.size() < offline.size()) {
      scheduleIn(0);
    } else {
      scheduleIn(state == State.RUNNING ? options.heartbeatMs : EAGER_MS);
    }
  }
}
