package dev.vitrine.compat.clients;

import java.util.Optional;

/** A client that the matrix has a column for. Does nothing until a session is opened. */
interface MatrixClient {
  /** As it stands over its column. */
  String name();

  /** Why it can't be tried on this machine, for whoever reads the log. */
  Optional<String> missing();

  /**
   * @param bootstrap for its {@code bootstrap.servers}
   */
  ClientSession open(String bootstrap) throws Exception;

  /** Whether it can give each record headers and a timestamp of its own. */
  default boolean writesHeadersAndTimestamps() {
    return true;
  }
}
