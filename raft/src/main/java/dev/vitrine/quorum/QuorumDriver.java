package dev.vitrine.quorum;

import dev.vitrine.protocol.ApiMessage;
import dev.vitrine.protocol.Uuid;
import dev.vitrine.protocol.message.FetchResponse;
import dev.vitrine.protocol.message.FetchSnapshotResponse;
import dev.vitrine.protocol.record.BatchBuilder;
import dev.vitrine.protocol.record.Records;
import dev.vitrine.seam.Disk;
import dev.vitrine.seam.Endpoint;
import dev.vitrine.seam.Shard;
import dev.vitrine.seam.Timer;
import dev.vitrine.storage.Log;
import dev.vitrine.storage.LogConfig;
import dev.vitrine.storage.LogDirectory;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Performs what a {@link QuorumCore} asks for: keeps the {@code quorum-state} file and the log,
 * asks and answers the peers, and tells listeners what is committed. Owned by one shard, on which
 * everything is called and calls back. Must never let anything leave the node before the promises
 * it rests on are durable, and must never block: syncs run on disk workers. Appends that arrive
 * while the log is being flushed are flushed together, in the next go.
 */
public final class QuorumDriver implements RaftClient {
  private static final Logger LOG = LoggerFactory.getLogger(QuorumDriver.class);

  /** What a driver stands on. */
  record Parts(
      Shard shard,
      QuorumTransport transport,
      QuorumLog log,
      QuorumStateStore store,
      SnapshotFiles snapshots,
      Consumer<Throwable> onFatal) {}

  /**
   * What {@link #open} needs beside the configuration.
   *
   * @param directory {@code metadata.log.dir}, or the first of {@code log.dirs}; open and formatted
   * @param logConfig for the {@code metadata.log.segment} keys
   * @param onFatal hears why this replica cannot go on without breaking a promise: the process
   *     should end
   */
  public record Setup(
      Shard shard,
      Disk disk,
      LogDirectory directory,
      LogConfig logConfig,
      QuorumTransport transport,
      Consumer<Throwable> onFatal) {}

  /** Something that may leave once the {@code version}th state to persist is durable. */
  private record Held(long version, Runnable release, Runnable drop) {}

  private final QuorumConfig config;
  private final Shard shard;
  private final QuorumTransport transport;
  private final QuorumLog log;
  private final QuorumStateStore store;
  private final Consumer<Throwable> onFatal;
  private final QuorumCore core;
  private final CommitFeed feed;
  private final SnapshotWork snapshots;
  private final CommitLatency latency = new CommitLatency();

  private final ArrayDeque<QuorumEvent> inbox = new ArrayDeque<>();
  private boolean stepping;
  private boolean stopped;

  private long nextToken;
  private final Map<Long, Consumer<ApiMessage>> responders = new HashMap<>();

  // Persisting: the newest state is written, states that it has overtaken are not.
  private QuorumEffect.Persist toPersist;
  private long versionAsked;
  private long versionDurable;
  private boolean persisting;
  private final ArrayDeque<Held> held = new ArrayDeque<>();

  private Timer timer;
  private long timerAt = Long.MAX_VALUE;

  private Runnable onShutdown;
  private volatile Endpoint leaderEndpoint;
  private volatile short kraftVersion;

  /**
   * Opens this node's replica of the metadata log and joins the quorum. Blocks while it reads the
   * latest snapshot and recovers the log: for the start of a node, on the quorum's shard.
   *
   * @throws IllegalStateException or UncheckedIOException if a file is damaged or unreadable; the
   *     message says which
   */
  public static QuorumDriver open(QuorumConfig config, Setup setup) {
    Path dir = setup.directory.path().resolve(LogDirectory.METADATA.toString());
    return new QuorumDriver(config, parts(config, setup, dir));
  }

  static Parts parts(QuorumConfig config, Setup setup, Path dir) {
    // A vote in a folder that a power cut takes away would be a vote forgotten.
    setup.disk.createDirectories(dir);
    setup.disk.syncDirectory(setup.directory.path());
    SnapshotFiles snapshots = SnapshotFiles.open(setup.disk, dir);
    Log log =
        setup.directory.openOrCreate(
            LogDirectory.METADATA, Uuid.METADATA_TOPIC_ID, setup.logConfig, setup.shard);
    return new Parts(
        setup.shard,
        setup.transport,
        new DiskQuorumLog(log, snapshots),
        new QuorumStateFile(setup.disk, dir, config.voters()),
        snapshots,
        setup.onFatal);
  }

