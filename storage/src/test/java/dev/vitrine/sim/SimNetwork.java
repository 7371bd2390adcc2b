package dev.vitrine.sim;

import dev.vitrine.seam.Connection;
import dev.vitrine.seam.ConnectionListener;
import dev.vitrine.seam.Endpoint;
import dev.vitrine.seam.Network;
import dev.vitrine.seam.Shard;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.net.ConnectException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * The wires between the nodes of a {@link SimWorld}. A node is known by the host name under which
 * it takes its view ({@link #host}). Bytes arrive late, in order within a connection and in any
 * order across connections; a link that is cut, in one direction or both, is silent and delivers
 * what it held when it is mended, as TCP does; one that loses bytes makes each connection deaf that
 * lost some, until it breaks; a connection may break and lose what was under way.
 */
public final class SimNetwork {
  private static final long DIAL_AGAIN_MICROS = 1_000_000;

  private final SimWorld world;
  private final Map<Endpoint, Listening> listening = new LinkedHashMap<>();
  private final Set<SimConnection> connections = new LinkedHashSet<>();
  private final Set<String> cuts = new TreeSet<>();
  private final Set<String> losing = new TreeSet<>();
  private int minMicros = 50;
  private int maxMicros = 1_000;
  private int slowPerMille;
  private int slowMicros;
  private int nextPort = 20_000;
  private int nextConnection;

  public SimNetwork(SimWorld world) {
    this.world = world;
  }

  /** The network as this host sees it. */
  public Network host(String host) {
    return new View(host);
  }

  /** How long a frame takes, in microseconds. */
  public void latency(int min, int max) {
    minMicros = min;
    maxMicros = max;
  }

  /** So many of a thousand frames take up to {@code micros} longer. */
  public void slow(int perMille, int micros) {
    slowPerMille = perMille;
    slowMicros = micros;
  }

  /** Nothing gets from one host to the other until {@link #mend}; nobody is told. */
  public void cut(String from, String to) {
    cuts.add(link(from, to));
  }

  /** What arrives from one host at the other is lost until {@link #mend}. */
  public void lose(String from, String to) {
    losing.add(link(from, to));
  }

  public void mend(String from, String to) {
    losing.remove(link(from, to));
    if (cuts.remove(link(from, to))) {
      new ArrayList<>(connections).forEach(SimConnection::linkMended);
    }
  }

  public void mendAll() {
    cuts.clear();
    losing.clear();
    new ArrayList<>(connections).forEach(SimConnection::linkMended);
  }

  /** Breaks a connection by chance; what was under way is lost. */
  public void breakOne() {
    if (!connections.isEmpty()) {
      int n = world.random().nextInt(connections.size());
      new ArrayList<>(connections).get(n).reset();
    }
  }

  /** The process of this host is gone: its peers are told, and dials are refused. */
  public void kill(String host) {
    listening.keySet().removeIf(e -> e.host().equals(host));
    for (SimConnection c : new ArrayList<>(connections)) {
      if (c.localHost().equals(host)) {
        c.die();
      }
    }
  }

  /** Connection ends that are open. */
  public int openEnds() {
    return connections.size();
  }

  boolean isCut(String from, String to) {
    return cuts.contains(link(from, to));
  }

  boolean loses(String from, String to) {
    return losing.contains(link(from, to));
  }

  private static String link(String from, String to) {
    return from + ">" + to;
  }

  long delayMicros() {
    long d = minMicros + world.random().nextInt(Math.max(1, maxMicros - minMicros));
    if (slowPerMille > 0 && world.random().nextInt(1000) < slowPerMille) {
      d += world.random().nextInt(slowMicros);
    }
    return d;
  }

  SimWorld world() {
    return world;
  }

  void opened(SimConnection end) {
    connections.add(end);
  }

  void ended(SimConnection end) {
    connections.remove(end);
  }

  private record Listening(
      Endpoint at,
      List<? extends Shard> shards,
      Network.Acceptor acceptor,
      int[] accepted,
      ArrayDeque<AtTheDoor> door) {
    /** One after the other: who comes next is told of when the one before is decided on. */
    void tell() {
      while (!door.isEmpty() && !door.peek().told) {
        door.peek().told = true;
        acceptor.arrived(door.peek());
      }
    }
  }

  private static final class AtTheDoor implements Network.Arrival {
    private final Listening server;
    private final SimConnection end;
    private boolean told;

    AtTheDoor(Listening server, SimConnection end) {
      this.server = server;
      this.end = end;
    }

    SimShard first() {
      return (SimShard) server.shards.get(0);
    }

    @Override
    public String address() {
      return end.remoteAddress().substring(1);
    }

    @Override
    public void accept(Runnable ended) {
      if (ended != null) {
        end.onEnd(() -> first().execute(ended));
      }
      SimShard shard = end.shard();
      shard.world().add(shard, 0, () -> end.listener(server.acceptor.accepted(end, shard)));
      decided();
    }

    @Override
    public void closeAfter(long delayMs) {
      first().schedule(delayMs, end::close);
      decided();
    }

    private void decided() {
      server.door.remove(this);
      server.tell();
    }
  }

  private final class View implements Network {
    private final String host;

    View(String host) {
      this.host = host;
    }

    /** Counts nothing and keeps nothing back: a killed node can't release what it holds. */
    @Override
    public ByteBufAllocator allocator() {
      return UnpooledByteBufAllocator.DEFAULT;
    }

    @Override
    public String resolve(String name) {
      return name.contains("unknown") ? null : name;
    }

    @Override
    public Connection connect(Endpoint to, Shard shard, ConnectionListener listener) {
      int number = nextConnection++;
      SimConnection near =
          new SimConnection(
              SimNetwork.this, (SimShard) shard, new Endpoint(host, 50_000 + number), to, number);
      near.listener(listener);
      world.at(delayMicros(), () -> arrive(near, to, number));
      return near;
    }

    private void arrive(SimConnection near, Endpoint to, int number) {
      if (near.isClosed() || !near.shard().isAlive()) {
        return;
      }
      if (isCut(host, to.host())
          || isCut(to.host(), host)
          || loses(host, to.host())
          || loses(to.host(), host)) {
        world.at(DIAL_AGAIN_MICROS, () -> arrive(near, to, number));
        return;
      }
      Listening server = listening.get(to);
      if (server == null) {
        near.fail(new ConnectException("Connection refused: " + to));
        return;
      }
      int turn = server.accepted[0]++ % server.shards.size();
      SimShard shard = (SimShard) server.shards.get(turn);
      SimConnection far =
          new SimConnection(SimNetwork.this, shard, to, near.localEndpoint(), number);
      near.joined(far);
      far.joined(near);
      opened(near);
      opened(far);
      AtTheDoor arrival = new AtTheDoor(server, far);
      server.door.add(arrival);
      arrival.first().run(server::tell);
      world.add(near.shard(), delayMicros(), near::tellOpened);
    }

    @Override
    public Server listen(
        Endpoint at, List<? extends Shard> shards, int maxFrameBytes, Acceptor acceptor) {
      Endpoint real = new Endpoint(at.host(), at.port() == 0 ? nextPort++ : at.port());
      if (listening.containsKey(real)) {
        IOException cause = new BindException("Address already in use");
        throw new UncheckedIOException("Cannot listen at " + real + ": address in use", cause);
      }
      Listening l = new Listening(real, shards, acceptor, new int[1], new ArrayDeque<>());
      listening.put(real, l);
      return new Server() {
        @Override
        public int port() {
          return real.port();
        }

        @Override
        public void close() {
          listening.remove(real, l);
        }
      };
    }
  }
}
