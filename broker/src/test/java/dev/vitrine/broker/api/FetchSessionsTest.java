package dev.vitrine.broker.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.vitrine.broker.api.FetchSessions.Opened;
import dev.vitrine.protocol.Errors;
import dev.vitrine.protocol.Uuid;
import dev.vitrine.protocol.message.FetchRequest;
import dev.vitrine.protocol.message.FetchRequest.FetchPartition;
import dev.vitrine.protocol.message.FetchRequest.FetchTopic;
import dev.vitrine.protocol.message.FetchRequest.ForgottenTopic;
import dev.vitrine.sim.SimShard;
import dev.vitrine.sim.SimWorld;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Fetch sessions (KIP-227) under churn, beside a model that is as plain as can be. */
class FetchSessionsTest {
  private static final Uuid TOPIC = new Uuid(1, 1);
  private static final int SLOTS = 4;
  private static final long KEPT_MS = 120_000;

  private final SimWorld world = new SimWorld(7);
  private final SimShard shard = world.newShard("s");
  private final FetchSessions sessions = new FetchSessions(shard, SLOTS);

  private static FetchRequest request(int id, int epoch, int... partitions) {
    FetchRequest r = new FetchRequest().sessionId(id).sessionEpoch(epoch);
    if (partitions.length > 0) {
      FetchTopic topic = new FetchTopic().topicId(TOPIC);
      for (int p : partitions) {
        topic.partitions().add(new FetchPartition().partition(p));
      }
      r.topics().add(topic);
    }
    return r;
  }

  private static FetchRequest forget(FetchRequest r, Integer... partitions) {
    r.forgottenTopicsData()
        .add(new ForgottenTopic().topicId(TOPIC).partitions(List.of(partitions)));
    return r;
  }

  private Opened open(FetchRequest r) {
    return sessions.open(r, false, true);
  }

  private int begin(boolean privileged, int size) {
    int[] partitions = new int[size];
    for (int i = 0; i < size; i++) {
      partitions[i] = i;
    }
    Opened o = sessions.open(request(0, 0, partitions), privileged, true);
    assertEquals(Errors.NONE, o.error());
    return o.sessionId();
  }

  private boolean lives(int id, int epoch) {
    return open(request(id, epoch)).error() == Errors.NONE;
  }

  private static List<Integer> partitions(Opened o) {
    return o.targets().stream().map(t -> t.key.partition()).toList();
  }

  @Test
  void epochIsLookedAtBeforeTheKindOfNames() {
    int id = begin(false, 1);
    assertEquals(Errors.FETCH_SESSION_ID_NOT_FOUND, open(request(id == 5 ? 6 : 5, 1)).error());
    assertEquals(
        Errors.INVALID_FETCH_SESSION_EPOCH, sessions.open(request(id, 2), false, false).error());
    assertEquals(
        Errors.FETCH_SESSION_TOPIC_ID_ERROR, sessions.open(request(id, 1), false, false).error());
    assertTrue(lives(id, 1));
    assertTrue(lives(id, 2));
  }

  @Test
  void whatIsForgottenIsGoneThoughTheSameRequestNamesIt() {
    int id = begin(false, 2);
    assertEquals(List.of(0), partitions(open(forget(request(id, 1, 1, 7), 1, 7, 9))));
    Opened last = open(forget(request(id, 2, 0), 0));
    assertEquals(0, last.sessionId());
    assertEquals(List.of(0), partitions(last), "it is answered for once more");
    assertEquals(Errors.FETCH_SESSION_ID_NOT_FOUND, open(request(id, 3)).error());
  }

  @Test
  void aFullRequestEndsTheSessionThatItNames() {
    int id = begin(false, 1);
    int other = open(request(id, 0, 1)).sessionId();
    assertNotEquals(id, other);
    assertEquals(Errors.FETCH_SESSION_ID_NOT_FOUND, open(request(id, 1)).error());
    assertEquals(0, open(request(other, -1, 1)).sessionId());
    assertEquals(Errors.FETCH_SESSION_ID_NOT_FOUND, open(request(other, 1)).error());
  }

  @Test
  void aSessionMayBeginEmpty() {
    int id = begin(false, 0);
    assertNotEquals(0, id);
    assertEquals(List.of(3), partitions(open(request(id, 1, 3))));
  }

