package dev.vitrine.broker.fault;

/** A slow network keeps all that a network promises. */
class SlowNetworkContractTest extends FaultNetworkContractTest {
  SlowNetworkContractTest() {
    network.set(LinkFaults.NONE.withDelay(3));
  }
}
