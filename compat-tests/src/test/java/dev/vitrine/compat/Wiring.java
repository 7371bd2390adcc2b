package dev.vitrine.compat;

import java.util.List;

/** Where the nodes of a cluster are, for each other and for clients. */
public interface Wiring extends AutoCloseable {
  /** All on the loopback address of this host. */
  Wiring LOOPBACK =
      new Wiring() {
        @Override
        public String host(int node) {
          return "127.0.0.1";
        }

        @Override
        public List<String> prefix(int node) {
          return List.of();
        }

        @Override
        public void close() {}
      };

  /** The address at which the node listens and is known. */
  String host(int node);

  /** What must precede the command that starts the node. */
  List<String> prefix(int node);

  @Override
  void close();
}