  QuorumDriver(QuorumConfig config, Parts parts) {
    this.config = config;
    this.shard = parts.shard;
    this.transport = parts.transport;
    this.log = parts.log;
    this.store = parts.store;
    this.onFatal = parts.onFatal;
    this.core = new QuorumCore(config, store.read(), log, shard.random(), shard.ticks());
    this.feed = new CommitFeed(config.nodeId(), shard, log, parts.snapshots, this::fatal);
    this.snapshots = new SnapshotWork(shard, log, parts.snapshots, feed);
    snapshots.keepTrimming();
    this.kraftVersion = log.voters().kraftVersion();
    shard.execute(() -> submit(new QuorumEvent.Tick()));
  }

  // --- for the controller and the brokers ---

  @Override
  public void register(RaftListener listener) {
    feed.register(listener);
  }

  @Override
  public void unregister(RaftListener listener) {
    feed.unregister(listener);
  }

  @Override
  public long append(int epoch, List<ApiMessageAndVersion> records) {
    if (stopped || stepping || !core.isLeaderOf(epoch)) {
      throw new NotLeaderException(
          "node " + config.nodeId() + " does not lead epoch " + epoch + ": " + leaderAndEpoch());
    }
    if (records.isEmpty()) {
      throw new IllegalArgumentException("nothing to append");
    }
    ByteBuf batch = Unpooled.buffer(256);
    BatchBuilder b =
        new BatchBuilder(batch).baseOffset(log.endOffset()).partitionLeaderEpoch(epoch);
    long now = shard.now();
    for (ApiMessageAndVersion r : records) {
      b.append(now, null, MetadataRecordSerde.encode(r));
    }
    if (b.build() > MAX_BATCH_BYTES) {
      throw new IllegalArgumentException(
          records.size() + " records make a batch of " + batch.readableBytes() + " bytes");
    }
    appendAsLeader(batch, epoch);
    long last = log.endOffset() - 1;
    latency.appended(log.endOffset(), shard.ticks());
    submit(new QuorumEvent.LogChanged());
    return last;
  }

  @Override
  public void resign(int epoch) {
    submit(new QuorumEvent.Resign(epoch));
  }

  @Override
  public LeaderAndEpoch leaderAndEpoch() {
    return core.leaderAndEpoch();
  }

  @Override
  public long highWatermark() {
    return core.highWatermark();
  }

  @Override
  public long logEndOffset() {
    return log.endOffset();
  }

  /** For those who watch. */
  public QuorumView view() {
    return new QuorumView(
        core.stateName(),
        core.leaderAndEpoch().leaderId(),
        core.leaderAndEpoch().epoch(),
        core.votedId(),
        core.highWatermark(),
        log.endOffset(),
        log.lastEpoch(),
        core.voters().size(),
        latency.averageMs(shard.ticks()),
        latency.maxMs(shard.ticks()));
  }

  /** From any thread. */
  @Override
  public short kraftVersion() {
    return kraftVersion;
  }

  @Override
  public String upgradeKraftVersion(int epoch, short version, boolean validateOnly) {
    if (stopped || stepping) {
      return "This node does not lead epoch " + epoch;
    }
    String[] answer = new String[1];
    submit(new QuorumEvent.Upgrade(epoch, version, validateOnly, why -> answer[0] = why));
    return answer[0];
  }

  /** Where the leader is, as far as is known, or null. From any thread. */
  public Endpoint leaderEndpoint() {
    return leaderEndpoint;
  }

  @Override
  public boolean createSnapshot(
      OffsetAndEpoch id,
      long lastContainedLogTimestamp,
      Supplier<List<ApiMessageAndVersion>> records) {
    if (id.offset() > core.highWatermark()) {
      throw new IllegalArgumentException(id + " is not committed");
    }
    return !stopped && snapshots.create(id, lastContainedLogTimestamp, records);
  }

  // --- for the network ---

