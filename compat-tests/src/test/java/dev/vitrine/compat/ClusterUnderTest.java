package dev.vitrine.compat;

import java.nio.file.Path;
import java.util.List;

/**
 * A cluster of real processes on this host, each both broker and controller, of whatever kind the
 * tests run against. Nodes are numbered from 1. Used by one thread.
 */
public interface ClusterUnderTest extends AutoCloseable {
  /** For a client's {@code bootstrap.servers}. */
  String bootstrap();

  List<Integer> nodes();

  /** The address it listens at. */
  String host(int id);

  int clientPort(int id);

  /** Of a node that is a controller. */
  int controllerPort(int id);

  /** Whether its process is there. */
  boolean isRunning(int id);

  /** Whether {@link #pause} was the last that was done to its process. */
  boolean isPaused(int id);

  /** SIGKILL, and it is gone when this returns. */
  void kill(int id) throws Exception;

  /** SIGKILL to all that run, as nearly at once as can be. */
  void killAll() throws Exception;

  /** SIGSTOP: it is there, its sockets are open, and it does nothing. */
  void pause(int id) throws Exception;

  /** SIGCONT. */
  void resume(int id) throws Exception;

  /** SIGTERM, and waits. */
  void stop(int id) throws Exception;

  /**
   * SIGTERM to all at once, and waits: the last one alone would have no quorum to sign off from,
   * and Kafka's would wait for one for minutes.
   */
  void stopAll() throws Exception;

  /** Starts a node that is down, on its old data and ports; doesn't wait until it is ready. */
  void start(int id) throws Exception;

  /** Waits until every node that runs is registered and not fenced, as a client sees it. */
  void awaitReady() throws Exception;

  /** Of a node of Vitrine: its {@code vitrine.node.dir}, if {@code vitrine.faults} is set. */
  Path nodeDir(int id);

  /** The node's {@code log.dirs}. */
  Path logDir(int id);

  /** All that the node's processes have printed so far. */
  String output(int id) throws Exception;

  /** Ends all nodes, however they are, and deletes their data; what they printed stays. */
  @Override
  void close();
}
