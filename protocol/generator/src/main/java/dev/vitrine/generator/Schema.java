package dev.vitrine.generator;

import java.util.List;

/**
 * One message as its schema file describes it. A value.
 *
 * @param origin the folder below the root in which the file was: the name of the jar
 * @param apiKey -1 if the schema has none
 * @param listeners on which listeners a request is served: {@code broker}, {@code controller}
 * @param structs the message's own struct first, then all that it is made of
 */
record Schema(
    String origin,
    Kind kind,
    String name,
    int apiKey,
    Versions versions,
    Versions flexible,
    boolean latestVersionUnstable,
    List<String> listeners,
    List<Struct> structs) {
  enum Kind {
    REQUEST,
    RESPONSE,
    HEADER,
    METADATA,
    DATA,
    COORDINATOR_KEY,
    COORDINATOR_VALUE
  }

  Struct root() {
    return structs.get(0);
  }

  Struct struct(String structName) {
    for (Struct s : structs) {
      if (s.name().equals(structName)) {
        return s;
      }
    }
    throw new IllegalArgumentException(structName);
  }

  /** The highest version that is not still being changed; below the lowest if there is none. */
  int highestStable() {
    return latestVersionUnstable ? versions.highest() - 1 : versions.highest();
  }
}