  @Test
  void newSessionsOfConsumersTakeNobodysPlace() {
    int[] ids = {begin(false, 1), begin(false, 1), begin(false, 1), begin(true, 1)};
    assertEquals(0, begin(false, 9));
    for (int id : ids) {
      assertTrue(lives(id, 1));
    }
  }

  @Test
  void followersTakeThePlaceOfTheSmallestOfTheConsumers() {
    int large = begin(false, 5);
    int small = begin(false, 2);
    int follower = begin(true, 1);
    int middle = begin(false, 3);
    assertNotEquals(0, begin(true, 1));
    assertTrue(lives(large, 1) && lives(follower, 1) && lives(middle, 1));
    assertEquals(Errors.FETCH_SESSION_ID_NOT_FOUND, open(request(small, 1)).error());
    assertNotEquals(0, begin(true, 1));
    assertNotEquals(0, begin(true, 1));
    assertEquals(0, begin(true, 9), "other followers' are new");
  }

  @Test
  void whatWasNotUsedForLongGoesFirst() {
    int follower = begin(true, 9);
    int[] ids = {begin(false, 1), begin(false, 1), begin(false, 1)};
    world.runFor(KEPT_MS);
    assertEquals(0, begin(false, 1), "not longer than it is kept");
    for (int id : ids) {
      assertTrue(lives(id, 1));
    }
    world.runFor(1);
    assertNotEquals(0, begin(false, 1));
    assertEquals(Errors.FETCH_SESSION_ID_NOT_FOUND, open(request(follower, 1)).error());
  }

  @Test
  void anOldSessionGivesWayToALargerOne() {
    int old = begin(false, 2);
    for (int i = 0; i < 3; i++) {
      begin(true, 5);
    }
    world.runFor(KEPT_MS / 2);
    assertTrue(lives(old, 1));
    world.runFor(KEPT_MS / 2 + 1);
    // Three that nobody used go first.
    int[] fresh = {begin(false, 1), begin(false, 1), begin(false, 1)};
    assertTrue(lives(old, 2));
    assertEquals(0, begin(false, 2), "not larger");
    assertNotEquals(0, begin(false, 3));
    assertEquals(Errors.FETCH_SESSION_ID_NOT_FOUND, open(request(old, 3)).error());
    for (int id : fresh) {
      assertTrue(lives(id, 1));
    }
  }

  /** One session as the model has it. */
  private static final class Model {
    final LinkedHashMap<Integer, Long> offsets = new LinkedHashMap<>();
    final boolean privileged;
    final boolean byId;
    final long created;
    long used;
    int epoch = 1;

    Model(boolean privileged, boolean byId, long now) {
      this.privileged = privileged;
      this.byId = byId;
      this.created = now;
      this.used = now;
    }

    long worth() {
      return (privileged ? 1_000L : 0) + offsets.size();
    }
  }

  @Test
  void agreesWithTheModel() {
    for (int seed = 0; seed < 60; seed++) {
      new Churn(seed).run();
    }
  }

  /** Random requests, right and wrong, to a table and to the model of it. */
  private static final class Churn {
    private final Random random;
    private final SimWorld world;
    private final SimShard shard;
    private final FetchSessions real;
    private final Map<Integer, Model> model = new LinkedHashMap<>();
    private final List<Integer> all = new ArrayList<>(List.of(0, 77));
    private final String seed;

    Churn(int seed) {
      this.seed = "seed " + seed;
      random = new Random(seed);
      world = new SimWorld(seed);
      shard = world.newShard("s");
      real = new FetchSessions(shard, SLOTS);
    }

    void run() {
      for (int i = 0; i < 400; i++) {
        world.runFor(random.nextInt(10) == 0 ? random.nextInt(130_000) : random.nextInt(3_000));
        step();
      }
    }

