package dev.vitrine.quorum;

import dev.vitrine.protocol.ApiMessage;
import dev.vitrine.protocol.Errors;
import dev.vitrine.protocol.Uuid;
import dev.vitrine.protocol.message.AddRaftVoterRequest;
import dev.vitrine.protocol.message.AddRaftVoterResponse;
import dev.vitrine.protocol.message.RemoveRaftVoterRequest;
import dev.vitrine.protocol.message.RemoveRaftVoterResponse;
import dev.vitrine.seam.Endpoint;
import dev.vitrine.sim.SimDisk;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.random.RandomGenerator;

/**
 * Who votes in a {@link QuorumSim}: by the configuration, or by the log; and somebody who has
 * voters added and removed, and kraft.version raised, whenever that may hurt. Says what must hold
 * of sets of voters at any time.
 */
final class SimVoters {
  /** A replica listens on so many ports, and says each time it starts that it is at one of them. */
  private static final int PORTS = 3;

  private static final String LISTENER = "CONTROLLER";

  private enum Mode {
    /** kraft.version 0 for good. */
    FIXED,
    /** kraft.version 0, which somebody raises. */
    RAISED,
    /** The voters are in the log from the beginning. */
    DYNAMIC
  }

  private final QuorumSim sim;
  private final Mode mode;
  private final int voters;
  private final int replicas;

  /** Done, each with the answer NONE. */
  int added;

  int removed;

  SimVoters(QuorumSim sim, RandomGenerator random, int voters, int replicas, boolean mayChange) {
    this.sim = sim;
    this.voters = voters;
    this.replicas = replicas;
    int drawn = random.nextInt(5);
    this.mode = !mayChange || drawn < 2 ? Mode.FIXED : drawn == 2 ? Mode.RAISED : Mode.DYNAMIC;
  }

  boolean areFixed() {
    return mode == Mode.FIXED;
  }

  static List<Endpoint> endpoints(String host) {
    List<Endpoint> all = new ArrayList<>();
    for (int i = 0; i < PORTS; i++) {
      all.add(new Endpoint(host, SimReplica.PORT + i));
    }
    return all;
  }

  /** For an incarnation of a replica. */
  QuorumConfig config(SimReplica r, QuorumConfig.Timeouts timeouts) {
    List<Endpoint> mine = endpoints(r.host());
    Endpoint at = mine.get(mode == Mode.DYNAMIC ? sim.world.random().nextInt(PORTS) : 0);
    boolean observer = mode == Mode.FIXED && r.id > voters;
    List<Endpoint> servers = new ArrayList<>();
    for (int id = 1; mode == Mode.DYNAMIC && id <= replicas; id++) {
      servers.add(endpoints("n" + id).get(0));
    }
    return new QuorumConfig(
        r.id,
        r.directory,
        "cluster",
        mode == Mode.DYNAMIC ? VoterSet.NONE : fixed(),
        LISTENER,
        timeouts,
        new QuorumConfig.Membership(
            observer ? List.of() : List.of(new VoterSet.Listener(LISTENER, at)),
            servers,
            mode == Mode.DYNAMIC && r.id % 2 == 0));
  }

  private VoterSet fixed() {
    List<VoterSet.Voter> set = new ArrayList<>();
    for (int id = 1; id <= voters; id++) {
      set.add(VoterSet.Voter.fixed(id, LISTENER, endpoints("n" + id).get(0)));
    }
    return new VoterSet(set);
  }

  /** What {@code format} leaves. */
  void format(SimReplica r, SimDisk disk, Path dir) {
    if (mode != Mode.DYNAMIC) {
      return;
    }
    List<VoterSet.Voter> set = new ArrayList<>();
    for (int id = 1; id <= voters; id++) {
      set.add(
          new VoterSet.Voter(
              id,
              new Uuid(7, id),
              List.of(new VoterSet.Listener(LISTENER, endpoints("n" + id).get(0))),
              QuorumConfig.KRAFT_VERSIONS));
    }
    boolean first = r.id <= voters && r.directory.equals(new Uuid(7, r.id));
    disk.createDirectories(dir);
    disk.syncDirectory(dir.getParent());
    SnapshotWriter.write(
        disk,
        dir,
        first
            ? new Snapshot(OffsetAndEpoch.BOOTSTRAP, 0, (short) 1, new VoterSet(set), List.of())
            : new Snapshot(OffsetAndEpoch.BOOTSTRAP, 0, List.of()),
        0);
  }

