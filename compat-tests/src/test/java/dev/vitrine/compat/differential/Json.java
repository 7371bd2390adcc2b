package dev.vitrine.compat.differential;

import com.fasterxml.jackson.core.json.JsonReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.NullNode;
import java.io.IOException;

/** JSON that is pleasant to write: comments, names and texts without double quotes. No state. */
final class Json {
  static final JsonNode NULL = NullNode.getInstance();

  static final JsonMapper READER =
      JsonMapper.builder()
          .enable(JsonReadFeature.ALLOW_JAVA_COMMENTS)
          .enable(JsonReadFeature.ALLOW_UNQUOTED_FIELD_NAMES)
          .enable(JsonReadFeature.ALLOW_SINGLE_QUOTES)
          .enable(JsonReadFeature.ALLOW_TRAILING_COMMA)
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .build();

  private Json() {}

  static JsonNode parse(String text) {
    try {
      return READER.readTree(text);
    } catch (IOException e) {
      throw new IllegalArgumentException("not JSON: " + text + ": " + e.getMessage(), e);
    }
  }
}
