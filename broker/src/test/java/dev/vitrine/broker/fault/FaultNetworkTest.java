package dev.vitrine.broker.fault;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.vitrine.broker.fault.LinkFaults.Cut;
import dev.vitrine.protocol.Frame;
import dev.vitrine.seam.Connection;
import dev.vitrine.seam.ConnectionListener;
import dev.vitrine.seam.Endpoint;
import dev.vitrine.seam.Network;
import dev.vitrine.sim.SimNetwork;
import dev.vitrine.sim.SimShard;
import dev.vitrine.sim.SimWorld;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Two nodes whose link is cut and healed, and a client of one; on simulated time. */
class FaultNetworkTest {
  private final SimWorld world = new SimWorld(1);
  private final SimNetwork wires = new SimNetwork(world);
  private final FaultNetwork one = new FaultNetwork(wires.host("one"));
  private final FaultNetwork two = new FaultNetwork(wires.host("two"));
  private final Network client = wires.host("client");
  private final SimShard shard = world.newShard("s");
  private final List<End> accepted = new ArrayList<>();
  private final Endpoint atOne = listen(one, "one");
  private final Endpoint atTwo = listen(two, "two");

  /** One end of a connection and what it heard. */
  private static final class End implements ConnectionListener {
    Connection connection;
    final List<String> heard = new ArrayList<>();
    boolean opened;
    int closed;
    Throwable cause;

    @Override
    public void opened(Connection c) {
      opened = true;
    }

    @Override
    public void received(Connection c, ByteBuf frame) {
      heard.add(frame.toString(StandardCharsets.UTF_8));
      frame.release();
    }

    @Override
    public void closed(Connection c, Throwable why) {
      closed++;
      cause = why;
    }
  }

  private Endpoint listen(Network network, String host) {
    Network.Server server =
        network.listen(
            new Endpoint(host, 0),
            List.of(shard),
            1 << 20,
            (connection, on) -> {
              End end = new End();
              end.connection = connection;
              accepted.add(end);
              return end;
            });
    return new Endpoint(host, server.port());
  }

  private End dial(Network from, Endpoint to) {
    End end = new End();
    shard.execute(() -> end.connection = from.connect(to, shard, end));
    world.runFor(100);
    return end;
  }

  private void send(End end, String text) {
    byte[] body = text.getBytes(StandardCharsets.UTF_8);
    ByteBuf b = Unpooled.buffer().writeInt(body.length).writeBytes(body);
    shard.execute(() -> end.connection.send(new Frame(List.of(b), 4 + body.length)));
  }

  private void cut(boolean oneHears, boolean twoHears) {
    one.set(LinkFaults.NONE.withCuts(Map.of(2, new Cut(!twoHears, !oneHears, List.of(atTwo)))));
    two.set(LinkFaults.NONE.withCuts(Map.of(1, new Cut(!oneHears, !twoHears, List.of(atOne)))));
    world.runFor(100);
  }

  private void heal() {
    one.set(LinkFaults.NONE);
    two.set(LinkFaults.NONE);
    world.runFor(1_000);
  }

  @Test
  void aCutLinkIsSilentBothWaysAndOnBothSidesConnections() {
    End a = dial(one, atTwo);
    End b = dial(two, atOne);
    End c = dial(client, atTwo);
    cut(false, false);
    for (End end : List.of(a, b, c, accepted.get(0), accepted.get(1), accepted.get(2))) {
      send(end, "1");
      send(end, "2");
    }
    End late = dial(one, atTwo);
    world.runFor(5_000);
    for (End end : List.of(a, b, accepted.get(0), accepted.get(1))) {
      assertEquals(List.of(), end.heard);
      assertEquals(0, end.closed);
    }
    assertEquals(List.of("1", "2"), c.heard);
    assertEquals(List.of("1", "2"), accepted.get(2).heard);
    assertFalse(late.opened);
    assertEquals(0, late.closed);
    heal();
    for (End end : List.of(a, b, accepted.get(0), accepted.get(1))) {
      assertEquals(List.of("1", "2"), end.heard);
    }
    assertTrue(late.opened);
    send(late, "3");
    world.runFor(100);
    assertEquals(List.of("3"), accepted.get(3).heard);
  }

