package dev.vitrine.broker.replication;

import dev.vitrine.broker.partition.Assignment;
import dev.vitrine.broker.partition.BatchAppender;
import dev.vitrine.broker.partition.IsrProposals;
import dev.vitrine.broker.partition.Partition;
import dev.vitrine.broker.partition.PartitionContext;
import dev.vitrine.broker.partition.ReplicaEligibility;
import dev.vitrine.broker.partition.ReplicationQuota;
import dev.vitrine.broker.partition.TopicSettings;
import dev.vitrine.protocol.Errors;
import dev.vitrine.protocol.TopicPartition;
import dev.vitrine.protocol.Uuid;
import dev.vitrine.protocol.record.AppendRules;
import dev.vitrine.protocol.record.BatchBuilder;
import dev.vitrine.protocol.record.Batches;
import dev.vitrine.protocol.record.RecordIterator;
import dev.vitrine.seam.Shard;
import dev.vitrine.sim.SimDisk;
import dev.vitrine.sim.SimShard;
import dev.vitrine.sim.SimWorld;
import dev.vitrine.storage.Log;
import dev.vitrine.storage.LogConfig;
import dev.vitrine.storage.LogDirectory;
import dev.vitrine.storage.MetaProperties;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** One replica on a broker with two directories, and what the controller knows of it. */
final class MovingReplica {
  static final TopicPartition NAME = new TopicPartition("t", 0);
  static final Uuid ID = new Uuid(7, 8);
  static final List<Path> DIRS = List.of(Path.of("/a"), Path.of("/b"));
  static final List<Uuid> DIR_IDS = List.of(new Uuid(1, 1_000), new Uuid(1, 2_000));

  final SimWorld world;
  final SimDisk disk;
  final LogConfig config;

  /** What the metadata say; outlives a process. */
  Uuid assigned = DIR_IDS.get(0);

  int epoch;
  SimShard shard;
  LogStore store;
  LogMoves moves;
  ReplicationQuota quota;
  Partition partition;

  /** The values of the records that were acknowledged. */
  final List<String> written = new ArrayList<>();

  MovingReplica(SimWorld world, LogConfig config) {
    this.world = world;
    this.disk = world.newDisk();
    this.config = config;
    for (int i = 0; i < DIRS.size(); i++) {
      disk.createDirectories(DIRS.get(i));
      new MetaProperties("c", 1, DIR_IDS.get(i)).write(disk, DIRS.get(i));
    }
    disk.syncDirectory(Path.of("/"));
    start();
  }

  /** A new process, up to where it leads. */
  void start() {
    shard = world.newShard("broker");
    List<LogDirectory> dirs = new ArrayList<>();
    DIRS.forEach(d -> dirs.add(LogDirectory.open(disk, d)));
    int[] loaded = {0};
    for (LogDirectory d : dirs) {
      shard.run(() -> d.load(shard, new Placement(), found -> loaded[0]++));
    }
    world.runUntil(() -> loaded[0] == dirs.size(), 60_000);
    store = new LogStore(dirs);
    quota = new ReplicationQuota(2, 1_000);
    moves = new LogMoves(shard, store, quota, this::told);
    shard.run(this::place);
  }

  private final class Placement implements LogDirectory.Placement {
    @Override
    public Shard shard(TopicPartition partition) {
      return shard;
    }

    @Override
    public LogConfig config(TopicPartition partition) {
      return config;
    }
  }

  private void place() {
    Log log = store.open(NAME, ID, assigned, config, shard);
    PartitionContext context =
        new PartitionContext(
            shard,
            1,
            () -> 100,
            10_000,
            new AllEligible(),
            new NoProposals(),
            new BatchAppender(shard, UnpooledByteBufAllocator.DEFAULT),
            l -> {
              LogDirectory d = store.directoryOf(l.partition());
              return d == null ? Uuid.ZERO : d.meta().directoryId();
            },
            p -> {});
    TopicSettings settings = new TopicSettings(config, AppendRules.DEFAULTS, 1);
    partition = new Partition(context, ID, NAME, log, settings, 0);
    lead();
    moves.placed(partition, assigned);
  }

  void lead() {
    epoch++;
    partition.apply(new Assignment(List.of(1), List.of(1), 1, epoch, epoch));
  }

  void follow() {
    epoch++;
    partition.apply(new Assignment(List.of(1, 2), List.of(2), 2, epoch, epoch));
  }

  private static final class NoProposals implements IsrProposals {
    @Override
    public void propose(Proposal proposal, Consumer<Answer> answered) {}

    @Override
    public void forget(Proposal proposal) {}
  }

  /** The controller hears it, and everybody else of it after a while. */
  private void told(Uuid topicId, int index, Uuid directory) {
    SimShard then = shard;
    world.at(
        world.random().nextInt(3_000),
        () -> {
          assigned = directory;
          then.execute(() -> moves.placed(partition, directory));
        });
  }

  Errors moveTo(int dir) {
    Errors[] result = new Errors[1];
    shard.run(() -> result[0] = moves.move(partition, store.directories().get(dir)));
    return result[0];
  }

  void append(String... values) {
    shard.run(
        () -> {
          ByteBuf batch = Unpooled.buffer();
          BatchBuilder b = new BatchBuilder(batch);
          for (String v : values) {
            b.append(world.now(), null, v.getBytes());
          }
          b.build();
          partition.append(
              batch,
              (short) 11,
              (short) 1,
              0,
              outcome -> {
                if (outcome.error() == Errors.NONE) {
                  written.addAll(List.of(values));
                }
              });
        });
  }

  /** Where the replica is now: 0 or 1; -1 in between. */
  int dir() {
    LogDirectory d = store.directoryOf(NAME);
    return d == null ? -1 : store.directories().indexOf(d);
  }

  boolean isMoved(int dir) {
    return dir() == dir
        && disk.exists(DIRS.get(dir).resolve("t-0"))
        && !disk.exists(DIRS.get(1 - dir).resolve("t-0"));
  }

  List<String> folders(int dir) {
    List<String> names = new ArrayList<>();
    for (Path p : disk.list(DIRS.get(dir))) {
      if (disk.isDirectory(p)) {
        names.add(p.getFileName().toString().replaceAll("[0-9a-f]{32}", "ID"));
      }
    }
    return names;
  }

  /** All values of a log, whose offsets must be without gaps from its start. */
  static List<String> values(Log log) {
    List<String> values = new ArrayList<>();
    long next = log.logStartOffset();
    while (next < log.logEndOffset()) {
      ByteBuf all = Unpooled.buffer();
      var records = log.read(next, 1_000_000, log.logEndOffset(), true).records();
      records.writeTo(all);
      records.release();
      Batches batches = new Batches(all);
      while (batches.next()) {
        batches.batch().ensureValid();
        try (RecordIterator it = batches.batch().records()) {
          while (it.next()) {
            if (it.record().offset() == next) {
              values.add(new String(it.record().valueBytes()));
              next++;
            }
          }
        }
      }
    }
    return values;
  }

  private static final class AllEligible implements ReplicaEligibility {
    @Override
    public boolean isEligible(int brokerId) {
      return true;
    }

    @Override
    public boolean isEligible(int brokerId, long brokerEpoch) {
      return true;
    }
  }
}
