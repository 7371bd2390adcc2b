package dev.vitrine.protocol.json;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.vitrine.protocol.MalformedMessageException;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JsonValueTest {
  private static final ObjectMapper JACKSON =
      new ObjectMapper().enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);

  @ParameterizedTest
  @ValueSource(
      strings = {
        "null",
        "true",
        "[]",
        "{}",
        "[1,-2,0,0.5,1e9,-1.25E-7]",
        "{\"a\":{\"b\":[null,false,\"\"]},\"\":1}",
        "\"\\u0001\\n\\t\\\\\\\"\"",
        "\"\u6f22\ud83d\ude00\""
      })
  void writesWhatItRead(String text) throws Exception {
    assertEquals(text, JsonValue.parse(text).toString());
    assertEquals(JACKSON.readTree(text), JACKSON.readTree(JsonValue.parse(text).toString()));
    assertEquals(JsonValue.parse(text), JsonValue.parse(" \r\n\t" + text + " "));
    assertEquals(JsonValue.parse(text).hashCode(), JsonValue.parse(text).hashCode());
  }

  @Test
  void readsEscapes() {
    assertEquals(
        new JsonString("/\u00e9\b\f\r\ud83d"), JsonValue.parse("\"\\/\\u00E9\\b\\f\\r\\ud83d\""));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        " ",
        "nul",
        "nullx",
        "01",
        "-",
        "+1",
        ".5",
        "1.",
        "1e",
        "0x1",
        "NaN",
        "[",
        "[1",
        "[1,",
        "[1,]",
        "[1 2]",
        "]",
        "{",
        "{a:1}",
        "{\"a\"}",
        "{\"a\":}",
        "{\"a\":1,}",
        "{\"a\":1,\"a\":2}",
        "{1:2}",
        "\"",
        "\"\\",
        "\"\\x\"",
        "\"\\u12\"",
        "\"\\u12G4\"",
        "\"\n\"",
        "1 2",
        "// 1\n1",
        "'a'"
      })
  void refusesWhatIsNotJson(String text) {
    assertThrows(MalformedMessageException.class, () -> JsonValue.parse(text));
  }

  @Test
  void refusesWhatIsNestedTooDeep() {
    String most = "[".repeat(JsonParser.MAX_DEPTH) + "]".repeat(JsonParser.MAX_DEPTH);
    assertEquals(most, JsonValue.parse(most).toString());
    assertThrows(MalformedMessageException.class, () -> JsonValue.parse("[" + most + "]"));
    assertThrows(MalformedMessageException.class, () -> JsonValue.parse("[".repeat(1_000_000)));
    assertThrows(
        MalformedMessageException.class, () -> JsonValue.parse("{\"a\":".repeat(1_000_000)));
  }

  /** Random edits of a document: the same verdict as Jackson's, or a value that it agrees with. */
  @Test
  void agreesWithJacksonOnDamagedText() throws Exception {
    String start = "{\"a\":[1,-2.5e3,\"x\\n\",true],\"b\":{\"c\":null}} ";
    Random random = new Random(7);
    String letters = "{}[]\",:0123456789eE+-.\\ntrufalsex ";
    for (int i = 0; i < 20_000; i++) {
      StringBuilder s = new StringBuilder(start);
      for (int edits = random.nextInt(3); edits >= 0; edits--) {
        int at = random.nextInt(s.length());
        if (random.nextBoolean()) {
          s.setCharAt(at, letters.charAt(random.nextInt(letters.length())));
        } else {
          s.deleteCharAt(at);
        }
      }
      String text = s.toString();
      JsonValue ours;
      try {
        ours = JsonValue.parse(text);
      } catch (MalformedMessageException e) {
        if (!e.getMessage().contains("twice")) {
          assertThrows(Exception.class, () -> JACKSON.readTree(text).size(), text);
        }
        continue;
      }
      assertEquals(JACKSON.readTree(text), JACKSON.readTree(ours.toString()), text);
    }
  }
}
