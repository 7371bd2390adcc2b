package dev.vitrine.protocol;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.vitrine.protocol.json.JsonNumber;
import dev.vitrine.protocol.message.QuorumStateData;
import java.lang.reflect.Method;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.kafka.common.protocol.Message;
import org.junit.jupiter.api.Test;

/** Our JSON forms against those of Kafka's own converters. */
class JsonFormTest {
  private static final ObjectMapper JACKSON = new ObjectMapper();

  @Test
  void everyMessageInEveryVersionHasKafkasJson() throws Exception {
    int compared = 0;
    for (Subject s : Subject.all()) {
      Class<?> converter = Class.forName(s.theirs.getName() + "JsonConverter");
      Method write = converter.getMethod("write", s.theirs, short.class, boolean.class);
      Method json = s.ours.getMethod("json", short.class);
      Method fromJson = s.ours.getMethod("fromJson", String.class, short.class);
      for (short v = s.lowest(); v <= s.highest(); v++) {
        Random random = new Random(s.name().hashCode() + v);
        for (int i = 0; i < 3; i++) {
          Map<String, Object> value = new AnyValue(random, 40 * i).struct(s.schema(v));
          withoutUnknownTags(value);
          ApiMessage ours = s.ours(value);
          String text = (String) json.invoke(ours, v);
          if (writable(s, value, v)) {
            Message theirs = s.theirs(value);
            JsonNode node = (JsonNode) write.invoke(null, theirs, v, true);
            assertEquals(node.toString(), text, s.name());
            compared++;
          }
          assertEquals(ours, fromJson.invoke(null, text, v), text);
          if (i == 1) {
            // Kafka's files may have been written with spaces.
            String pretty = JACKSON.readTree(text).toPrettyString();
            assertEquals(ours, fromJson.invoke(null, pretty, v), pretty);
          }
        }
      }
    }
    assertTrue(compared > 1500, "compared: " + compared);
  }

  /** Kafka's converters trip over null where there must be none, and over records. */
  private static boolean writable(Subject s, Map<String, Object> value, short v) {
    try {
      Subject.write(s.ours(value), v);
      return !holdsRecords(value);
    } catch (UnsupportedVersionException | ReflectiveOperationException e) {
      return false;
    }
  }

  private static boolean holdsRecords(Object value) {
    if (value instanceof Map<?, ?> m) {
      return m.values().stream().anyMatch(JsonFormTest::holdsRecords);
    }
    return value instanceof AnyValue.RecordBytes
        || value instanceof List<?> l && l.stream().anyMatch(JsonFormTest::holdsRecords);
  }

  private static void withoutUnknownTags(Object value) {
    if (value instanceof Map<?, ?> m) {
      m.remove(AnyValue.UNKNOWN_TAGS);
      m.values().forEach(JsonFormTest::withoutUnknownTags);
    } else if (value instanceof List<?> l) {
      l.forEach(JsonFormTest::withoutUnknownTags);
    }
  }

  @Test
  void quorumStateIsReadByKafka() throws Exception {
    QuorumStateData ours =
        new QuorumStateData()
            .leaderId(3)
            .leaderEpoch(71)
            .votedId(2)
            .votedDirectoryId(new Uuid(1, 2));
    String text = ours.toJson((short) 1).put("data_version", new JsonNumber(1)).toString();
    assertEquals(
        "{\"leaderId\":3,\"leaderEpoch\":71,\"votedId\":2,"
            + "\"votedDirectoryId\":\"AAAAAAAAAAEAAAAAAAAAAg\",\"data_version\":1}",
        text);
    org.apache.kafka.raft.generated.QuorumStateData theirs =
        org.apache.kafka.raft.generated.QuorumStateDataJsonConverter.read(
            JACKSON.readTree(text), (short) 1);
    assertEquals(3, theirs.leaderId());
    assertEquals(71, theirs.leaderEpoch());
    assertEquals(new org.apache.kafka.common.Uuid(1, 2), theirs.votedDirectoryId());
    assertEquals(ours, QuorumStateData.fromJson(text, (short) 1));
  }

  @Test
  void whatIsMissingOrOfAWrongTypeIsNamed() {
    for (String text :
        new String[] {
          "[]",
          "{}",
          "{\"leaderId\":\"x\"}",
          "{\"leaderId\":1.5}",
          "{\"leaderId\":99999999999}",
          "{\"leaderId\":null}",
          "{\"leaderId\":[]}"
        }) {
      MalformedMessageException e =
          assertThrows(
              MalformedMessageException.class,
              () -> QuorumStateData.fromJson(text, (short) 1),
              text);
      String name = text.equals("[]") ? "QuorumStateData" : "leaderId";
      assertTrue(e.getMessage().contains(name), e.getMessage());
    }
  }
}