  /** Those whose majority decides, as this replica's log has it. */
  VoterSet of(SimReplica r) {
    VoterSet inLog = r.log.voters().voters();
    return inLog != null ? inLog : mode == Mode.DYNAMIC ? VoterSet.NONE : fixed();
  }

  // --- what happens ---

  /** One change of the voters is asked for, of whoever leads or of anybody. */
  void act() {
    RandomGenerator random = sim.world.random();
    SimReplica leader = sim.leader();
    SimReplica to =
        leader != null && random.nextInt(5) > 0
            ? leader
            : sim.replica(1 + random.nextInt(replicas));
    if (mode == Mode.FIXED || !to.up) {
      return;
    }
    SimReplica whom = sim.replica(1 + random.nextInt(replicas));
    VoterSet.Voter known = of(to).voter(whom.id);
    if (to.driver.kraftVersion() == 0 && mode == Mode.RAISED) {
      to.shard.run(
          () ->
              to.driver.upgradeKraftVersion(
                  to.driver.leaderAndEpoch().epoch(), (short) 1, random.nextInt(4) == 0));
    } else if (known != null && random.nextInt(2) > 0) {
      ask(to, remove(known));
    } else {
      ask(to, add(other(to, random), random.nextBoolean()));
    }
  }

  /** Most often one that does not vote. */
  private SimReplica other(SimReplica to, RandomGenerator random) {
    SimReplica whom = sim.replica(1 + random.nextInt(replicas));
    for (int i = 0; i < replicas && of(to).contains(whom.id); i++) {
      whom = sim.replica(1 + random.nextInt(replicas));
    }
    return whom;
  }

  private void ask(SimReplica to, ApiMessage request) {
    short version = request.highestSupportedVersion();
    to.shard.run(() -> to.driver.handle(request, version, answer -> answered(to, request, answer)));
  }

  private void answered(SimReplica leader, ApiMessage request, ApiMessage answer) {
    if (answer instanceof AddRaftVoterResponse a && a.errorCode() == Errors.NONE.code()) {
      added++;
      if (((AddRaftVoterRequest) request).ackWhenCommitted()) {
        checkSettled(leader);
      }
    } else if (answer instanceof RemoveRaftVoterResponse a && a.errorCode() == Errors.NONE.code()) {
      removed++;
      checkSettled(leader);
    }
  }

  private void checkSettled(SimReplica r) {
    sim.check(
        r.log.voters().votersOffset() < r.driver.highWatermark(),
        r,
        "says that the voters have changed, and they may change back");
  }

  private static AddRaftVoterRequest add(SimReplica whom, boolean ack) {
    AddRaftVoterRequest q =
        new AddRaftVoterRequest()
            .clusterId("cluster")
            .timeoutMs(1000)
            .voterId(whom.id)
            .voterDirectoryId(whom.directory)
            .ackWhenCommitted(ack);
    Endpoint at = endpoints(whom.host()).get(0);
    q.listeners()
        .add(new AddRaftVoterRequest.Listener().name(LISTENER).host(at.host()).port(at.port()));
    return q;
  }

  private static RemoveRaftVoterRequest remove(VoterSet.Voter voter) {
    return new RemoveRaftVoterRequest()
        .clusterId("cluster")
        .voterId(voter.id())
        .voterDirectoryId(voter.directoryId());
  }

  /** Whether nobody could miss what this replica has promised or stored. */
  boolean mayBeWiped(SimReplica r, List<SimReplica> all) {
    if (mode != Mode.DYNAMIC) {
      return false;
    }
    for (SimReplica other : all) {
      if (other.log == null) {
        return false;
      }
      for (VoterSet set : other.log.voters().votersSince(-1)) {
        if (set.contains(r.id)) {
          return false;
        }
      }
    }
    return true;
  }

  // --- what must hold ---

  /** No log has two changes of who votes of which neither is committed. */
  void check(SimReplica r, long committedEnd) {
    List<VoterSet> sets = r.log.voters().votersSince(committedEnd - 1);
    if (sets.size() < 3) {
      return;
    }
    int changes = 0;
    for (int i = 1; i < sets.size(); i++) {
      changes += keys(sets.get(i)).equals(keys(sets.get(i - 1))) ? 0 : 1;
    }
    sim.check(changes <= 1, r, "has " + changes + " changes of the voters that are not committed");
  }

  private static TreeSet<ReplicaKey> keys(VoterSet set) {
    TreeSet<ReplicaKey> keys = new TreeSet<>();
    set.voters().forEach(v -> keys.add(v.key()));
    return keys;
  }
}
