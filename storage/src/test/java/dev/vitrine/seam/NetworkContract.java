package dev.vitrine.seam;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.vitrine.protocol.Frame;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;

/** What every {@link Network} must keep, whether it is real or simulated. */
public abstract class NetworkContract {
  protected static final int MAX_FRAME = 1 << 20;

  protected abstract Network network();

  /** Two shards that live as long as the test. */
  protected abstract List<? extends Shard> shards();

  /** Where a server of this test may listen; port 0 for any. */
  protected abstract Endpoint listenAt();

  /** Lets time pass until the condition holds, and fails when it does not. */
  protected abstract void await(String what, BooleanSupplier condition);

  /** Everything that a connection's listener heard. */
  protected static class Heard implements ConnectionListener {
    public final List<String> frames = new CopyOnWriteArrayList<>();
    public volatile Connection connection;
    public volatile boolean opened;
    public volatile int closed;
    public volatile int drained;
    public volatile boolean ended;
    public volatile Throwable cause;
    public volatile Shard on;
    private final Shard expected;

    protected Heard(Shard expected) {
      this.expected = expected;
    }

    @Override
    public void opened(Connection c) {
      check();
      connection = c;
      opened = true;
    }

    @Override
    public void received(Connection c, ByteBuf frame) {
      check();
      frames.add(
          frame.readableBytes() > 100
              ? "(" + frame.readableBytes() + ")"
              : frame.toString(StandardCharsets.UTF_8));
      frame.release();
    }

    @Override
    public void drained(Connection c) {
      check();
      drained++;
    }

    @Override
    public void closed(Connection c, Throwable why) {
      check();
      cause = why;
      closed++;
    }

    private void check() {
      assertTrue(expected.isCurrent(), "called on another thread");
    }
  }

  protected static Frame frame(String text) {
    return frame(text.getBytes(StandardCharsets.UTF_8));
  }

  protected static Frame frame(byte[] body) {
    ByteBuf b = Unpooled.buffer(4 + body.length).writeInt(body.length).writeBytes(body);
    return new Frame(List.of(b), 4 + body.length);
  }

  protected final List<Heard> accepted = new CopyOnWriteArrayList<>();

  protected Network.Server listen() {
    return network()
        .listen(
            listenAt(),
            shards(),
            MAX_FRAME,
            (connection, shard) -> {
              Heard h = new Heard(shard);
              h.connection = connection;
              h.on = shard;
              accepted.add(h);
              return h;
            });
  }

  protected Heard dial(int port) {
    Heard h = new Heard(shards().get(0));
    on(
        () ->
            h.connection =
                network().connect(new Endpoint(listenAt().host(), port), shards().get(0), h));
    return h;
  }

  /** Runs it on the first shard and waits for the end. */
  protected void on(Runnable task) {
    on(shards().get(0), task);
  }

  protected void on(Shard shard, Runnable task) {
    boolean[] done = {false};
    Throwable[] failure = {null};
    Object lock = new Object();
    shard.execute(
        () -> {
          try {
            task.run();
          } catch (Throwable e) {
            failure[0] = e;
          }
          synchronized (lock) {
            done[0] = true;
          }
        });
    await(
        "a task",
        () -> {
          synchronized (lock) {
            return done[0];
          }
        });
    if (failure[0] != null) {
      throw new AssertionError(failure[0]);
    }
  }

  protected Heard[] pair(Network.Server server) {
    int before = accepted.size();
    Heard client = dial(server.port());
    await("opened", () -> client.opened && accepted.size() > before);
    return new Heard[] {client, accepted.get(before)};
  }

  @Test
  void framesArriveWholeAndInOrderBothWays() {
    Network.Server server = listen();
    Heard[] ends = pair(server);
    List<String> expected = new ArrayList<>();
    on(
        () -> {
          for (int i = 0; i < 1000; i++) {
            ends[0].connection.send(frame("request " + i));
            expected.add("request " + i);
          }
        });
    await("requests", () -> ends[1].frames.size() == 1000);
    assertEquals(expected, ends[1].frames);
    on(
        ends[1].on,
        () -> {
          ends[1].connection.send(frame(""));
          ends[1].connection.send(frame(new byte[MAX_FRAME]));
          ends[1].connection.send(frame("last"));
        });
    await("answers", () -> ends[0].frames.size() == 3);
    assertEquals(List.of("", "(" + MAX_FRAME + ")", "last"), ends[0].frames);
    server.close();
  }

