package dev.vitrine.broker.group;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.vitrine.broker.group.GroupHarness.Answer;
import dev.vitrine.protocol.Errors;
import dev.vitrine.protocol.TopicPartition;
import dev.vitrine.protocol.message.JoinGroupResponse;
import dev.vitrine.protocol.message.SyncGroupResponse;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

/**
 * Random members of one group, static and dynamic, that join, sync, send heartbeats, commit, leave,
 * fall silent and come back, on a log that commits late, refuses, and changes its leader. First
 * everything goes wrong and only safety is asked for; then it stops, and the group must become
 * stable.
 */
class GroupSimulationTest {
  private static final int SEEDS = 150;
  private static final int MEMBERS = 5;
  private static final long STEP_MS = 250;

  @Test
  void groupsAreSafeAndBecomeStable() {
    for (long seed = 1; seed <= SEEDS; seed++) {
      try {
        new Run(seed).run();
      } catch (Throwable e) {
        throw new AssertionError("seed " + seed, e);
      }
    }
  }

  @Test
  void aSeedGivesTheSameHistory() {
    for (long seed = 1; seed <= 3; seed++) {
      assertEquals(new Run(seed).run(), new Run(seed).run());
    }
  }

  private static final class Run {
    final GroupHarness h;
    final RandomGenerator random;
    final List<Member> members = new ArrayList<>();
    final StringBuilder history = new StringBuilder();

    /** By epoch and generation: who leads it, and what it has assigned to whom. */
    final Map<String, String> leaders = new HashMap<>();

    final Map<String, String> assigned = new HashMap<>();
    final Map<Integer, Integer> highestGeneration = new HashMap<>();
    int epoch;
    long acknowledged = -1;
    boolean faults = true;

    Run(long seed) {
      h = new GroupHarness(seed, Integer.MAX_VALUE);
      random = h.world.random();
      for (int i = 0; i < MEMBERS; i++) {
        members.add(new Member(this, i, random.nextInt(3) == 0 ? "static-" + i : null));
      }
    }

    String run() {
      for (int i = 0; i < 800; i++) {
        step();
      }
      faults = false;
      h.log.refusal = Errors.NONE;
      h.log.commitsAtOnce = true;
      h.commit();
      for (Member m : members) {
        m.crashed = false;
      }
      for (int i = 0; i < 800 && !isStable(); i++) {
        step();
      }
      assertTrue(isStable(), () -> "not stable: " + h.group() + members);
      for (Member m : members) {
        m.checkAnswered(0);
      }
      checkImage(h.coordinator().committed());
      return history.toString();
    }

    private boolean isStable() {
      return h.group() != null
          && h.group().stateName().equals("Stable")
          && h.group().size() == MEMBERS
          && members.stream().allMatch(m -> m.synced && m.generation == h.group().generation());
    }

    private void step() {
      if (faults) {
        disturb();
      }
      for (Member m : members) {
        m.act();
      }
      h.runFor(STEP_MS);
      for (Member m : members) {
        m.look();
        m.checkAnswered(300_000);
      }
    }

    private void disturb() {
      switch (random.nextInt(40)) {
        case 0 -> h.log.commitsAtOnce = false;
        case 1 -> h.log.refusal = Errors.NOT_ENOUGH_REPLICAS;
        case 2 -> moveLeader();
        case 3, 4, 5, 6 -> {
          h.log.refusal = Errors.NONE;
          h.log.commitsAtOnce = true;
          h.commit();
        }
        default -> {}
      }
    }

    private void moveLeader() {
      h.resign();
      for (Member m : members) {
        m.look();
      }
      if (random.nextBoolean()) {
        h.log.loseUncommitted();
      }
      epoch++;
      h.lead(epoch);
      checkImage(h.coordinator().tip());
    }

    /** It is what the log says, and no offset that was acknowledged is lost. */
    private void checkImage(GroupImage is) {
      assertEquals(replayed(), is);
      CommittedOffset o = is.offset(GroupHarness.GROUP, new TopicPartition("t", 0));
      long offset = o == null ? -1 : o.offset();
      assertTrue(offset >= acknowledged, () -> offset + " < " + acknowledged);
    }

    private GroupImage replayed() {
      GroupImage image = GroupImage.EMPTY;
      for (CoordinatorRecord r : h.log.records()) {
        image = image.with(r);
      }
      return image;
    }

    void joined(JoinGroupResponse r, int inEpoch) {
      String key = inEpoch + "/" + r.generationId();
      String before = leaders.putIfAbsent(key, r.leader());
      boolean sameLeader = before == null || before.equals(r.leader());
      // A static leader may have come back under a new id.
      assertTrue(sameLeader || isStaticId(before), () -> key + ": " + before + ", " + r.leader());
      int highest = highestGeneration.getOrDefault(inEpoch, 0);
      assertTrue(r.generationId() >= highest, () -> key + " after " + highest);
      highestGeneration.put(inEpoch, r.generationId());
      if (!r.members().isEmpty()) {
        assertEquals(r.memberId(), r.leader());
      }
      history.append(key).append(' ').append(r.memberId()).append('\n');
    }

