package dev.vitrine.protocol.json;

import dev.vitrine.protocol.MalformedMessageException;

/**
 * Reads JSON by the letter of RFC 8259: no comments, no trailing commas, no names without quotes.
 * Allocates no more than a small multiple of the text; nesting is bounded. One instance a text.
 */
final class JsonParser {
  static final int MAX_DEPTH = 100;

  private final String text;
  private int at;
  private int depth;

  JsonParser(String text) {
    this.text = text;
  }

  JsonValue parseAll() {
    JsonValue v = parseValue();
    skipSpace();
    if (at < text.length()) {
      throw error("something follows the value");
    }
    return v;
  }

  private MalformedMessageException error(String problem) {
    return new MalformedMessageException("not JSON: " + problem + " at character " + at);
  }

  private void skipSpace() {
    while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) {
      at++;
    }
  }

  private char peek() {
    if (at >= text.length()) {
      throw error("the end");
    }
    return text.charAt(at);
  }

  private boolean take(char c) {
    skipSpace();
    if (at < text.length() && text.charAt(at) == c) {
      at++;
      return true;
    }
    return false;
  }

  private void expect(char c) {
    if (!take(c)) {
      throw error("no '" + c + "'");
    }
  }

  private JsonValue parseValue() {
    skipSpace();
    switch (peek()) {
      case '{':
        return parseObject();
      case '[':
        return parseArray();
      case '"':
        return new JsonString(parseString());
      case 't':
        return word("true", new JsonBoolean(true));
      case 'f':
        return word("false", new JsonBoolean(false));
      case 'n':
        return word("null", JsonNull.NULL);
      default:
        return parseNumber();
    }
  }

  private JsonValue word(String word, JsonValue v) {
    if (!text.startsWith(word, at)) {
      throw error("an unknown word");
    }
    at += word.length();
    return v;
  }

  private void descend() {
    if (++depth > MAX_DEPTH) {
      throw error("nested too deep");
    }
    at++;
  }

  private JsonObject parseObject() {
    descend();
    JsonObject object = new JsonObject();
    if (!take('}')) {
      do {
        skipSpace();
        if (peek() != '"') {
          throw error("no name");
        }
        String name = parseString();
        if (object.has(name)) {
          throw error("a name that is there twice");
        }
        expect(':');
        object.put(name, parseValue());
      } while (take(','));
      expect('}');
    }
    depth--;
    return object;
  }

  private JsonArray parseArray() {
    descend();
    JsonArray array = new JsonArray();
    if (!take(']')) {
      do {
        array.add(parseValue());
      } while (take(','));
      expect(']');
    }
    depth--;
    return array;
  }

  private String parseString() {
    at++;
    StringBuilder s = new StringBuilder();
    while (true) {
      char c = peek();
      at++;
      if (c == '"') {
        return s.toString();
      }
      if (c < ' ') {
        throw error("a control character in a string");
      }
      s.append(c == '\\' ? parseEscape() : c);
    }
  }

  private char parseEscape() {
    char c = peek();
    at++;
    switch (c) {
      case '"':
      case '\\':
      case '/':
        return c;
      case 'n':
        return '\n';
      case 'r':
        return '\r';
      case 't':
        return '\t';
      case 'b':
        return '\b';
      case 'f':
        return '\f';
      case 'u':
        int v = 0;
        for (int i = 0; i < 4; i++) {
          char hex = peek();
          int digit = hex < 128 ? Character.digit(hex, 16) : -1;
          if (digit < 0) {
            throw error("no hexadecimal digit");
          }
          v = v << 4 | digit;
          at++;
        }
        return (char) v;
      default:
        throw error("an unknown escape");
    }
  }

  private JsonNumber parseNumber() {
    int start = at;
    if (peek() == '-') {
      at++;
    }
    if (peek() == '0') {
      at++;
    } else {
      digits();
    }
    if (at < text.length() && text.charAt(at) == '.') {
      at++;
      digits();
    }
    if (at < text.length() && (text.charAt(at) == 'e' || text.charAt(at) == 'E')) {
      at++;
      if (at < text.length() && (text.charAt(at) == '+' || text.charAt(at) == '-')) {
        at++;
      }
      digits();
    }
    return new JsonNumber(text.substring(start, at));
  }

  private void digits() {
    int start = at;
    while (at < text.length() && text.charAt(at) >= '0' && text.charAt(at) <= '9') {
      at++;
    }
    if (at == start) {
      throw error("no value");
    }
  }
}
