package dev.vitrine.compat.chaos;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.vitrine.compat.chaos.Event.Acknowledged;
import dev.vitrine.compat.chaos.Event.CommitAsked;
import dev.vitrine.compat.chaos.Event.CommitFound;
import dev.vitrine.compat.chaos.Event.CommitSent;
import dev.vitrine.compat.chaos.Event.CommitTold;
import dev.vitrine.compat.chaos.Event.Done;
import dev.vitrine.compat.chaos.Event.EndAsked;
import dev.vitrine.compat.chaos.Event.EndTold;
import dev.vitrine.compat.chaos.Event.Failed;
import dev.vitrine.compat.chaos.Event.FaultBegun;
import dev.vitrine.compat.chaos.Event.FaultEnded;
import dev.vitrine.compat.chaos.Event.Item;
import dev.vitrine.compat.chaos.Event.OnDisk;
import dev.vitrine.compat.chaos.Event.Owned;
import dev.vitrine.compat.chaos.Event.Phase;
import dev.vitrine.compat.chaos.Event.Polled;
import dev.vitrine.compat.chaos.Event.Positioned;
import dev.vitrine.compat.chaos.Event.ReadWhole;
import dev.vitrine.compat.chaos.Event.ReaderStarted;
import dev.vitrine.compat.chaos.Event.ReaderThrown;
import dev.vitrine.compat.chaos.Event.Recovered;
import dev.vitrine.compat.chaos.Event.Released;
import dev.vitrine.compat.chaos.Event.Run;
import dev.vitrine.compat.chaos.Event.Sent;
import dev.vitrine.compat.chaos.Event.Stuck;
import dev.vitrine.compat.chaos.Event.TopicAsked;
import dev.vitrine.compat.chaos.Event.TopicFound;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Each anomaly, made by hand, is found under its name; and a good history has none. */
@Tag("smoke")
class CheckerTest {
  private static final TopicPartition P = new TopicPartition("t-x", 0);
  private static final TopicPartition Q = new TopicPartition("t-x", 1);

  private final List<Timed> events = new ArrayList<>();

  private long add(Event event) {
    events.add(new Timed(events.size() * 10L, event));
    return events.size() - 1;
  }

  private long sent(TopicPartition partition, String value) {
    return add(new Sent(value.substring(0, 1), partition, value));
  }

  private void written(TopicPartition partition, String value, long offset) {
    add(new Acknowledged(sent(partition, value), offset));
  }

  private void polled(String client, TopicPartition partition, String... items) {
    add(new Polled(client, partition, items(items)));
  }

  private void whole(String client, TopicPartition partition, String... items) {
    add(new ReadWhole(client, partition, items(items)));
  }

  private void committed(String client, long offset) {
    add(new Done(add(new CommitSent(client, "g", P, offset))));
  }

  private void told(String client, long offset) {
    add(new CommitTold(add(new CommitAsked(client, "g", P)), offset));
  }

  private void end(String client, long offset) {
    add(new EndTold(add(new EndAsked(client, P)), offset));
  }

  /** {@code 3=a:1} is an item. */
  private static List<Item> items(String... items) {
    return Arrays.stream(items)
        .map(item -> item.split("="))
        .map(parts -> new Item(Long.parseLong(parts[0]), parts[1]))
        .toList();
  }

  /** a and b write to P; a reader, a group and the end see the same. */
  private void good() {
    add(new Run("vitrine", 7, "no settings"));
    add(new Phase("faults"));
    add(new ReaderStarted("r", ""));
    add(new ReaderStarted("m", "g"));
    add(new Positioned("r", P, 0, "assigned"));
    add(new Done(add(new TopicAsked("admin", "t-x", 1))));
    written(P, "a:0", 0);
    written(P, "b:0", 1);
    add(new Failed(sent(P, "a:1"), true, "too large"));
    add(new Failed(sent(P, "b:1"), false, "timed out"));
    add(new FaultBegun(1, "kill", "2", ""));
    add(new FaultEnded(1, "kill"));
    written(P, "a:2", 3);
    polled("r", P, "0=a:0", "1=b:0");
    end("r", 2);
    told("m", -1);
    add(new Positioned("m", P, 0, "assigned"));
    polled("m", P, "0=a:0", "1=b:0", "2=b:1", "3=a:2");
    committed("m", 4);
    told("m", 4);
    polled("r", P, "2=b:1");
    add(new Positioned("r", P, 1, "sought"));
    polled("r", P, "1=b:0", "2=b:1", "3=a:2");
    end("r", 4);
  }

  private void goodEnd() {
    add(new Recovered("all", 5));
    whole("java", P, "0=a:0", "1=b:0", "2=b:1", "3=a:2");
    whole("kcat", P, "0=a:0", "1=b:0", "2=b:1", "3=a:2");
    add(new CommitFound("g", P, 4));
    add(new TopicFound("t-x", 1));
    add(new OnDisk(1, P, items("1=ff", "3=ee")));
    add(new OnDisk(2, P, items("1=ff", "3=ee")));
    add(new Phase(StuckLiveness.END));
  }

