package dev.vitrine.broker.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import dev.vitrine.seam.Connection;
import dev.vitrine.seam.ConnectionListener;
import dev.vitrine.seam.Endpoint;
import dev.vitrine.seam.Network;
import dev.vitrine.seam.NetworkContract;
import dev.vitrine.seam.Shard;
import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.SocketTimeoutException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

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

  /** A full queue of connections that nobody accepts: further ones get no answer at all. */
  @Test
  void toSilenceIsNotToBeRefused() throws IOException {
    NettyNetwork impatient = new NettyNetwork(1, 200);
    List<Throwable> heard = new CopyOnWriteArrayList<>();
    try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      Endpoint at = new Endpoint("127.0.0.1", silent.getLocalPort());
      for (int i = 0; i < 64 && heard.isEmpty(); i++) {
        List<Object> ended = new CopyOnWriteArrayList<>();
        impatient.connect(at, loops.shards.get(0), new Dial(ended, heard));
        Loops.await("a dial", () -> !ended.isEmpty());
      }
      assertEquals(1, heard.size());
      assertInstanceOf(SocketTimeoutException.class, heard.get(0));
      assertFalse(heard.get(0) instanceof ConnectException);
    }
  }

  /** Notes how it ended; leaves the connection open. */
  private record Dial(List<Object> ended, List<Throwable> heard) implements ConnectionListener {
    @Override
    public void opened(Connection connection) {
      ended.add("opened");
    }

    @Override
    public void received(Connection connection, ByteBuf frame) {
      frame.release();
    }

    @Override
    public void closed(Connection connection, Throwable cause) {
      if (ended.isEmpty()) {
        heard.add(cause);
      }
      ended.add("closed");
    }
  }

  @Override
  protected void await(String what, BooleanSupplier condition) {
    Loops.await(what, condition);
  }
}
