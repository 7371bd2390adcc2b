package dev.vitrine.broker.group;

import static dev.vitrine.broker.group.GroupHarness.beat;
import static dev.vitrine.broker.group.GroupHarness.enter;
import static dev.vitrine.broker.group.GroupHarness.owning;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.vitrine.broker.group.GroupHarness.Answer;
import dev.vitrine.config.ConsumerGroupTerms;
import dev.vitrine.protocol.Errors;
import dev.vitrine.protocol.Uuid;
import dev.vitrine.protocol.message.ConsumerGroupHeartbeatRequest;
import dev.vitrine.protocol.message.ConsumerGroupHeartbeatResponse;
import dev.vitrine.protocol.message.JoinGroupRequest;
import dev.vitrine.protocol.message.JoinGroupResponse;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * What time, topics, patterns and new leaders do to consumer groups; requests one by one are in
 * {@link ConsumerGroupTranscript}.
 */
class ConsumerGroupTest {
  private final GroupHarness h = new GroupHarness();

  @BeforeEach
  void aTopic() {
    h.topic("t", GroupHarness.TOPIC_ID, 4);
  }

  private ConsumerGroupHeartbeatResponse ok(ConsumerGroupHeartbeatRequest r) {
    ConsumerGroupHeartbeatResponse answer = h.send(r).get();
    assertEquals(Errors.NONE, Errors.forCode(answer.errorCode()), answer::errorMessage);
    return answer;
  }

  private void refused(Errors expected, ConsumerGroupHeartbeatRequest r) {
    assertEquals(expected, Errors.forCode(h.send(r).get().errorCode()));
  }

  private static List<Integer> partitions(ConsumerGroupHeartbeatResponse r) {
    List<Integer> all = new ArrayList<>();
    r.assignment().topicPartitions().forEach(t -> all.addAll(t.partitions()));
    return all;
  }

  private String state() {
    return h.consumerGroup().view().state();
  }

  @Test
  void answersOnlyWhenItIsCommitted() {
    h.log.commitsAtOnce = false;
    Answer<ConsumerGroupHeartbeatResponse> a = h.send(enter("m", "t"));
    assertFalse(a.isThere());
    assertNull(h.consumerGroup().committed());
    h.commit();
    assertEquals(2, a.get().memberEpoch());
    assertEquals(List.of(0, 1, 2, 3), partitions(a.get()));
  }

  @Test
  void nothingIsKeptOfWhatCannotBeWritten() {
    h.log.refusal = Errors.NOT_ENOUGH_REPLICAS;
    refused(Errors.COORDINATOR_NOT_AVAILABLE, enter("m", "t"));
    assertNull(h.consumerGroup());
    h.log.refusal = Errors.NONE;
    assertEquals(2, ok(enter("m", "t")).memberEpoch());
  }

  @Test
  void silentMemberIsRemoved() {
    ok(enter("m", "t"));
    h.runFor(GroupHarness.SESSION_MS - 100);
    ok(beat("m", 2));
    h.runFor(GroupHarness.SESSION_MS - 100);
    assertFalse(h.consumerGroup().isEmpty());
    h.runFor(200);
    assertTrue(h.consumerGroup().isEmpty());
    assertEquals("Empty", state());
    refused(Errors.UNKNOWN_MEMBER_ID, beat("m", 2));
  }

  @Test
  void silentMemberIsRemovedOnceThatCanBeWritten() {
    ok(enter("m", "t"));
    h.log.refusal = Errors.NOT_ENOUGH_REPLICAS;
    h.runFor(GroupHarness.SESSION_MS + 5_000);
    assertFalse(h.consumerGroup().isEmpty());
    h.log.refusal = Errors.NONE;
    h.runFor(1_000);
    assertTrue(h.consumerGroup().isEmpty());
  }

  @Test
  void memberThatDoesNotGiveUpInTimeIsRemoved() {
    ok(enter("a", "t"));
    ok(enter("b", "t"));
    assertEquals(List.of(0, 1), partitions(ok(beat("a", 2))));
    for (int ms = 0; ms < GroupHarness.REBALANCE_MS - 1_000; ms += 1_000) {
      h.runFor(1_000);
      ok(owning(beat("a", 2), 0, 1, 2, 3));
      ok(beat("b", 3));
    }
    h.runFor(2_000);
    refused(Errors.UNKNOWN_MEMBER_ID, beat("a", 2));
    assertEquals(List.of(0, 1, 2, 3), partitions(ok(beat("b", 3))));
  }

