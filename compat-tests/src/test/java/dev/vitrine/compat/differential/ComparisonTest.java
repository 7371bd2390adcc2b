package dev.vitrine.compat.differential;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** That the comparison sees what is different, and only that. */
@Tag("simulation")
class ComparisonTest {
  @TempDir Path folder;
  private final List<Difference> found = new ArrayList<>();
  private Comparison comparison;

  private void rules(String... lines) throws Exception {
    Path file = Files.write(folder.resolve("rules.txt"), List.of(lines));
    comparison = new Comparison(Rules.read(file), new Pairs(), "s", found::add);
  }

  private List<String> differences(String ours, String kafkas) {
    found.clear();
    comparison.compare(7, "Fetch", 3, answer(ours), answer(kafkas));
    return found.stream().map(Difference::path).toList();
  }

  private static Answer answer(String json) {
    return new Answer("answered", (ObjectNode) Json.parse(json));
  }

  @Test
  void everyFieldCounts() throws Exception {
    rules();
    assertEquals(List.of(), differences("{a: [{b: 1}], c: null}", "{a: [{b: 1}], c: null}"));
    assertEquals(List.of("a[0].b"), differences("{a: [{b: 1}]}", "{a: [{b: 2}]}"));
    assertEquals(List.of("a.length"), differences("{a: [{b: 1}, {b: 2}]}", "{a: [{b: 1}]}"));
    assertEquals(List.of("a"), differences("{a: null}", "{a: []}"));
    assertEquals(List.of("a"), differences("{a: null}", "{}"));
    assertEquals(List.of("c"), differences("{a: 1}", "{a: 1, c: 0}"));
  }

  @Test
  void anIdIsTheSameOneEverywhere() throws Exception {
    rules("* *id id x", "* *text exact");
    assertEquals(
        List.of(), differences("{id: 'aaaa', b: {id: 'aaaa'}}", "{id: 'zzzz', b: {id: 'zzzz'}}"));
    assertEquals(List.of("id"), differences("{id: 'bbbb'}", "{id: 'zzzz'}"));
    assertEquals(List.of("id"), differences("{id: 'aaaa'}", "{id: 'yyyy'}"));
    assertEquals(List.of("id"), differences("{id: -1}", "{id: 'xxxx'}"));
    assertEquals(List.of(), differences("{text: 'no aaaa'}", "{text: 'no zzzz'}"));
    assertEquals(List.of("text"), differences("{text: 'no aaaa'}", "{text: 'no yyyy'}"));
  }

  @Test
  void momentsAreAboutTheSame() throws Exception {
    rules("* at time");
    assertEquals(List.of(), differences("{at: 1700000000000}", "{at: 1700000001000}"));
    assertEquals(List.of("at"), differences("{at: -1}", "{at: 1700000001000}"));
    assertEquals(List.of("at"), differences("{at: 5}", "{at: 6}"));
  }

  @Test
  void anArrayMayHaveNoOrder() throws Exception {
    rules("Fetch a by k", "Fetch v by");
    assertEquals(
        List.of(), differences("{a: [{k: 1, x: 1}, {k: 2}]}", "{a: [{k: 2}, {k: 1, x: 1}]}"));
    assertEquals(List.of("a[1].x"), differences("{a: [{k: 1, x: 1}]}", "{a: [{k: 1, x: 3}]}"));
    assertEquals(List.of("a[2]"), differences("{a: [{k: 1}]}", "{a: [{k: 1}, {k: 2}]}"));
    assertEquals(List.of(), differences("{v: [1, 2]}", "{v: [2, 1]}"));
    assertEquals(List.of("v[2]"), differences("{v: [1, 2]}", "{v: [1]}"));
  }

  @Test
  void anExceptionCoversWhatItSaysAndMustOccur() throws Exception {
    Path file = folder.resolve("exceptions.json");
    Files.writeString(
        file,
        "[{script: 's*', path: 'a[].b', ours: 1, because: 'of this'}, {script: 't', because: 'x'}]");
    Exceptions exceptions = Exceptions.read(file);
    assertTrue(exceptions.covers(new Difference("s1", "", "Fetch", 1, "a[5].b", "1", "2")));
    assertTrue(!exceptions.covers(new Difference("s1", "", "Fetch", 1, "a[5].b", "3", "2")));
    assertTrue(!exceptions.covers(new Difference("u", "", "Fetch", 1, "a[5].b", "1", "2")));
    assertEquals(List.of(), exceptions.stale(Set.of("s1"), Set.of("s1", "t")));
    assertEquals(1, exceptions.stale(Set.of("s1", "t"), Set.of("s1", "t")).size());
    Files.writeString(file, "[{script: 's'}]");
    assertThrows(IllegalArgumentException.class, () -> Exceptions.read(file));
  }

  @Test
  void whatIsWrittenIsRead() {
    Schema schema = Schema.of("FetchResponse");
    JsonNode value =
        Json.parse(
            "{throttleTimeMs: 0, errorCode: 3, sessionId: 9, responses: [{topicId: '111111111111111111111w',"
                + " partitions: [{partitionIndex: 0, errorCode: 0, highWatermark: 5, lastStableOffset: 5, logStartOffset: 0,"
                + " abortedTransactions: null, preferredReadReplica: -1, records: null, currentLeader: {leaderId: 1, leaderEpoch: 2}}]}]}");
    byte[] bytes = Encoder.encode(schema, 16, value);
    assertEquals(value.toString(), Decoder.decode(schema, 16, ByteBuffer.wrap(bytes)).toString());
  }

  @Test
  void aScriptSaysWhatIsWrongWithIt() throws Exception {
    for (String text :
        List.of("Fetch", "Fetch all {x:", "Fetch all {}\n  nonsense", "Fetch all {a}")) {
      Path file = Files.writeString(folder.resolve("x.script"), text);
      assertThrows(IllegalArgumentException.class, () -> Script.read(file), text);
    }
  }
}
