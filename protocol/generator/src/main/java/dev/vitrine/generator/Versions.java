package dev.vitrine.generator;

/**
 * A range of versions, both ends inclusive; empty if {@code highest < lowest}. A value. Written in
 * schemas as {@code 3}, {@code 3-5}, {@code 3+} or {@code none}.
 */
record Versions(int lowest, int highest) {
  static final Versions NONE = new Versions(0, -1);
  static final Versions ALL = new Versions(0, Short.MAX_VALUE);

  /**
   * @throws IllegalArgumentException if the text is none of the four forms
   */
  static Versions parse(String text) {
    String t = text.trim();
    if (t.equals("none")) {
      return NONE;
    }
    try {
      if (t.endsWith("+")) {
        return checked(number(t.substring(0, t.length() - 1)), Short.MAX_VALUE, text);
      }
      int dash = t.indexOf('-');
      if (dash < 0) {
        return checked(number(t), number(t), text);
      }
      return checked(number(t.substring(0, dash)), number(t.substring(dash + 1)), text);
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException("not a range of versions: '" + text + "'");
    }
  }

  private static int number(String digits) {
    for (int i = 0; i < digits.length(); i++) {
      if (digits.charAt(i) < '0' || digits.charAt(i) > '9') {
        throw new NumberFormatException(digits);
      }
    }
    return Integer.parseInt(digits);
  }

  private static Versions checked(int lowest, int highest, String text) {
    if (highest < lowest || highest > Short.MAX_VALUE) {
      throw new IllegalArgumentException("not a range of versions: '" + text + "'");
    }
    return new Versions(lowest, highest);
  }

  boolean isEmpty() {
    return highest < lowest;
  }

  boolean contains(int version) {
    return version >= lowest && version <= highest;
  }

  boolean containsAll(Versions o) {
    return o.isEmpty() || (lowest <= o.lowest && highest >= o.highest);
  }

  Versions intersect(Versions o) {
    Versions v = new Versions(Math.max(lowest, o.lowest), Math.min(highest, o.highest));
    return v.isEmpty() ? NONE : v;
  }

  /** The smallest range that holds both. */
  Versions hull(Versions o) {
    if (isEmpty()) {
      return o;
    }
    return o.isEmpty()
        ? this
        : new Versions(Math.min(lowest, o.lowest), Math.max(highest, o.highest));
  }

  /**
   * The Java condition on {@code version} that says "in this range", given that it is known to be
   * in {@code known}; {@code "true"} or {@code "false"} where nothing is left to ask.
   */
  String conditionWithin(Versions known) {
    Versions v = intersect(known);
    if (v.isEmpty()) {
      return "false";
    }
    if (v.equals(known)) {
      return "true";
    }
    if (v.lowest == v.highest) {
      return "version == " + v.lowest;
    }
    if (v.highest == known.highest) {
      return "version >= " + v.lowest;
    }
    if (v.lowest == known.lowest) {
      return "version <= " + v.highest;
    }
    return "version >= " + v.lowest + " && version <= " + v.highest;
  }

  @Override
  public String toString() {
    if (isEmpty()) {
      return "none";
    }
    if (highest == Short.MAX_VALUE) {
      return lowest + "+";
    }
    return lowest == highest ? "" + lowest : lowest + "-" + highest;
  }
}
