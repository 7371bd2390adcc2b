package dev.vitrine.controller;

import dev.vitrine.metadata.BrokerRegistration;
import dev.vitrine.metadata.ImageLoader;
import dev.vitrine.metadata.MetadataImage;
import dev.vitrine.metadata.RecordVersions;
import dev.vitrine.protocol.ApiMessage;
import dev.vitrine.protocol.Errors;
import dev.vitrine.protocol.ThrottledResponse;
import dev.vitrine.protocol.message.AbortTransactionRecord;
import dev.vitrine.protocol.message.ApiKeys;
import dev.vitrine.protocol.message.NoOpRecord;
import dev.vitrine.quorum.ApiMessageAndVersion;
import dev.vitrine.quorum.CommittedBatch;
import dev.vitrine.quorum.LeaderAndEpoch;
import dev.vitrine.quorum.NotLeaderException;
import dev.vitrine.quorum.OffsetAndEpoch;
import dev.vitrine.quorum.RaftClient;
import dev.vitrine.quorum.RaftListener;
import dev.vitrine.quorum.Snapshot;
import dev.vitrine.quota.MutationQuota;
import dev.vitrine.seam.Shard;
import dev.vitrine.seam.Timer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The controller: decides on requests as long as its node leads the quorum, and follows the log
 * otherwise. Owned by the quorum loop; every method is called there. Keeps two images: {@link
 * #image}, of what is committed, and the tip, of all that was appended, on which it decides. It
 * never answers before what it decided is committed, and never blocks. The same calls in the same
 * order, with the same chance from the shard, make the same records.
 */
public final class Controller implements RaftListener {
  /** What {@link #handle} takes, in all versions of the schema. */
  public static final List<ApiKeys> APIS = ControllerApis.ALL;

  private static final Logger log = LoggerFactory.getLogger(Controller.class);
  private static final int MAX_RECORDS_PER_BATCH = 10_000;
  private static final int MAX_LEADERS_MOVED_AT_ONCE = 1_000;
  private static final long PAUSE_OF_BALANCING_MS = 10;

  private final ControllerConfig config;
  private final RaftClient raft;
  private final Shard shard;
  private final BrokerSessions sessions;
  private final BrokerControl brokers;
  private final Leadership leadership;
  private final ControllerApis apis;
  private final ControllerQuotas quotas;
  private final ArrayDeque<Pending> pending = new ArrayDeque<>();
  private final List<Timer> timers = new ArrayList<>();

  private MetadataImage committed = MetadataImage.EMPTY;
  private List<ApiMessage> formatted = List.of();
  private LeaderAndEpoch leader = LeaderAndEpoch.UNKNOWN;

  /** Null unless this is the active controller. */
  private MetadataImage tip;

  private long lastAppendTicks;

  /** An answer that waits until its offset is committed. */
  private record Pending(
      long offset, ApiMessage request, short version, ApiMessage answer, Consumer<ApiMessage> to) {}

  public Controller(
      ControllerConfig config, RaftClient raft, Shard shard, ConfigValidator validator) {
    this.config = config;
    this.raft = raft;
    this.shard = shard;
    this.leadership = new Leadership(config);
    this.sessions = new BrokerSessions(config.sessionTimeoutMs());
    this.brokers = new BrokerControl(config, sessions, leadership);
    this.quotas = new ControllerQuotas(config);
    ElrControl elr = new ElrControl(config);
    this.apis =
        new ControllerApis(
            brokers,
            new HeartbeatControl(sessions, brokers, leadership),
            new AlterPartitionControl(leadership),
            new TopicCreation(config, validator, shard.random()),
            new TopicControl(config, shard.random()),
            new ConfigControl(validator, elr, leadership),
            new ClientQuotaControl(config.isHost()),
            new FeatureControl(config, elr, raft),
            new ElectionControl(leadership),
            new ReassignmentControl(leadership),
            new NodeControl(config.nodeId(), leadership));
  }

  /** Begins to follow the log. */
  public void start() {
    raft.register(this);
  }

  /** Whether this node decides now. */
  public boolean isActive() {
    return tip != null;
  }

  /** Everything committed. */
  public MetadataImage image() {
    return committed.visible();
  }

  /**
   * Decides on one request.
   *
   * @param respond gets the answer exactly once, on this loop; perhaps from within this call
   */
  public void handle(
      ApiMessage request, short version, RequestContext context, Consumer<ApiMessage> respond) {
    MutationQuota quota = quotas.of(request, version, context, image(), shard.ticks());
    if (quota == MutationQuota.UNLIMITED) {
      handle(request, version, context.deadlineTicks(), quota, respond);
    } else {
      handle(
          request,
          version,
          context.deadlineTicks(),
          quota,
          a -> {
            int throttleMs = quota.throttleMs(shard.ticks());
            respond.accept(((ThrottledResponse) a).throttleTimeMs(throttleMs));
          });
    }
  }

  private void handle(
      ApiMessage request,
      short version,
      long deadlineTicks,
      MutationQuota quota,
      Consumer<ApiMessage> respond) {
    if (tip == null) {
      answer(respond, notController(request, version));
      return;
    }
    long now = shard.ticks();
    if (now >= deadlineTicks || ControllerApis.timeoutMs(request) <= 0) {
      answer(respond, Refusals.of(request, version, Errors.REQUEST_TIMED_OUT, null));
      return;
    }
    Draft draft = new Draft(tip, raft.logEndOffset(), quota);
    ApiMessage answer;
    try {
      answer = apis.decide(request, version, draft, now);
    } catch (ControllerException e) {
      log.info("refused {}: {} {}", name(request), e.error(), e.getMessage());
      draft = draft();
      answer = Refusals.of(request, version, e.error(), e.getMessage());
    } catch (RuntimeException e) {
      log.error("failed to decide on {}", name(request), e);
      draft = draft();
      answer = Refusals.of(request, version, Errors.UNKNOWN_SERVER_ERROR, null);
    }
    if (!append(draft)) {
      answer(respond, notController(request, version));
    } else if (tip.offset() <= committed.offset()) {
      answer(respond, answer);
    } else {
      // An answer without records may rest on what others appended before: it waits for them.
      pending.add(new Pending(tip.offset(), request, version, answer, respond));
    }
  }

  /** Whether the session of this registration has not run out. */
  public boolean isAlive(int brokerId, long brokerEpoch) {
    return tip != null && sessions.isAlive(brokerId, brokerEpoch, shard.ticks());
  }

  /**
   * Fences a broker that is known to be dead, without waiting for its session to end. Nothing
   * happens if it has registered anew since.
   */
  public void fence(int brokerId, long brokerEpoch) {
    BrokerRegistration broker = tip == null ? null : tip.broker(brokerId);
    if (broker != null && broker.epoch() == brokerEpoch) {
      fence(broker, "is known to be dead");
    }
  }

  @Override
  public void handleCommit(List<CommittedBatch> batches) {
    for (CommittedBatch batch : batches) {
      MetadataImage next = committed;
      for (ApiMessageAndVersion record : batch.records()) {
        next = next.apply(record.message());
      }
      committed = next.at(batch.lastOffset(), batch.epoch());
    }
    checkFeatures();
    if (tip != null && tip.offset() <= committed.offset()) {
      tip = committed; // equal by now, and it shares more
    }
    while (!pending.isEmpty() && pending.peek().offset() <= committed.offset()) {
      Pending done = pending.poll();
      answer(done.to(), done.answer());
    }
  }

  @Override
  public void handleLoadSnapshot(Snapshot snapshot) {
    if (snapshot.id().equals(OffsetAndEpoch.BOOTSTRAP)) {
      formatted = snapshot.records().stream().map(ApiMessageAndVersion::message).toList();
      return;
    }
    committed = ImageLoader.imageOf(snapshot);
    checkFeatures();
  }

  @Override
  public void handleLeaderChange(LeaderAndEpoch now) {
    renounce();
    leader = now;
    if (now.isLeader(config.nodeId())) {
      claim();
    }
  }

  @Override
  public void beginShutdown() {
    renounce();
  }

  private void claim() {
    log.info("this controller is active in epoch {}", leader.epoch());
    tip = committed;
    lastAppendTicks = shard.ticks();
    Draft draft = draft();
    if (tip.transactionStart() != null) {
      draft.add(new AbortTransactionRecord().reason("Controller failover"));
    }
    if (draft.image().features().metadataVersion() == 0) {
      FeatureControl.bootstrap(config, formatted).forEach(draft::add);
    }
    if (!append(draft)) {
      return;
    }
    sessions.startOver(tip, shard.ticks());
    every(() -> sessions.msToNextExpiry(tip, shard.ticks()), this::fenceSilent);
    if (config.maxIdleIntervalMs() > 0) {
      every(config::maxIdleIntervalMs, this::noteIdle);
    }
    if (config.rebalanceLeaders()) {
      every(config::imbalanceCheckIntervalMs, this::balance);
    }
    every(config::uncleanElectionIntervalMs, this::electMissing);
  }

  private void renounce() {
    if (tip == null) {
      return;
    }
    log.info("this controller is not active any more; it was in epoch {}", leader.epoch());
    tip = null;
    timers.forEach(Timer::cancel);
    timers.clear();
    List<Pending> lost = new ArrayList<>(pending);
    pending.clear();
    lost.forEach(p -> answer(p.to(), notController(p.request(), p.version())));
  }

  /** Runs the task again and again until leadership is lost. */
  private void every(Supplier<Long> delayMs, Runnable task) {
    int slot = timers.size();
    timers.add(null);
    again(slot, delayMs, task);
  }

  private void again(int slot, Supplier<Long> delayMs, Runnable task) {
    timers.set(
        slot,
        shard.schedule(
            delayMs.get(),
            () -> {
              task.run();
              if (tip != null) {
                again(slot, delayMs, task);
              }
            }));
  }

  private void fenceSilent() {
    for (BrokerRegistration broker : sessions.expired(tip, shard.ticks())) {
      if (tip != null) {
        fence(broker, "did not send a heartbeat for " + config.sessionTimeoutMs() + " ms");
      }
    }
  }

  private void fence(BrokerRegistration broker, String why) {
    log.info("fencing broker {} (epoch {}): it {}", broker.id(), broker.epoch(), why);
    Draft draft = draft();
    brokers.fence(draft, broker.id());
    sessions.forget(broker.id());
    append(draft);
  }

  private void noteIdle() {
    if (shard.ticks() - lastAppendTicks >= config.maxIdleIntervalMs()) {
      Draft draft = draft();
      draft.add(new NoOpRecord());
      append(draft);
    }
  }

  /** So many at a time, and others in between; the rest does not wait for the next interval. */
  private void balance() {
    if (tip == null) {
      return;
    }
    Draft draft = draft();
    boolean more = leadership.balance(draft, MAX_LEADERS_MOVED_AT_ONCE);
    if (append(draft) && more) {
      shard.schedule(PAUSE_OF_BALANCING_MS, this::balance);
    }
  }

  private void electMissing() {
    Draft draft = draft();
    leadership.electMissing(draft);
    append(draft);
  }

  private Draft draft() {
    return new Draft(tip, raft.logEndOffset());
  }

  /**
   * Appends what was drafted and makes it the tip.
   *
   * @return false if this node does not lead any more; then it has renounced
   */
  private boolean append(Draft draft) {
    List<ApiMessage> records = draft.records();
    if (records.isEmpty()) {
      return true;
    }
    try {
      long shift = raiseKraftVersion(draft);
      long last = -1;
      for (int from = 0; from < records.size(); from += MAX_RECORDS_PER_BATCH) {
        int to = Math.min(records.size(), from + MAX_RECORDS_PER_BATCH);
        List<ApiMessageAndVersion> batch = new ArrayList<>(to - from);
        for (ApiMessage record : records.subList(from, to)) {
          batch.add(new ApiMessageAndVersion(record, RecordVersions.of(record)));
        }
        last = raft.append(leader.epoch(), batch);
      }
      if (last != draft.nextOffset() + shift - 1) {
        throw new IllegalStateException(
            "records landed at " + last + " and not at " + (draft.nextOffset() + shift - 1));
      }
      tip = draft.image().at(last, leader.epoch());
      lastAppendTicks = shard.ticks();
      return true;
    } catch (NotLeaderException e) {
      renounce();
      return false;
    } catch (RuntimeException e) {
      // The tip may not be what the log holds: only a fresh start can tell.
      log.error("failed to append {} metadata records", records.size(), e);
      raft.resign(leader.epoch());
      renounce();
      return false;
    }
  }

  /** The quorum writes that by itself; returns by how much its records put off ours. */
  private long raiseKraftVersion(Draft draft) {
    long before = raft.logEndOffset();
    if (draft.kraftVersion() > 0) {
      String refusal = raft.upgradeKraftVersion(leader.epoch(), draft.kraftVersion(), false);
      if (refusal != null) {
        throw new IllegalStateException(refusal);
      }
    }
    return raft.logEndOffset() - before;
  }

  /** Whoever asked may be gone or broken: that is no reason for the controller to fail. */
  private static void answer(Consumer<ApiMessage> to, ApiMessage answer) {
    try {
      to.accept(answer);
    } catch (RuntimeException e) {
      log.warn("an answer was not taken: {}", name(answer), e);
    }
  }

  private void checkFeatures() {
    String unsupported = FeatureControl.unsupported(committed.features(), config.features());
    if (unsupported != null) {
      throw new IllegalStateException(unsupported);
    }
  }

  private ApiMessage notController(ApiMessage request, short version) {
    LeaderAndEpoch now = raft.leaderAndEpoch();
    String message =
        now.leaderId() < 0 || now.isLeader(config.nodeId())
            ? "No controller appears to be active."
            : "The active controller appears to be node " + now.leaderId() + ".";
    return Refusals.of(request, version, Errors.NOT_CONTROLLER, message);
  }

  private static String name(ApiMessage request) {
    return request.getClass().getSimpleName();
  }
}
