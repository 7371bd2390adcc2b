package dev.vitrine.broker.net;

import dev.vitrine.seam.Endpoint;
import dev.vitrine.seam.Network;
import dev.vitrine.seam.NetworkContract;
import dev.vitrine.seam.Shard;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;

class NettyNetworkContractTest extends NetworkContract {
  private final Loops loops = new Loops(2);

  @AfterEach
  void close() {
    loops.close();
  }

  @Override
  protected Network network() {
    return loops.network;
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
