package dev.vitrine.generator;

/** Java source in the making: lines, indented by the blocks they stand in. */
final class CodeBuffer {
  private final StringBuilder text = new StringBuilder();
  private int depth;

  CodeBuffer line(String format, Object... args) {
    String s = args.length == 0 ? format : String.format(format, args);
    if (!s.isEmpty()) {
      text.append("  ".repeat(depth)).append(s);
    }
    text.append('\n');
    return this;
  }

  /** A line that opens a block, its brace included. */
  CodeBuffer open(String format, Object... args) {
    line(format, args);
    depth++;
    return this;
  }

  CodeBuffer close() {
    depth--;
    return line("}");
  }

  /** Ends an indentation that needs no brace. */
  void outdent() {
    depth--;
  }

  /** Closes a block and opens the next: {@code } else {}. */
  CodeBuffer next(String format, Object... args) {
    depth--;
    line(format, args);
    depth++;
    return this;
  }

  /**
   * Code for when the condition holds, and code for when it does not; as little of both as the
   * condition, which may be {@code "true"} or {@code "false"}, and empty parts leave over.
   */
  void either(String condition, Runnable then, Runnable otherwise) {
    if (condition.equals("true")) {
      then.run();
      return;
    }
    if (condition.equals("false")) {
      otherwise.run();
      return;
    }
    String yes = capture(then);
    String no = capture(otherwise);
    if (yes.isEmpty() && no.isEmpty()) {
      return;
    }
    open("if (%s) {", yes.isEmpty() ? negate(condition) : condition);
    text.append(yes.isEmpty() ? no : yes);
    if (!yes.isEmpty() && !no.isEmpty()) {
      next("} else {");
      text.append(no);
    }
    close();
  }

  /** The lines of one branch, without adding them. */
  private String capture(Runnable branch) {
    int start = text.length();
    depth++;
    branch.run();
    depth--;
    String lines = text.substring(start);
    text.setLength(start);
    return lines;
  }

  /** The condition that holds when the given one does not. */
  static String negate(String condition) {
    switch (condition) {
      case "true":
        return "false";
      case "false":
        return "true";
      default:
    }
    if (condition.startsWith("!(") || condition.contains("&&") || condition.contains("||")) {
      return "!(" + condition + ")";
    }
    if (condition.contains(">=")) {
      return condition.replace(">=", "<");
    }
    if (condition.contains("<=")) {
      return condition.replace("<=", ">");
    }
    return condition.contains("==") ? condition.replace("==", "!=") : "!(" + condition + ")";
  }

  void when(String condition, Runnable then) {
    either(condition, then, () -> {});
  }

  @Override
  public String toString() {
    return text.toString();
  }
}