  @Test
  void oneWayTheOtherIsHeard() {
    End a = dial(one, atTwo);
    End b = dial(two, atOne);
    cut(false, true);
    for (End end : List.of(a, b, accepted.get(0), accepted.get(1))) {
      send(end, "x");
    }
    world.runFor(1_000);
    assertEquals(List.of("x"), accepted.get(0).heard, "from one on its own connection");
    assertEquals(List.of("x"), b.heard, "from one on the connection of two");
    assertEquals(List.of(), a.heard);
    assertEquals(List.of(), accepted.get(1).heard);
    heal();
    assertEquals(List.of("x"), a.heard);
    assertEquals(List.of("x"), accepted.get(1).heard);
  }

  @Test
  void whoClosesMeanwhileIsNotHeardToClose() {
    End a = dial(one, atTwo);
    End b = dial(two, atOne);
    cut(false, false);
    send(a, "last words");
    shard.execute(() -> a.connection.close());
    shard.execute(() -> accepted.get(1).connection.close());
    world.runFor(20_000);
    assertEquals(1, a.closed, "the one who closes is not kept waiting");
    assertEquals(0, accepted.get(0).closed);
    assertEquals(0, b.closed);
    heal();
    assertEquals(List.of("last words"), accepted.get(0).heard);
    assertEquals(1, accepted.get(0).closed);
    assertEquals(1, b.closed);
    assertEquals(1, a.closed);
  }

  @Test
  void aDialInVainIsNoRefusal() {
    cut(false, false);
    End a = dial(one, atTwo);
    world.runFor(9_000);
    assertEquals(0, a.closed);
    world.runFor(2_000);
    assertEquals(1, a.closed);
    assertInstanceOf(SocketTimeoutException.class, a.cause);
    End b = dial(one, atTwo);
    shard.execute(() -> b.connection.close());
    world.runFor(100);
    assertEquals(1, b.closed);
    heal();
    assertEquals(0, accepted.size());
    assertFalse(a.opened || b.opened);
  }

  @Test
  void aSlowNodeIsLateForAllAndKeepsTheOrder() {
    End c = dial(client, atTwo);
    End a = dial(one, atTwo);
    two.set(LinkFaults.NONE.withDelay(2_000));
    send(c, "1");
    send(c, "2");
    send(a, "1");
    world.runFor(1_500);
    assertEquals(List.of(), accepted.get(0).heard);
    assertEquals(List.of(), accepted.get(1).heard);
    send(accepted.get(0), "early");
    world.runFor(1_000);
    assertEquals(List.of("1", "2"), accepted.get(0).heard);
    assertEquals(List.of("1"), accepted.get(1).heard);
    assertEquals(List.of(), c.heard);
    two.set(LinkFaults.NONE);
    send(accepted.get(0), "late");
    world.runFor(500);
    assertEquals(List.of("early", "late"), c.heard);
  }

  @Test
  void whatIsHeldHoldsTheSenderBack() {
    End a = dial(one, atTwo);
    cut(false, false);
    byte[] big = new byte[1 << 20];
    for (int i = 0; i < 2; i++) {
      ByteBuf b = Unpooled.buffer().writeInt(big.length).writeBytes(big);
      shard.execute(() -> a.connection.send(new Frame(List.of(b), 4 + big.length)));
    }
    world.runFor(100);
    assertTrue(a.connection.pendingBytes() > Connection.HIGH_MARK);
    heal();
    assertEquals(0, a.connection.pendingBytes());
    assertEquals(2, accepted.get(0).heard.size());
  }
}