  /**
   * Answers Vote, BeginQuorumEpoch, EndQuorumEpoch, Fetch (of the metadata log), FetchSnapshot,
   * DescribeQuorum, AddRaftVoter, RemoveRaftVoter and UpdateRaftVoter. A fetch may wait; an answer
   * also waits until the promises in it are durable. The receiver of the answer owns its records.
   * No answer comes once the driver has stopped.
   */
  public void handle(ApiMessage request, short version, Consumer<ApiMessage> respond) {
    if (stopped) {
      return;
    }
    long token = nextToken++;
    responders.put(
        token,
        response -> {
          ResponseVersions.fit(response, version);
          respond.accept(response);
        });
    submit(new QuorumEvent.Request(token, request, version, shard.now()));
  }

  /**
   * Hands over a leadership that this node may have, then stops.
   *
   * @param timeoutMs how long to wait for a successor
   * @param done called once, when the log is closed
   */
  public void shutdown(long timeoutMs, Runnable done) {
    if (stopped || onShutdown != null) {
      shard.execute(done);
      return;
    }
    onShutdown = done;
    shard.schedule(timeoutMs, this::stop);
    submit(new QuorumEvent.Shutdown());
  }

  // --- the loop ---

  private void submit(QuorumEvent event) {
    if (stopped) {
      return;
    }
    inbox.add(event);
    if (stepping) {
      return;
    }
    stepping = true;
    try {
      while (!stopped && (event = inbox.poll()) != null) {
        for (QuorumEffect e : core.step(event, shard.ticks())) {
          perform(e);
        }
      }
    } catch (RuntimeException e) {
      fatal(e);
    } finally {
      stepping = false;
    }
    if (!stopped) {
      feed.update(core.highWatermark());
      latency.committed(core.highWatermark(), shard.ticks());
      leaderEndpoint = core.leaderEndpoint();
      kraftVersion = log.voters().kraftVersion();
      setTimer();
      maybeStop();
    }
  }

  private void perform(QuorumEffect effect) {
    if (stopped) {
      return;
    }
    if (effect instanceof QuorumEffect.Persist e) {
      persist(e);
    } else if (effect instanceof QuorumEffect.Send e) {
      hold(() -> send(e), () -> {});
    } else if (effect instanceof QuorumEffect.Respond e) {
      respond(e.token(), e.message());
    } else if (effect instanceof QuorumEffect.RespondWithRecords e) {
      Records records = log.read(e.offset(), e.maxBytes(), Long.MAX_VALUE);
      respond(e.token(), withRecords(e.message(), records));
    } else if (effect instanceof QuorumEffect.RespondWithSnapshot e) {
      Records records = snapshots.region(e.id(), e.position(), e.maxBytes());
      QuorumAnswers.only(e.message()).unalignedRecords(records);
      respond(e.token(), e.message());
    } else if (effect instanceof QuorumEffect.StoreSnapshot e) {
      snapshots.store(e, this::submit);
    } else if (effect instanceof QuorumEffect.AppendAsFollower e) {
      appendAsFollower(e);
    } else if (effect instanceof QuorumEffect.AppendControl e) {
      ByteBuf batch = Unpooled.buffer(128);
      ControlRecords.write(batch, log.endOffset(), e.epoch(), shard.now(), e.records());
      appendAsLeader(batch, e.epoch());
      inbox.add(new QuorumEvent.LogChanged());
    } else if (effect instanceof QuorumEffect.TruncateTo e) {
      LOG.info(
          "node {}: truncating the metadata log from {} to {}",
          config.nodeId(),
          log.endOffset(),
          e.offset());
      log.truncateTo(e.offset());
      inbox.add(new QuorumEvent.LogChanged());
    } else if (effect instanceof QuorumEffect.Flush) {
      flush();
    } else if (effect instanceof QuorumEffect.LeaderChange e) {
      feed.leaderChanged(e.leader(), e.epochStart());
      latency.forgetOpen();
    } else if (effect instanceof QuorumEffect.Fail e) {
      fatal(new IllegalStateException(e.why()));
    }
    // A new high watermark is told after the step, from the core.
  }

  private void setTimer() {
    long at = core.nextDeadline();
    if (at < timerAt) {
      if (timer != null) {
        timer.cancel();
      }
      timerAt = at;
      timer = shard.schedule(Math.max(0, at - shard.ticks()), this::timerRang);
    }
  }