  @Test
  void whoArrivesWaitsForADecisionAndWithItAllBehindIt() {
    List<Network.Arrival> arrivals = new CopyOnWriteArrayList<>();
    List<String> ended = new CopyOnWriteArrayList<>();
    Network.Server server =
        network()
            .listen(
                listenAt(),
                shards(),
                MAX_FRAME,
                new Network.Acceptor() {
                  @Override
                  public void arrived(Network.Arrival arrival) {
                    assertTrue(shards().get(0).isCurrent());
                    arrivals.add(arrival);
                  }

                  @Override
                  public ConnectionListener accepted(Connection connection, Shard shard) {
                    Heard h = new Heard(shard);
                    h.connection = connection;
                    h.on = shard;
                    accepted.add(h);
                    return h;
                  }
                });
    List<Heard> clients = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      Heard client = dial(server.port());
      clients.add(client);
      await("opened", () -> client.opened);
      on(() -> client.connection.send(frame("early")));
    }
    await("the first is told of", () -> !arrivals.isEmpty());
    assertEquals(listenAt().host(), arrivals.get(0).address());
    assertEquals(1, arrivals.size());
    on(() -> arrivals.get(0).accept(() -> ended.add("first")));
    await("it is let in, and the next is told of", () -> arrivals.size() == 2);
    await(
        "what it said is heard", () -> accepted.size() == 1 && accepted.get(0).frames.size() == 1);
    on(() -> arrivals.get(1).closeAfter(20));
    await("the third is told of though the second is not closed yet", () -> arrivals.size() == 3);
    await("the second is closed", () -> clients.stream().anyMatch(c -> c.closed == 1));
    on(() -> arrivals.get(2).closeAfter(0));
    await("the third is closed", () -> clients.stream().filter(c -> c.closed == 1).count() == 2);
    assertEquals(List.of(), ended);
    on(accepted.get(0).on, () -> accepted.get(0).connection.close());
    await("the end of the first is told", () -> ended.equals(List.of("first")));
    assertEquals(1, accepted.size());
    server.close();
  }

  @Test
  void connectionsKnowTheirPeers() {
    Network.Server server = listen();
    Heard[] a = pair(server);
    Heard[] b = pair(server);
    assertEquals("/" + listenAt().host(), a[1].connection.remoteAddress());
    assertTrue(a[1].connection.id().startsWith(listenAt().host() + ":" + server.port() + "-"));
    assertFalse(a[1].connection.id().equals(b[1].connection.id()));
    server.close();
  }

  @Test
  void connectionsAreDealtOutInTurn() {
    Network.Server server = listen();
    Shard first = pair(server)[1].on;
    Shard second = pair(server)[1].on;
    Shard third = pair(server)[1].on;
    assertNotSame(first, second);
    assertSame(first, third);
    server.close();
  }

  @Test
  void aRefusedDialIsToldAsClosed() {
    Network.Server server = listen();
    int port = server.port();
    server.close();
    Heard client = dial(port);
    await("refused", () -> client.closed == 1);
    assertFalse(client.opened);
    assertTrue(client.cause instanceof java.net.ConnectException, "cause: " + client.cause);
  }

  @Test
  void aDialThatIsTakenBackIsToldAsClosed() {
    Network.Server server = listen();
    Heard client = new Heard(shards().get(0));
    on(
        () -> {
          Connection c =
              network()
                  .connect(new Endpoint(listenAt().host(), server.port()), shards().get(0), client);
          c.close();
          assertEquals(0, client.closed);
        });
    await("closed", () -> client.closed == 1);
    assertFalse(client.opened);
    assertNull(client.cause);
    server.close();
  }

  @Test
  void whatWasSentBeforeTheCloseArrives() {
    Network.Server server = listen();
    Heard[] ends = pair(server);
    on(
        () -> {
          ends[0].connection.send(frame(new byte[MAX_FRAME]));
          ends[0].connection.send(frame("bye"));
          ends[0].connection.close();
          ends[0].connection.close();
        });
    await("both closed", () -> ends[0].closed == 1 && ends[1].closed == 1);
    assertEquals(List.of("(" + MAX_FRAME + ")", "bye"), ends[1].frames);
    assertNull(ends[0].cause);
    assertNull(ends[1].cause);
    server.close();
  }

  /** As a server does that still has to answer what was asked before. */
  @Test
  void whoReadsOnAfterTheEndOfTheInputCanStillCloseLater() {
    Heard[] stays = {null};
    Network.Server server =
        network()
            .listen(
                listenAt(),
                shards(),
                MAX_FRAME,
                (connection, shard) -> {
                  stays[0] =
                      new Heard(shard) {
                        @Override
                        public void inputClosed(Connection c) {
                          ended = true;
                        }
                      };
                  stays[0].connection = connection;
                  stays[0].on = shard;
                  return stays[0];
                });
    Heard client = dial(server.port());
    await("accepted", () -> stays[0] != null && client.opened);
    on(stays[0].on, () -> stays[0].connection.pauseReading());
    on(
        () -> {
          client.connection.send(frame(new byte[MAX_FRAME]));
          client.connection.send(frame("bye"));
          client.connection.close();
        });
    on(stays[0].on, () -> stays[0].connection.resumeReading());
    await("the end of the input", () -> stays[0].ended);
    assertEquals(2, stays[0].frames.size());
    on(
        stays[0].on,
        () -> {
          stays[0].connection.pauseReading();
          stays[0].connection.resumeReading();
        });
    on(stays[0].on, () -> stays[0].connection.close());
    await("both closed", () -> client.closed == 1 && stays[0].closed == 1);
    assertNull(stays[0].cause);
    server.close();
  }

  @Test
  void aFrameForAClosedConnectionIsReleased() {
    Network.Server server = listen();
    Heard[] ends = pair(server);
    Frame late = frame("late");
    on(
        () -> {
          ends[0].connection.close();
          ends[0].connection.send(late);
        });
    assertEquals(0, ((ByteBuf) late.parts().get(0)).refCnt());
    await("closed", () -> ends[0].closed == 1 && ends[1].closed == 1);
    assertEquals(List.of(), ends[1].frames);
    server.close();
  }

  @Test
  void aPausedConnectionHearsNothingAndLosesNothing() {
    Network.Server server = listen();
    Heard[] ends = pair(server);
    on(ends[1].on, () -> ends[1].connection.pauseReading());
    on(
        () -> {
          for (int i = 0; i < 10; i++) {
            ends[0].connection.send(frame("f" + i));
          }
        });
    // What another connection sends later arrives: so time has passed.
    Heard[] others = pair(server);
    on(() -> others[0].connection.send(frame("later")));
    await("later", () -> others[1].frames.size() == 1);
    assertEquals(List.of(), ends[1].frames);
    on(ends[1].on, () -> ends[1].connection.resumeReading());
    await("all", () -> ends[1].frames.size() == 10);
    assertEquals("f0", ends[1].frames.get(0));
    assertEquals("f9", ends[1].frames.get(9));
    server.close();
  }

  @Test
  void aSlowReaderIsSeenInPendingBytesAndDrains() {
    Network.Server server = listen();
    Heard[] ends = pair(server);
    on(ends[1].on, () -> ends[1].connection.pauseReading());
    int[] sent = {0};
    while (ends[0].connection != null && sent[0] < 64 && !isAboveHighMark(ends[0])) {
      on(
          () -> {
            for (int i = 0; i < 8; i++) {
              ends[0].connection.send(frame(new byte[MAX_FRAME]));
              sent[0]++;
            }
          });
    }
    assertTrue(isAboveHighMark(ends[0]), "the peer did not hold it back");
    assertEquals(0, ends[0].drained);
    on(ends[1].on, () -> ends[1].connection.resumeReading());
    await("all", () -> ends[1].frames.size() == sent[0]);
    await("drained", () -> ends[0].drained > 0);
    on(() -> assertEquals(0, ends[0].connection.pendingBytes()));
    server.close();
  }

  private boolean isAboveHighMark(Heard end) {
    boolean[] above = {false};
    on(() -> above[0] = end.connection.pendingBytes() > Connection.HIGH_MARK);
    return above[0];
  }

  @Test
  void anAddressInUseIsNamed() {
    Network.Server server = listen();
    Endpoint taken = new Endpoint(listenAt().host(), server.port());
    UncheckedIOException e =
        assertThrows(
            UncheckedIOException.class,
            () -> network().listen(taken, shards(), MAX_FRAME, (c, s) -> new Heard(s)));
    assertTrue(e.getMessage().contains(taken.toString()), e.getMessage());
    assertNotNull(e.getCause());
    server.close();
  }
}