  @Test
  void memberThatGaveUpInTimeStays() {
    ok(enter("a", "t"));
    ok(enter("b", "t"));
    ok(beat("a", 2));
    ok(owning(beat("a", 2), 0, 1));
    for (int ms = 0; ms < GroupHarness.REBALANCE_MS + 2_000; ms += 1_000) {
      h.runFor(1_000);
      ok(beat("a", 3));
      ok(beat("b", 3));
    }
    assertEquals("Stable", state());
  }

  @Test
  void newLeaderGoesOnWhereTheLastOneWas() {
    ok(enter("a", "t"));
    ok(enter("b", "t"));
    ok(beat("a", 2));
    ConsumerGroupImage before = h.coordinator().tip().consumers().get(GroupHarness.GROUP);
    h.resign();
    h.lead(1);
    assertEquals(before, h.coordinator().tip().consumers().get(GroupHarness.GROUP));
    assertEquals("Reconciling", state());
    ok(owning(beat("a", 2), 0, 1));
    assertEquals(List.of(2, 3), partitions(ok(beat("b", 3))));
    assertEquals("Stable", state());
    h.runFor(GroupHarness.SESSION_MS + 100);
    assertTrue(h.consumerGroup().isEmpty());
  }

  @Test
  void newLeaderGivesTimeToGiveUp() {
    ok(enter("a", "t"));
    ok(enter("b", "t"));
    ok(beat("a", 2));
    h.resign();
    h.lead(1);
    for (int ms = 0; ms < GroupHarness.REBALANCE_MS + 1_000; ms += 1_000) {
      h.runFor(1_000);
      h.send(owning(beat("a", 2), 0, 1, 2, 3));
      ok(beat("b", 3));
    }
    refused(Errors.UNKNOWN_MEMBER_ID, beat("a", 2));
  }

  @Test
  void waitsBetweenTwoAssignments() {
    h.terms = new ConsumerGroupTerms(GroupHarness.SESSION_MS, 3_000, 5_000);
    ok(enter("a", "t"));
    ConsumerGroupHeartbeatResponse b = ok(enter("b", "t"));
    assertEquals(2, b.memberEpoch());
    assertEquals(List.of(), partitions(b));
    assertEquals("Assigning", state());
    h.runFor(4_000);
    assertEquals(2, ok(beat("b", 2)).memberEpoch());
    h.runFor(1_100);
    assertEquals(3, ok(beat("b", 2)).memberEpoch());
    assertEquals("Reconciling", state());
  }

  // ---- topics

  @Test
  void newPartitionsAreAssigned() {
    ok(enter("a", "t"));
    h.topic("t", GroupHarness.TOPIC_ID, 5);
    ConsumerGroupHeartbeatResponse r = ok(beat("a", 2));
    assertEquals(3, r.memberEpoch());
    assertEquals(List.of(0, 1, 2, 3, 4), partitions(r));
    assertNull(ok(beat("a", 3)).assignment());
  }

  @Test
  void otherTopicsChangeNothing() {
    ok(enter("a", "t"));
    h.topic("u", new Uuid(8, 8), 1);
    assertEquals(2, ok(beat("a", 2)).memberEpoch());
    assertEquals(2, h.consumerGroup().view().image().epochs().group());
  }

  @Test
  void deletedTopicIsGivenUp() {
    h.topic("u", new Uuid(8, 8), 1);
    ok(enter("a", "t", "u"));
    h.topic("t", GroupHarness.TOPIC_ID, 0);
    ConsumerGroupHeartbeatResponse r = ok(beat("a", 2));
    assertEquals(1, r.assignment().topicPartitions().size());
    assertEquals(new Uuid(8, 8), r.assignment().topicPartitions().get(0).topicId());
  }

  @Test
  void topicThatComesLaterIsAssigned() {
    assertEquals(List.of(), partitions(ok(enter("a", "u"))));
    h.topic("u", new Uuid(8, 8), 2);
    assertEquals(List.of(0, 1), partitions(ok(beat("a", 2))));
  }

  // ---- patterns

  private static ConsumerGroupHeartbeatRequest enterBy(String memberId, String regex) {
    return enter(memberId).subscribedTopicNames(null).subscribedTopicRegex(regex);
  }