  /** The good history up to its end, this, and the end. */
  private void assertFound(Set<String> anomalies, Runnable bad) {
    events.clear();
    good();
    bad.run();
    goodEnd();
    assertEquals(anomalies, found());
  }

  private void assertFound(String anomaly, Runnable bad) {
    assertFound(Set.of(anomaly), bad);
  }

  private Set<String> found() {
    Set<String> found = new TreeSet<>();
    for (List<Check> checks : List.of(Checker.CHECKS, Checker.OF_GROUPS)) {
      Checker.check(new RunHistory(events), checks)
          .forEach(
              (check, cases) -> found.addAll(cases.isEmpty() ? Set.of() : Set.of(check.anomaly())));
    }
    return found;
  }

  @Test
  void aGoodHistoryHasNone() {
    assertFound(Set.of(), () -> {});
  }

  @Test
  void whatWasAcknowledgedIsNotThere() {
    assertFound("lost writes", () -> written(P, "a:3", 4));
    assertFound(Set.of(), () -> add(new Failed(sent(P, "a:3"), false, "timed out")));
  }

  @Test
  void oneRecordIsThereTwice() {
    assertFound(
        "duplicates",
        () -> {
          sent(Q, "a:3");
          polled("m", Q, "0=a:3", "1=a:3");
          whole("java", Q, "0=a:3", "1=a:3");
        });
  }

  /** A client that is refused its first record sends again, in a new epoch, what overtook it. */
  @Test
  void whatOvertookTheFirstRecordMayBeThereTwice() {
    assertFound(Set.of(), () -> oneIsTwice("0=a:4", "1=a:5", "2=a:3", "3=a:4", "4=a:5"));
    assertFound("duplicates", () -> oneIsTwice("0=a:3", "1=a:4", "2=a:5", "3=a:5"));
    assertFound("duplicates", () -> oneIsTwice("0=a:4", "1=a:3", "2=a:4", "3=a:5", "4=a:5"));
    assertFound(
        Set.of("duplicates", "reordered writes"),
        () -> oneIsTwice("0=a:5", "1=a:3", "2=a:4", "3=a:5", "4=a:4"));
  }

  private void oneIsTwice(String... log) {
    sent(Q, "a:3");
    sent(Q, "a:4");
    sent(Q, "a:5");
    polled("m", Q, log);
    whole("java", Q, log);
  }

  @Test
  void recordsAreInAnotherOrder() {
    assertFound(
        "reordered writes",
        () -> {
          written(Q, "a:3", 0);
          written(Q, "a:4", 2);
          written(Q, "a:5", 1);
        });
    assertFound(
        "reordered writes",
        () -> {
          sent(Q, "a:3");
          sent(Q, "a:4");
          sent(Q, "a:5");
          whole("java", Q, "0=a:3", "1=a:5", "2=a:4");
          polled("m", Q, "0=a:3", "1=a:5", "2=a:4");
        });
    // The first that a broker hears of a producer may be any.
    assertFound(
        Set.of(),
        () -> {
          written(Q, "a:3", 1);
          written(Q, "a:4", 0);
          written(Q, "a:5", 2);
        });
  }

  @Test
  void anOffsetHasTwoRecords() {
    assertFound(
        Set.of("divergent values", "uncommitted reads"),
        () -> {
          add(new Positioned("r", P, 3, "sought"));
          polled("r", P, "3=b:1");
        });
    assertFound(Set.of("divergent values", "lost writes"), () -> written(P, "c:0", 0));
  }

  /** Bit by bit or as a whole: either way alone is enough. */
  @Test
  void eachWayOfReadingIsLookedAt() {
    List<Runnable> ways =
        List.of(() -> polled("m", Q, "0=a:3", "1=c:3"), () -> whole("java", Q, "0=a:3", "1=c:3"));
    for (Runnable way : ways) {
      events.clear();
      good();
      add(new Failed(sent(Q, "a:3"), true, "refused"));
      way.run();
      assertTrue(found().containsAll(Set.of("aborted reads", "invented values")), "" + found());
    }
  }

  @Test
  void aReaderSeesMoreThanIsCommitted() {
    assertFound(
        "uncommitted reads",
        () -> {
          sent(P, "a:5");
          polled("r", P, "4=a:5");
        });
    assertFound("uncommitted reads", () -> add(new ReaderThrown("r", P, "log truncated")));
  }

  @Test
  void whatWasRefusedIsRead() {
    assertFound(
        "aborted reads",
        () -> {
          add(new Failed(sent(Q, "a:3"), true, "refused"));
          polled("m", Q, "0=a:3");
          whole("java", Q, "0=a:3");
        });
  }

  @Test
  void whatNobodySentIsRead() {
    assertFound(
        "invented values",
        () -> {
          polled("m", Q, "0=c:3");
          whole("java", Q, "0=c:3");
        });
    assertFound(
        "invented values",
        () -> {
          sent(P, "a:3");
          polled("m", Q, "0=a:3");
          whole("java", Q, "0=a:3");
        });
  }

