package dev.vitrine.compat.clients;

import java.util.List;

/** One client of one cluster, which is told what to do. Used by one thread. */
interface ClientSession extends AutoCloseable {
  /**
   * Does one command and waits for it. The commands are in {@code HACKING.md}, under "The client
   * matrix"; what a client does not know it answers with {@link Answer#notOffered}.
   *
   * @throws Exception if the client itself has failed or has not answered in time: it is of no
   *     further use then
   */
  Answer call(List<String> command) throws Exception;

  /** Ends the client, whatever it does. */
  @Override
  void close();
}