    private static boolean isStaticId(String memberId) {
      return memberId.startsWith("static-");
    }
  }

  private static final class Member {
    final Run run;
    final int index;
    final String instanceId;
    String memberId = "";
    int generation = -1;
    boolean synced;
    boolean crashed;
    Answer<JoinGroupResponse> join;
    Answer<SyncGroupResponse> sync;
    Answer<Errors> commit;
    long committing;
    int askedIn;
    long askedAt;
    JoinGroupResponse joined;

    Member(Run run, int index, String instanceId) {
      this.run = run;
      this.index = index;
      this.instanceId = instanceId;
    }

    void act() {
      RandomGenerator random = run.random;
      if (run.faults && random.nextInt(60) == 0) {
        crashed = !crashed;
        if (!crashed && instanceId != null) {
          memberId = "";
          synced = false;
          join = null;
          sync = null;
        }
      }
      if (crashed || join != null || sync != null) {
        return;
      }
      if (!synced) {
        ask();
        join = run.h.join(memberId, instanceId, "range=" + index);
      } else if (run.faults && random.nextInt(80) == 0) {
        run.h.leave(memberId, instanceId);
        reset();
      } else if (random.nextInt(8) == 0) {
        heartbeat();
      } else if (commit == null && random.nextInt(10) == 0) {
        ask();
        committing = run.h.world.elapsedMs() * 10 + index;
        commit = run.h.commitOffset(memberId, generation, committing);
      }
    }

    private void ask() {
      askedIn = run.epoch;
      askedAt = run.h.world.elapsedMs();
    }

    private void heartbeat() {
      Errors e = run.h.heartbeat(memberId, instanceId, generation);
      switch (e) {
        case NONE, COORDINATOR_LOAD_IN_PROGRESS, NOT_COORDINATOR -> {}
        case REBALANCE_IN_PROGRESS -> synced = false;
        default -> reset();
      }
    }

    private void reset() {
      memberId = "";
      generation = -1;
      synced = false;
    }

    /** Takes the answers that have come. */
    void look() {
      if (join != null && join.isThere()) {
        Answer<JoinGroupResponse> a = join;
        join = null;
        if (a.refused == null) {
          joined(a.get());
        }
      }
      if (sync != null && sync.isThere()) {
        Answer<SyncGroupResponse> a = sync;
        sync = null;
        if (a.refused == null) {
          synced(a.get());
        }
      }
      if (commit != null && commit.isThere()) {
        if (commit.refused == null && commit.get() == Errors.NONE) {
          run.acknowledged = Math.max(run.acknowledged, committing);
        }
        commit = null;
      }
    }

    private void joined(JoinGroupResponse r) {
      switch (Errors.forCode(r.errorCode())) {
        case NONE -> {
          run.joined(r, askedIn);
          joined = r;
          memberId = r.memberId();
          generation = r.generationId();
          Map<String, String> plan = new HashMap<>();
          if (!r.skipAssignment()) {
            r.members()
                .forEach(
                    m ->
                        plan.put(
                            m.memberId(), m.memberId() + "@" + askedIn + "/" + r.generationId()));
          }
          if (!crashed) {
            ask();
            sync = run.h.sync(memberId, generation, plan);
          }
        }
        case MEMBER_ID_REQUIRED -> memberId = r.memberId();
        case UNKNOWN_MEMBER_ID, FENCED_INSTANCE_ID -> reset();
        default -> {}
      }
    }

    private void synced(SyncGroupResponse r) {
      switch (Errors.forCode(r.errorCode())) {
        case NONE -> {
          String got = new String(r.assignment());
          assertTrue(
              got.isEmpty() || got.endsWith("/" + generation), () -> got + " in " + generation);
          assertTrue(
              got.isEmpty() || instanceId != null || got.startsWith(memberId + "@"),
              () -> got + " for " + memberId);
          synced = true;
        }
        case UNKNOWN_MEMBER_ID, ILLEGAL_GENERATION, FENCED_INSTANCE_ID -> reset();
        default -> synced = false;
      }
    }

    void checkAnswered(long limitMs) {
      boolean waits = join != null || sync != null;
      assertTrue(
          !waits || run.h.world.elapsedMs() - askedAt <= limitMs,
          () -> this + " has waited too long");
    }

    @Override
    public String toString() {
      return index
          + "("
          + memberId
          + ", generation "
          + generation
          + (synced ? ", synced" : "")
          + (join == null ? "" : ", joining")
          + (sync == null ? "" : ", syncing")
          + ")";
    }
  }
}
