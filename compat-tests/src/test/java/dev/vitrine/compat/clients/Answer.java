package dev.vitrine.compat.clients;

import java.util.List;

/**
 * What a client answers to a command.
 *
 * @param text why it was refused; empty otherwise
 * @param lines what was found; empty unless it was done
 */
record Answer(Kind kind, String text, List<String> lines) {
  enum Kind {
    /** It did what it was told. */
    DONE,
    /** The broker, or the client for its sake, said no. */
    REFUSED,
    /** This client has no such thing. */
    NOT_OFFERED
  }

  static Answer done(List<String> lines) {
    return new Answer(Kind.DONE, "", List.copyOf(lines));
  }

  static Answer refused(String why) {
    return new Answer(Kind.REFUSED, why, List.of());
  }

  static Answer notOffered() {
    return new Answer(Kind.NOT_OFFERED, "", List.of());
  }

  /** Of a refusal: the name of the error, which stands before the first colon. */
  String error() {
    return text.split(":", 2)[0];
  }
}
