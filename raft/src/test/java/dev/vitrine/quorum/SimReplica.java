package dev.vitrine.quorum;

import dev.vitrine.metadata.ImageLoader;
import dev.vitrine.metadata.MetadataImage;
import dev.vitrine.metadata.RecordVersions;
import dev.vitrine.protocol.ApiMessage;
import dev.vitrine.protocol.Uuid;
import dev.vitrine.protocol.message.FetchRequest;
import dev.vitrine.protocol.message.FetchSnapshotRequest;
import dev.vitrine.protocol.message.TopicRecord;
import dev.vitrine.protocol.message.VoteRequest;
import dev.vitrine.protocol.message.VoteResponse;
import dev.vitrine.seam.Endpoint;
import dev.vitrine.seam.Network;
import dev.vitrine.sim.SimDisk;
import dev.vitrine.sim.SimShard;
import dev.vitrine.storage.LogConfig;
import dev.vitrine.storage.LogDirectory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A simulated node with the shipped driver, core, log and transport on it, through its
 * incarnations; watches what leaves it. Its controller appends topic records of names never used
 * before while it leads.
 */
final class SimReplica implements RaftListener {
  static final int PORT = 9093;
  private static final Path ROOT = Path.of("/data");
  private static final Path DIR = ROOT.resolve("__cluster_metadata-0");

  final QuorumSim sim;
  final int id;
  private final QuorumConfig.Timeouts timeouts;
  QuorumConfig config;
  SimDisk disk;
  Uuid directory;
  private int wipes;
  SimShard shard;
  QuorumDriver driver;
  CheckedLog log;
  private QuorumTransport transport;
  boolean up;
  boolean stopping;
  private boolean syncsFail;

  /** What the {@code quorum-state} file says durably. */
  ElectionState durable = ElectionState.INITIAL;

  long lastHighWatermark;
  int seenEpoch;
  private LeaderAndEpoch leader = LeaderAndEpoch.UNKNOWN;
  private ImageLoader loader;
  private long bytesSinceSnapshot;

  /** The end of what the listener of this incarnation has heard. */
  long heard;

  SimReplica(QuorumSim sim, int id, QuorumConfig.Timeouts timeouts) {
    this.sim = sim;
    this.id = id;
    this.timeouts = timeouts;
    this.directory = new Uuid(7, id);
    newDisk();
  }

  private void newDisk() {
    disk = sim.world.newDisk();
    disk.createDirectories(ROOT);
    disk.syncDirectory(Path.of("/"));
    sim.voters.format(this, disk, DIR);
  }

  /** While it is down it gets an empty disk, and is another replica from now on. */
  void wipe() {
    directory = new Uuid(7 + ++wipes, id);
    durable = ElectionState.INITIAL;
    log = null;
    newDisk();
  }

  String host() {
    return "n" + id;
  }

  void start() {
    syncsFail = false;
    disk.failSyncs(path -> false);
    config = sim.voters.config(this, timeouts);
    shard = sim.world.newShard(host());
    up = true;
    stopping = false;
    lastHighWatermark = -1;
    seenEpoch = durable.epoch();
    heard = 0;
    loader = new ImageLoader();
    leader = LeaderAndEpoch.UNKNOWN;
    // Opening blocks, which a node does before its loop serves anybody.
    shard.run(this::open);
  }

  private void open() {
    Network network = sim.network.host(host());
    RpcQuorumTransport rpc = new RpcQuorumTransport(shard, network, config);
    QuorumDriver.Parts real =
        QuorumDriver.parts(
            config,
            new QuorumDriver.Setup(
                shard,
                disk,
                LogDirectory.open(disk, ROOT),
                LogConfig.builder()
                    .segmentBytes(sim.segmentBytes())
                    .cleanupPolicy(false, false)
                    .retentionBytes(sim.retentionBytes())
                    .build(),
                this::send,
                this::died),
            DIR);
    transport = rpc;
    QuorumStateStore store =
        new QuorumStateStore() {
          @Override
          public ElectionState read() {
            return real.store().read();
          }

          @Override
          public void write(ElectionState state, short kraftVersion) {
            real.store().write(state, kraftVersion);
            durable = state;
          }
        };
    ElectionState found = store.read();
    // A crash may have come between the rename and the answer.
    sim.check(found.epoch() >= durable.epoch(), this, "forgot epoch " + durable.epoch());
    durable = found;
    log = new CheckedLog(real.log(), log, sim::committedBelow);
    driver =
        new QuorumDriver(
            config,
            new QuorumDriver.Parts(
                shard, real.transport(), log, store, real.snapshots(), real.onFatal()));
    for (Endpoint at : SimVoters.endpoints(host())) {
      network.listen(
          at, List.of(shard), 100 << 20, (connection, to) -> new SimQuorumServer(this::serve));
    }
    driver.register(this);
  }

  private void died(Throwable why) {
    sim.check(syncsFail, this, "died: " + why);
    sim.crashNow(this);
  }

  /** Until it starts again. */
  void failSyncs() {
    if (up) {
      syncsFail = true;
      disk.failSyncs(path -> true);
    }
  }

  boolean syncsFail() {
    return syncsFail;
  }

  /** The process dies; with the power, what was not synced goes too. */
  void crash(boolean powerCut) {
    up = false;
    shard.kill();
    sim.network.kill(host());
    // After a failed sync the kernel takes what is not on the disk for written, and no later
    // process can know: so the machine goes too.
    if (powerCut || syncsFail) {
      disk.crash(sim.world.random());
    } else {
      disk.killProcess();
      // The kernel lives, and so do its dirty pages.
    }
  }

  // --- what leaves it ---