  @Test
  void aReaderIsGivenTheSameAgain() {
    assertFound("polls going back", () -> polled("r", P, "2=b:1"));
    assertFound("polls going back", () -> polled("m", P, "3=a:2"));
  }

  @Test
  void aReaderMissesSomething() {
    assertFound(
        "skipped records",
        () -> {
          add(new Positioned("r", P, 0, "sought"));
          polled("r", P, "0=a:0", "2=b:1");
        });
    assertFound(
        "skipped records",
        () -> {
          add(new Positioned("r", P, 0, "sought"));
          polled("r", P, "1=b:0");
        });
  }

  @Test
  void theEndGoesBack() {
    assertFound("end offsets going back", () -> end("r", 3));
    assertFound(Set.of(), () -> end("other", 3));
  }

  private void owned(String client, int generation, TopicPartition partition) {
    owned("classic", client, generation, partition);
  }

  private void owned(String protocol, String client, int generation, TopicPartition partition) {
    add(new Owned(client, "g", protocol, client + "-id", generation, partition));
  }

  private void released(String client, boolean lost) {
    add(new Released(client, "g", P, lost));
  }

  @Test
  void aPartitionHasTwoOwnersInOneGeneration() {
    assertFound(
        "two owners",
        () -> {
          owned("m", 3, P);
          released("m", false);
          owned("n", 3, P);
        });
    assertFound(
        Set.of(),
        () -> {
          owned("m", 3, P);
          owned("m", 4, P);
          owned("n", 3, Q);
          released("m", false);
          owned("n", 5, P);
        });
  }

  @Test
  void aPartitionHasTwoOwnersAtOnce() {
    assertFound(
        "overlapping owners",
        () -> {
          owned("m", 3, P);
          owned("n", 4, P);
          released("m", false);
        });
    assertFound(
        Set.of(),
        () -> {
          owned("m", 3, P);
          owned("n", 4, P);
          released("m", true);
        });
    assertFound(
        Set.of(),
        () -> {
          owned("consumer", "m", 3, P);
          owned("consumer", "n", 4, P);
          released("m", false);
        });
    assertFound(
        Set.of(),
        () -> {
          owned("m", 3, P);
          released("m", false);
          owned("n", 4, P);
          released("n", false);
          owned("m", 5, P);
          released("m", false);
        });
  }

  @Test
  void commitsGoBack() {
    assertFound("commits going back", () -> committed("n", 3));
    assertFound(Set.of(), () -> add(new CommitSent("n", "g", P, 3)));
    assertFound("stale commits", () -> told("n", 3));
    assertFound("stale commits", () -> told("n", -1));
    assertFound(
        Set.of(),
        () -> {
          add(new FaultBegun(2, "pause", "1", ""));
          told("n", 3);
          long asked = add(new CommitAsked("n", "g", P));
          add(new FaultEnded(2, "pause"));
          add(new CommitTold(asked, 3));
        });
    assertFound(
        "lost commits",
        () -> {
          sent(P, "a:7");
          committed("m", 5);
        });
  }

  @Test
  void aGroupIsNotGivenARecord() {
    assertFound(
        "undelivered records",
        () -> {
          written(Q, "a:3", 0);
          whole("java", Q, "0=a:3");
        });
  }

  @Test
  void aTopicIsGone() {
    assertFound("lost topics", () -> add(new Done(add(new TopicAsked("admin", "t-x", 2)))));
    assertFound("lost topics", () -> add(new Done(add(new TopicAsked("admin", "u", 1)))));
    assertFound(Set.of(), () -> add(new TopicAsked("admin", "u", 1)));
  }

  @Test
  void clientsAndReplicasDiffer() {
    assertFound("different reads", () -> whole("c", P, "0=a:0", "1=b:0"));
    assertFound("divergent replicas", () -> add(new OnDisk(3, P, items("1=ff"))));
    assertFound("divergent replicas", () -> add(new OnDisk(3, P, items("1=ff", "3=dd"))));
  }

  @Test
  void itDoesNotGoOn() {
    assertFound("stuck after the faults", () -> add(new Stuck("the group goes on", 90_000)));
    events.clear();
    good();
    assertEquals(Set.of("stuck after the faults"), found());
  }

  @Test
  void aHistoryIsTheSameWhenReadFromItsFile(@TempDir Path folder) throws IOException {
    good();
    goodEnd();
    Path file = folder.resolve("a/history");
    try (Recorder recorder = new Recorder(file)) {
      events.forEach(timed -> recorder.write(timed.event()));
    }
    List<Event> read = RunHistory.read(file).events().stream().map(Timed::event).toList();
    assertEquals(events.stream().map(Timed::event).toList(), read);
    String line = "17\tFailed\t4\ttrue\ta  b";
    assertEquals(line, EventLine.write(EventLine.read(line)));
  }
}