  @Test
  void patternIsResolvedAfterTheFirstAnswer() {
    ConsumerGroupHeartbeatResponse r = ok(enterBy("a", "t|u.*"));
    assertEquals(List.of(), partitions(r));
    h.runFor(100);
    r = ok(beat("a", r.memberEpoch()));
    assertEquals(List.of(0, 1, 2, 3), partitions(r));
    assertTrue(h.consumerGroup().isSubscribedTo("t"));
    assertFalse(h.consumerGroup().isSubscribedTo("u1"));
  }

  @Test
  void patternMatchesTheWholeName() {
    h.topic("tt", new Uuid(8, 8), 1);
    int epoch = ok(enterBy("a", "t")).memberEpoch();
    h.runFor(100);
    assertEquals(List.of(0, 1, 2, 3), partitions(ok(beat("a", epoch))));
  }

  @Test
  void newTopicsAreMatched() {
    int epoch = ok(enterBy("a", "t|u.*")).memberEpoch();
    h.runFor(100);
    epoch = ok(beat("a", epoch)).memberEpoch();
    h.topic("u1", new Uuid(8, 8), 1);
    ok(beat("a", epoch));
    h.runFor(100);
    assertNull(ok(beat("a", epoch)).assignment()); // not more often than each ten seconds
    for (int i = 0; i < 11; i++) {
      h.runFor(1_000);
      ok(beat("a", epoch));
    }
    h.runFor(100);
    ConsumerGroupHeartbeatResponse r = h.send(beat("a", epoch)).get();
    assertEquals(
        5,
        h.consumerGroup().view().image().target("a").partitions().values().stream()
            .mapToInt(p -> p.size())
            .sum());
    assertNotEquals(Errors.UNKNOWN_MEMBER_ID.code(), r.errorCode());
  }

  @Test
  void patternThatIsKnownIsUsedAtOnce() {
    int epoch = ok(enterBy("a", "t")).memberEpoch();
    h.runFor(100);
    ok(beat("a", epoch));
    ConsumerGroupHeartbeatResponse r = ok(enterBy("b", "t"));
    assertEquals(h.consumerGroup().view().image().epochs().group(), r.memberEpoch());
    assertFalse(h.consumerGroup().view().image().target("b").partitions().isEmpty());
  }

  @Test
  void patternGoesWithItsLastMember() {
    int epoch = ok(enterBy("a", "t")).memberEpoch();
    h.runFor(100);
    epoch = ok(beat("a", epoch)).memberEpoch();
    assertNotNull(h.consumerGroup().view().image().regexes().get("t"));
    ok(beat("a", epoch).subscribedTopicRegex("").subscribedTopicNames(new ArrayList<>()));
    assertNull(h.consumerGroup().view().image().regexes().get("t"));
    assertFalse(h.consumerGroup().isSubscribedTo("t"));
  }

  @Test
  void patternGoesWithWhoFallsSilent() {
    int epoch = ok(enterBy("a", "t")).memberEpoch();
    h.runFor(100);
    ok(beat("a", epoch));
    h.runFor(GroupHarness.SESSION_MS + 100);
    assertTrue(h.consumerGroup().view().image().regexes().isEmpty());
    assertEquals(0, h.consumerGroup().view().image().epochs().metadataHash());
  }

  @Test
  void badPatternIsRefused() {
    refused(Errors.INVALID_REGULAR_EXPRESSION, enterBy("a", "(["));
    ok(enter("a", "t"));
    refused(Errors.INVALID_REGULAR_EXPRESSION, beat("a", 2).subscribedTopicRegex("+"));
    assertNull(ok(beat("a", 2)).assignment());
  }

  @Test
  void classicMemberThatTellsNoRebalanceTimeoutHasItsSessionToSync() {
    ok(enter("m", "t"));
    h.joinVersion = 0;
    byte[] metadata = {0, 1, 0, 0, 0, 1, 0, 1, 't', -1, -1, -1, -1, 0, 0, 0, 0};
    JoinGroupRequest join = GroupHarness.joinRequest("", null, "range").protocolType("consumer");
    join.protocols().get(0).metadata(metadata);
    JoinGroupResponse joined = h.join(join.rebalanceTimeoutMs(-1)).get();
    assertEquals(Errors.NONE, Errors.forCode(joined.errorCode()));
    h.runFor(GroupHarness.SESSION_MS - 100);
    assertNotEquals(
        Errors.UNKNOWN_MEMBER_ID, h.heartbeat(joined.memberId(), joined.generationId()));
  }
}