    private void step() {
      int id = all.get(Math.max(0, all.size() - 1 - random.nextInt(8)));
      Model known = model.get(id);
      int epoch = known == null ? random.nextInt(3) - 1 : known.epoch;
      epoch = random.nextInt(12) == 0 ? random.nextInt(4) - 1 : epoch;
      boolean byId = known == null || random.nextInt(20) == 0 ? random.nextBoolean() : known.byId;
      boolean privileged = random.nextInt(3) == 0;
      FetchRequest r = new FetchRequest().sessionId(id).sessionEpoch(epoch);
      LinkedHashMap<Integer, Long> asked = fill(r, byId);
      List<Integer> gone = new ArrayList<>();
      if (epoch > 0) {
        random.ints(random.nextInt(4), 0, 6).forEach(gone::add);
        r.forgottenTopicsData().add(forgotten(byId).partitions(gone));
      }
      check(real.open(r, privileged, byId), id, epoch, privileged, byId, asked, gone);
    }

    private LinkedHashMap<Integer, Long> fill(FetchRequest r, boolean byId) {
      LinkedHashMap<Integer, Long> asked = new LinkedHashMap<>();
      FetchTopic topic = byId ? new FetchTopic().topicId(TOPIC) : new FetchTopic().topic("t");
      for (int n = random.nextInt(5); n > 0; n--) {
        int p = random.nextInt(6);
        if (!asked.containsKey(p)) {
          asked.put(p, (long) random.nextInt(100));
          topic.partitions().add(new FetchPartition().partition(p).fetchOffset(asked.get(p)));
        }
      }
      r.topics().add(topic);
      return asked;
    }

    private static ForgottenTopic forgotten(boolean byId) {
      return byId ? new ForgottenTopic().topicId(TOPIC) : new ForgottenTopic().topic("t");
    }

    private void check(
        Opened o,
        int id,
        int epoch,
        boolean privileged,
        boolean byId,
        LinkedHashMap<Integer, Long> asked,
        List<Integer> gone) {
      Model known = model.get(id);
      if (epoch <= 0) {
        model.remove(id);
        boolean kept = epoch == 0 && room(privileged, asked.size());
        assertEquals(Errors.NONE, o.error(), seed);
        assertEquals(kept, o.sessionId() != 0, seed);
        assertEquals(asked, seen(o), seed);
        if (kept) {
          Model fresh = new Model(privileged, byId, shard.ticks());
          fresh.offsets.putAll(asked);
          model.put(o.sessionId(), fresh);
          all.add(o.sessionId());
        }
      } else if (known == null) {
        assertEquals(Errors.FETCH_SESSION_ID_NOT_FOUND, o.error(), seed);
      } else if (epoch != known.epoch) {
        assertEquals(Errors.INVALID_FETCH_SESSION_EPOCH, o.error(), seed);
      } else if (byId != known.byId) {
        assertEquals(Errors.FETCH_SESSION_TOPIC_ID_ERROR, o.error(), seed);
      } else {
        known.offsets.putAll(asked);
        known.offsets.keySet().removeAll(gone);
        boolean empty = known.offsets.isEmpty();
        assertEquals(empty ? 0 : id, o.sessionId(), seed);
        assertEquals(empty ? asked : known.offsets, seen(o), seed);
        if (empty) {
          model.remove(id);
        } else {
          known.epoch++;
          known.used = shard.ticks();
          model.remove(id);
          model.put(id, known); // the most recently used stand last
        }
      }
    }

    private static LinkedHashMap<Integer, Long> seen(Opened o) {
      LinkedHashMap<Integer, Long> seen = new LinkedHashMap<>();
      o.targets().forEach(t -> seen.put(t.key.partition(), t.asked().fetchOffset()));
      return seen;
    }

    private boolean room(boolean privileged, int size) {
      if (model.size() < SLOTS) {
        return true;
      }
      long now = shard.ticks();
      Integer stale = null;
      Integer least = null;
      for (Map.Entry<Integer, Model> e : model.entrySet()) {
        Model m = e.getValue();
        if (now - m.used > KEPT_MS && (stale == null || m.used < model.get(stale).used)) {
          stale = e.getKey();
        }
        if ((m.used - m.created > KEPT_MS || privileged && !m.privileged)
            && (least == null
                || m.worth() < model.get(least).worth()
                || m.worth() == model.get(least).worth() && e.getKey() < least)) {
          least = e.getKey();
        }
      }
      boolean more = least != null && (privileged ? 1_000L : 0) + size > model.get(least).worth();
      Integer out = stale != null ? stale : more ? least : null;
      model.remove(out);
      return out != null;
    }
  }
}