  private void send(
      int node, Endpoint to, ApiMessage request, int timeoutMs, QuorumTransport.Callback callback) {
    check(node, request);
    transport.send(node, to, request, timeoutMs, callback);
  }

  private void check(int node, ApiMessage request) {
    sim.maybeCrashSoon(this);
    sim.trace(id, node, request.apiKey());
    if (request instanceof VoteRequest q) {
      VoteRequest.PartitionData p = q.topics().get(0).partitions().get(0);
      sim.check(p.replicaEpoch() <= durable.epoch(), this, "asks before its epoch is durable");
      if (!p.preVote()) {
        sim.check(
            durable.epoch() == p.replicaEpoch() && durable.votedId() == id
                || durable.epoch() > p.replicaEpoch()
                || durable.leaderId() == id,
            this,
            "stands before its own vote is durable");
        sim.voted(config.self(), p.replicaEpoch(), id);
      }
    } else if (request instanceof FetchRequest q) {
      FetchRequest.FetchPartition p = q.topics().get(0).partitions().get(0);
      sim.check(
          !config.canBecomeVoter() || p.fetchOffset() <= log.durable,
          this,
          "fetches from " + p.fetchOffset() + ", durable is " + log.durable);
      sim.check(p.currentLeaderEpoch() <= durable.epoch(), this, "fetches in a volatile epoch");
    } else if (request instanceof FetchSnapshotRequest) {
      sim.downloads++;
    }
  }

  private void serve(ApiMessage request, short version, SimQuorumServer.Answer answer) {
    driver.handle(request, version, response -> answered(request, response, answer));
    if (sim.world.random().nextInt(50) == 0
        && !(request instanceof FetchRequest)
        && !(request instanceof FetchSnapshotRequest)) {
      // The same request once more, as after a retry whose answer was lost.
      driver.handle(request, version, response -> answered(request, response, r -> {}));
    }
  }

  private void answered(ApiMessage request, ApiMessage response, SimQuorumServer.Answer answer) {
    sim.maybeCrashSoon(this);
    sim.trace(id, -1, response.apiKey());
    if (response instanceof VoteResponse r && QuorumAnswers.only(r) != null) {
      VoteResponse.PartitionData p = QuorumAnswers.only(r);
      sim.check(p.leaderEpoch() <= durable.epoch(), this, "answers in a volatile epoch");
      VoteRequest.PartitionData q = ((VoteRequest) request).topics().get(0).partitions().get(0);
      if (p.voteGranted() && !q.preVote()) {
        sim.voted(config.self(), q.replicaEpoch(), q.replicaId());
        sim.check(
            durable.epoch() > q.replicaEpoch()
                || (durable.epoch() == q.replicaEpoch() && durable.votedId() == q.replicaId()),
            this,
            "votes for "
                + q.replicaId()
                + " in "
                + q.replicaEpoch()
                + " while durable is "
                + durable);
      }
    }
    answer.send(response);
  }

  // --- its controller ---

  /** Appends some records if it leads and knows so; true if it did. */
  boolean append() {
    boolean[] done = new boolean[1];
    shard.run(
        () -> {
          if (leader.isLeader(id) && driver.leaderAndEpoch().equals(leader)) {
            List<ApiMessageAndVersion> records = new ArrayList<>();
            int n = 1 + sim.world.random().nextInt(3);
            for (int i = 0; i < n; i++) {
              long unique = sim.nextUnique();
              TopicRecord t = new TopicRecord().name("t" + unique).topicId(new Uuid(1, unique));
              records.add(new ApiMessageAndVersion(t, (short) 0));
            }
            driver.append(leader.epoch(), records);
            done[0] = true;
          }
        });
    return done[0];
  }

  @Override
  public void handleCommit(List<CommittedBatch> batches) {
    for (CommittedBatch b : batches) {
      sim.check(b.baseOffset() == heard, this, "hears " + b.baseOffset() + " after " + heard);
      heard = b.lastOffset() + 1;
      loader.apply(b);
      sim.heard(this, b);
      bytesSinceSnapshot += b.sizeInBytes();
    }
    if (bytesSinceSnapshot >= sim.snapshotBytes()) {
      MetadataImage image = loader.image();
      OffsetAndEpoch end = new OffsetAndEpoch(image.offset() + 1, image.epoch());
      if (driver.createSnapshot(end, 0, () -> records(image))) {
        bytesSinceSnapshot = 0;
      }
    }
  }

  private static List<ApiMessageAndVersion> records(MetadataImage image) {
    return image.records().stream()
        .map(r -> new ApiMessageAndVersion(r, RecordVersions.of(r)))
        .toList();
  }

  MetadataImage image() {
    return loader.image();
  }

  @Override
  public void handleLoadSnapshot(Snapshot snapshot) {
    long offset = snapshot.id().offset();
    if (snapshot.id().equals(OffsetAndEpoch.BOOTSTRAP)) {
      return;
    }
    sim.check(offset > heard, this, "is given the snapshot " + snapshot.id() + " at " + heard);
    sim.loads += heard > 0 ? 1 : 0;
    heard = offset;
    bytesSinceSnapshot = 0;
    loader.load(snapshot);
    sim.check(
        image().equals(sim.imageAt(offset)),
        this,
        "has by the snapshot " + snapshot.id() + " another image than by replay");
  }

  @Override
  public void handleLeaderChange(LeaderAndEpoch l) {
    leader = l;
    if (l.isLeader(id)) {
      sim.check(
          heard >= sim.committedEndBefore(l.epoch()),
          this,
          "leads epoch " + l.epoch() + " at " + heard + " without all before");
    }
  }
}
