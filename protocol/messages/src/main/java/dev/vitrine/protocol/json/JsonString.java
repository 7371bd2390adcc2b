package dev.vitrine.protocol.json;

/** A string. */
public record JsonString(String value) implements JsonValue {
  @Override
  public String toString() {
    StringBuilder out = new StringBuilder(value.length() + 2);
    quote(value, out);
    return out.toString();
  }

  static void quote(String s, StringBuilder out) {
    out.append('"');
    for (int i = 0; i < s.length(); i++) {
      char c = s.charAt(i);
      switch (c) {
        case '"':
          out.append("\\\"");
          break;
        case '\\':
          out.append("\\\\");
          break;
        case '\n':
          out.append("\\n");
          break;
        case '\r':
          out.append("\\r");
          break;
        case '\t':
          out.append("\\t");
          break;
        case '\b':
          out.append("\\b");
          break;
        case '\f':
          out.append("\\f");
          break;
        default:
          if (c < ' ') {
            out.append(String.format("\\u%04X", (int) c));
          } else {
            out.append(c);
          }
      }
    }
    out.append('"');
  }
}
