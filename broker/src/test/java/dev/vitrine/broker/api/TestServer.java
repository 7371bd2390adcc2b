package dev.vitrine.broker.api;

import dev.vitrine.broker.net.Logged;
import dev.vitrine.broker.net.Loops;
import dev.vitrine.protocol.ApiMessage;
import dev.vitrine.protocol.message.ApiKeys;
import dev.vitrine.protocol.message.MetadataResponse;
import dev.vitrine.seam.Endpoint;
import dev.vitrine.seam.Network;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Assertions;

/** A listener with a few handlers on a real network; no buffer may be left when it closes. */
final class TestServer implements AutoCloseable {
  static final String CLUSTER_ID = "AAAAAAAAQACAAAAAAAAAAQ";
  static final FeatureSource FEATURES =
      new FeatureSource() {
        @Override
        public List<Feature> supported() {
          return List.of(
              new Feature("metadata.version", (short) 7, (short) 33),
              new Feature("kraft.version", (short) 0, (short) 1));
        }

        @Override
        public Finalized finalized() {
          return new Finalized(
              List.of(new Feature("metadata.version", (short) 33, (short) 33)), 1008);
        }
      };

  final Loops loops = new Loops(1);
  final Logged log = new Logged();
  final ApiTable table;
  Network.Server server;

  /** A request that is not answered yet. */
  record Held(RequestContext context, ApiMessage request, Responder responder) {}

  final List<Held> held = new CopyOnWriteArrayList<>();

  TestServer(ListenerType type) {
    this(type, (api, handler) -> handler);
  }

  TestServer(ListenerType type, ApiTable.Wrapper around) {
    table = new ApiTable(type, around);
    table.add(ApiKeys.API_VERSIONS, new ApiVersionsHandler(table, FEATURES, CLUSTER_ID, 1));
  }

  /** Answers Metadata at once. */
  TestServer withMetadata() {
    table.add(ApiKeys.METADATA, (context, request, responder) -> responder.respond(metadata()));
    return this;
  }

  static MetadataResponse metadata() {
    return new MetadataResponse().clusterId(CLUSTER_ID).controllerId(1);
  }

  /** Leaves the answer to the test. */
  TestServer withHeld(ApiKeys api) {
    table.add(
        api, (context, request, responder) -> held.add(new Held(context, request, responder)));
    return this;
  }

  TestServer listen() {
    return listen(600_000);
  }

  TestServer listen(long maxIdleMs) {
    server =
        loops.network.listen(
            new Endpoint("127.0.0.1", 0),
            loops.shards,
            104857600,
            new ApiListener("PLAINTEXT", table, loops.network.allocator(), maxIdleMs));
    return this;
  }

  RawClient client() {
    return new RawClient(server.port());
  }

  Held awaitHeld(int n) {
    Loops.await(n + " requests, so far " + held.size(), () -> held.size() >= n);
    return held.get(n - 1);
  }

  @Override
  public void close() {
    server.close();
    loops.close();
    log.close();
    Assertions.assertEquals(0, loops.buffersInUse(), "a buffer was not released");
  }
}
