package dev.vitrine.broker.replication;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.vitrine.protocol.Uuid;
import dev.vitrine.protocol.message.FetchRequest;
import dev.vitrine.protocol.message.FetchRequest.FetchPartition;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What a follower says of its partitions from one fetch to the next. */
class FollowerSessionTest {
  private static final Uuid A = new Uuid(0, 1);
  private static final Uuid B = new Uuid(0, 2);
  private final FollowerSession session = new FollowerSession();

  private static Map<Integer, FetchPartition> at(long... offsets) {
    Map<Integer, FetchPartition> all = new LinkedHashMap<>();
    for (int i = 0; i < offsets.length; i++) {
      if (offsets[i] >= 0) {
        all.put(i, new FetchPartition().partition(i).fetchOffset(offsets[i]));
      }
    }
    return all;
  }

  /** As "id/epoch topic-partition@offset ... -topic-partition". */
  private String fill(Map<Uuid, Map<Integer, FetchPartition>> wanted) {
    FetchRequest request = new FetchRequest();
    session.fill(request, wanted);
    StringBuilder s = new StringBuilder(request.sessionId() + "/" + request.sessionEpoch());
    for (FetchRequest.FetchTopic t : request.topics()) {
      for (FetchPartition p : t.partitions()) {
        s.append(" %s%d@%d".formatted(name(t.topicId()), p.partition(), p.fetchOffset()));
      }
    }
    for (FetchRequest.ForgottenTopic t : request.forgottenTopicsData()) {
      t.partitions().forEach(p -> s.append(" -").append(name(t.topicId())).append(p));
    }
    return s.toString();
  }

  private static String name(Uuid id) {
    return id.equals(A) ? "a" : "b";
  }

  @Test
  void onlyChangesAreSaid() {
    assertEquals("0/0 a0@5 a1@6", fill(Map.of(A, at(5, 6))));
    session.answered(77);
    assertEquals("77/1", fill(Map.of(A, at(5, 6))));
    session.answered(77);
    assertEquals("77/2 a1@9", fill(Map.of(A, at(5, 9))));
    session.answered(77);
    Map<Uuid, Map<Integer, FetchPartition>> wanted = new LinkedHashMap<>();
    wanted.put(A, at(-1, 9));
    wanted.put(B, at(0));
    assertEquals("77/3 b0@0 -a0", fill(wanted));
    session.answered(77);
    assertEquals("77/4 -a1", fill(Map.of(B, at(0))));
    session.answered(77);
    assertEquals("77/5 -b0", fill(Map.of()));
  }

  @Test
  void partitionThatComesBackIsSaidAgain() {
    fill(Map.of(A, at(5, 6)));
    session.answered(77);
    fill(Map.of(A, at(5)));
    session.answered(77);
    assertEquals("77/2 a1@6", fill(Map.of(A, at(5, 6))));
  }

  @Test
  void withoutASessionAllIsSaidEachTime() {
    fill(Map.of(A, at(5)));
    session.answered(0);
    assertEquals("0/0 a0@5", fill(Map.of(A, at(5))));
  }

  @Test
  void lostSessionBeginsAnew() {
    fill(Map.of(A, at(5)));
    session.answered(77);
    fill(Map.of(A, at(6)));
    session.reset();
    assertEquals("0/0 a0@6", fill(Map.of(A, at(6))));
    session.answered(78);
    assertEquals("78/1", fill(Map.of(A, at(6))));
  }

  @Test
  void nothingIsForgottenInAFullRequest() {
    fill(Map.of(A, at(5)));
    session.answered(77);
    session.reset();
    FetchRequest request = new FetchRequest();
    session.fill(request, Map.of(B, at(1)));
    assertEquals(List.of(), request.forgottenTopicsData());
  }
}