  private void timerRang() {
    timerAt = Long.MAX_VALUE;
    submit(new QuorumEvent.Tick());
  }

  // --- peers ---

  private void send(QuorumEffect.Send e) {
    transport.send(
        e.nodeId(),
        e.to(),
        e.message(),
        e.timeoutMs(),
        new QuorumTransport.Callback() {
          @Override
          public void completed(ApiMessage response) {
            submit(new QuorumEvent.Response(e.requestId(), response));
          }

          @Override
          public void failed(QuorumTransport.Failure why) {
            submit(new QuorumEvent.Failure(e.requestId(), why));
          }
        });
  }

  private void respond(long token, ApiMessage message) {
    Consumer<ApiMessage> to = responders.remove(token);
    hold(
        () -> to.accept(message),
        () -> {
          if (message instanceof FetchResponse r && QuorumAnswers.only(r) != null) {
            QuorumAnswers.only(r).records().release();
          } else if (message instanceof FetchSnapshotResponse r && QuorumAnswers.only(r) != null) {
            QuorumAnswers.only(r).unalignedRecords().release();
          }
        });
  }

  private static FetchResponse withRecords(FetchResponse r, Records records) {
    QuorumAnswers.only(r).records(records);
    return r;
  }

  private void hold(Runnable release, Runnable drop) {
    if (versionDurable == versionAsked) {
      release.run();
    } else {
      held.add(new Held(versionAsked, release, drop));
    }
  }

  // --- disk ---

  private void persist(QuorumEffect.Persist state) {
    toPersist = state;
    versionAsked++;
    if (!persisting) {
      startPersisting();
    }
  }

  private void startPersisting() {
    persisting = true;
    QuorumEffect.Persist write = toPersist;
    long version = versionAsked;
    shard.offload(
        () -> {
          store.write(write.state(), write.kraftVersion());
          return null;
        },
        (nothing, failure) -> persisted(version, failure));
  }

  private void persisted(long version, Throwable failure) {
    persisting = false;
    if (stopped) {
      return;
    }
    if (failure != null) {
      fatal(failure);
      return;
    }
    versionDurable = version;
    // Before anything is let go: that may bring the next request, and with it the next state.
    if (version < versionAsked) {
      startPersisting();
    }
    while (!stopped && !held.isEmpty() && held.peek().version() <= version) {
      held.poll().release().run();
    }
    maybeStop();
  }

  private void appendAsLeader(ByteBuf batch, int epoch) {
    try {
      log.appendAsLeader(batch, epoch);
    } catch (RuntimeException e) {
      fatal(e);
      throw e;
    }
  }

  private void appendAsFollower(QuorumEffect.AppendAsFollower e) {
    ByteBuf bytes = Unpooled.buffer(e.records().sizeInBytes());
    e.records().writeTo(bytes);
    try {
      log.appendAsFollower(bytes, e.epoch());
      inbox.add(new QuorumEvent.LogChanged());
    } catch (IllegalArgumentException x) {
      LOG.warn(
          "node {}: the records that leader {} of epoch {} sent cannot be appended: {}",
          config.nodeId(),
          e.leaderId(),
          e.epoch(),
          x.getMessage());
      inbox.add(new QuorumEvent.AppendFailed());
    }
  }

  private void flush() {
    long end = log.endOffset();
    log.flush(
        failure -> {
          if (failure != null) {
            fatal(failure);
          } else {
            submit(new QuorumEvent.Flushed(end));
          }
        });
  }

  // --- the end ---

  private void fatal(Throwable why) {
    if (!stopped) {
      LOG.error("node {}: the quorum replica cannot go on", config.nodeId(), why);
      try {
        stop();
      } finally {
        onFatal.accept(why);
      }
    }
  }

  private void maybeStop() {
    if (onShutdown != null && core.isShutdownComplete() && held.isEmpty() && !persisting) {
      stop();
    }
  }

  private void stop() {
    if (stopped) {
      return;
    }
    stopped = true;
    if (timer != null) {
      timer.cancel();
    }
    inbox.clear();
    responders.clear();
    held.forEach(h -> h.drop().run());
    held.clear();
    feed.close();
    snapshots.close();
    transport.close();
    if (onShutdown != null) {
      log.close(onShutdown);
    }
  }
}
