package dev.vitrine.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.vitrine.seam.Endpoint;
import dev.vitrine.seam.Network;
import dev.vitrine.seam.NetworkContract;
import dev.vitrine.seam.Shard;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;

class SimNetworkTest extends NetworkContract {
  private final SimWorld world = new SimWorld(1);
  private final SimNetwork wires = new SimNetwork(world);
  private final Network network = wires.host("a");
  private final List<SimShard> shards = List.of(world.newShard("a0"), world.newShard("a1"));

  @Override
  protected Network network() {
    return network;
  }

  @Override
  protected List<? extends Shard> shards() {
    return shards;
  }

  @Override
  protected Endpoint listenAt() {
    return new Endpoint("a", 0);
  }

  @Override
  protected void await(String what, BooleanSupplier condition) {
    assertTrue(world.runUntil(condition, 60_000), "never: " + what);
  }

  @Test
  void aCutLinkIsSilentAndDeliversWhenItIsMended() {
    Network.Server server = listen();
    Heard[] ends = pair(server);
    wires.cut("a", "a");
    on(() -> ends[0].connection.send(frame("1")));
    on(() -> ends[0].connection.send(frame("2")));
    Heard third = dial(server.port());
    world.runFor(10_000);
    assertEquals(List.of(), ends[1].frames);
    assertFalse(third.opened);
    wires.mend("a", "a");
    await("frames", () -> ends[1].frames.size() == 2);
    assertEquals(List.of("1", "2"), ends[1].frames);
    await("opened", () -> third.opened);
  }

  @Test
  void aConnectionThatLosesBytesIsDeafUntilItBreaks() {
    Network.Server server = listen();
    Heard[] ends = pair(server);
    wires.lose("a", "a");
    on(() -> ends[0].connection.send(frame("lost")));
    world.runFor(20);
    wires.mend("a", "a");
    on(() -> ends[0].connection.send(frame("never")));
    await("closed", () -> ends[0].closed == 1 && ends[1].closed == 1);
    assertEquals(List.of(), ends[1].frames);
    assertNotNull(ends[0].cause);
    Heard next = dial(server.port());
    await("opened", () -> next.opened);
  }

  @Test
  void aBrokenConnectionIsToldAtBothEnds() {
    Network.Server server = listen();
    Heard[] ends = pair(server);
    wires.breakOne();
    await("closed", () -> ends[0].closed == 1 && ends[1].closed == 1);
    assertNotNull(ends[0].cause);
    assertEquals(0, wires.openEnds());
  }

  @Test
  void theDeathOfAProcessIsToldToItsPeers() {
    SimShard other = world.newShard("b");
    Network.Server server =
        wires.host("b").listen(new Endpoint("b", 9), List.of(other), MAX_FRAME, (c, s) -> null);
    assertEquals(9, server.port());
    Heard client = new Heard2(shards.get(0));
    on(() -> network.connect(new Endpoint("b", 9), shards.get(0), client));
    await("opened", () -> client.opened);
    other.kill();
    wires.kill("b");
    await("closed", () -> client.closed == 1);
    Heard again = new Heard2(shards.get(0));
    on(() -> network.connect(new Endpoint("b", 9), shards.get(0), again));
    await("refused", () -> again.closed == 1);
    assertTrue(again.cause instanceof java.net.ConnectException);
  }

  @Test
  void aPausedShardDoesEverythingLater() {
    int[] ran = {0};
    shards.get(0).schedule(10, () -> ran[0]++);
    shards.get(0).pause(1_000);
    world.runFor(900);
    assertEquals(0, ran[0]);
    world.runFor(200);
    assertEquals(1, ran[0]);
  }

  private static final class Heard2 extends Heard {
    Heard2(Shard expected) {
      super(expected);
    }
  }
}
