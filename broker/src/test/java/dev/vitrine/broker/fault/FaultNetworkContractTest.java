package dev.vitrine.broker.fault;

import dev.vitrine.broker.net.Loops;
import dev.vitrine.seam.Endpoint;
import dev.vitrine.seam.Network;
import dev.vitrine.seam.NetworkContract;
import dev.vitrine.seam.Shard;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;

/** With no fault it is the network that it stands before. */
class FaultNetworkContractTest extends NetworkContract {
  private final Loops loops = new Loops(2);
  final FaultNetwork network = new FaultNetwork(loops.network);

  @AfterEach
  void close() {
    loops.close();
  }

  @Override
  protected Network network() {
    return network;
  }

  @Override
  protected List<? extends Shard> shards() {
    return loops.shards;
  }

  @Override
  protected Endpoint listenAt() {
    return new Endpoint("127.0.0.1", 0);
  }

  @Override
  protected void await(String what, BooleanSupplier condition) {
    Loops.await(what, condition);
  }
}
