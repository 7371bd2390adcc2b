package dev.vitrine.broker.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.vitrine.protocol.Frame;
import dev.vitrine.seam.Connection;
import dev.vitrine.seam.ConnectionListener;
import dev.vitrine.seam.Endpoint;
import dev.vitrine.seam.Network;
import io.netty.buffer.ByteBuf;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.net.SocketException;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The bytes themselves, as a plain socket sends and sees them. */
class NettyFramingTest {
  private static final int MAX_FRAME = 104857600; // socket.request.max.bytes

  private final Loops loops = new Loops(1);
  private final Logged log = new Logged();
  private final AtomicInteger closed = new AtomicInteger();
  private Network.Server server;

  /** Sends every frame back as it is, and checks that it is in one piece. */
  private final class Echo implements ConnectionListener {
    @Override
    public void received(Connection c, ByteBuf frame) {
      assertEquals(1, frame.nioBufferCount());
      ByteBuf length = loops.network.allocator().directBuffer(4).writeInt(frame.readableBytes());
      c.send(new Frame(List.of(length, frame), 4 + frame.readableBytes()));
    }

    @Override
    public void closed(Connection c, Throwable cause) {
      closed.incrementAndGet();
    }
  }

  @BeforeEach
  void listen() {
    server =
        loops.network.listen(
            new Endpoint("127.0.0.1", 0), loops.shards, MAX_FRAME, (c, s) -> new Echo());
  }

  @AfterEach
  void close() {
    server.close();
    loops.close();
    log.close();
    assertEquals(0, loops.buffersInUse(), "a buffer was not released");
  }

  private Socket connect() throws IOException {
    Socket s = new Socket("127.0.0.1", server.port());
    s.setTcpNoDelay(true);
    s.setSoTimeout(30_000);
    return s;
  }

  private static byte[] framed(byte[] body) {
    byte[] all = Arrays.copyOf(new byte[] {}, 4 + body.length);
    all[0] = (byte) (body.length >>> 24);
    all[1] = (byte) (body.length >>> 16);
    all[2] = (byte) (body.length >>> 8);
    all[3] = (byte) body.length;
    System.arraycopy(body, 0, all, 4, body.length);
    return all;
  }

  private static byte[] random(int size) {
    byte[] b = new byte[size];
    new Random(size).nextBytes(b);
    return b;
  }

  private static void assertEcho(Socket s, byte[] body) throws IOException {
    DataInputStream in = new DataInputStream(s.getInputStream());
    assertEquals(body.length, in.readInt());
    byte[] got = new byte[body.length];
    in.readFully(got);
    assertTrue(Arrays.equals(body, got), "other bytes came back");
  }

  private static boolean isClosedByPeer(Socket s) throws IOException {
    try {
      return s.getInputStream().read() < 0;
    } catch (SocketException e) {
      return true;
    }
  }

  @Test
  void aFrameOfFiftyMegabytes() throws IOException {
    byte[] body = random(50 * 1024 * 1024);
    try (Socket s = connect()) {
      s.getOutputStream().write(framed(body));
      assertEcho(s, body);
    }
  }

  @Test
  void aByteAtATime() throws IOException {
    try (Socket s = connect()) {
      byte[] body = random(300);
      for (byte b : framed(body)) {
        s.getOutputStream().write(b);
      }
      assertEcho(s, body);
    }
  }

  @Test
  void framesOfAllSizesInOneStream() throws Exception {
    int[] sizes = {0, 1, 2043, 2044, 2045, 5, 70_000, 3, 1 << 20, 7, 65_536, 65_532, 0, 200_000};
    try (Socket s = connect()) {
      Thread writer =
          new Thread(
              () -> {
                try {
                  OutputStream out = s.getOutputStream();
                  for (int round = 0; round < 5; round++) {
                    for (int size : sizes) {
                      out.write(framed(random(size)));
                    }
                  }
                } catch (IOException e) {
                  // The reader will tell.
                }
              });
      writer.start();
      for (int round = 0; round < 5; round++) {
        for (int size : sizes) {
          assertEcho(s, random(size));
        }
      }
      writer.join();
    }
  }

  @Test
  void aNegativeLengthCloses() throws IOException {
    assertRefused(-5, "Invalid receive (size = -5)");
  }

  @Test
  void aLengthAboveTheLimitCloses() throws IOException {
    // "GET ", as a browser says it.
    assertRefused(0x47455420, "Invalid receive (size = 1195725856 larger than 104857600)");
  }

  /**
   * Apache Kafka: WARN "Unexpected error from /127.0.0.1
   * (channelId=127.0.0.1:9092-127.0.0.1:53412-0-3); closing connection" with
   * InvalidReceiveException and its text.
   */
  private void assertRefused(int length, String text) throws IOException {
    try (Socket good = connect();
        Socket bad = connect()) {
      bad.getOutputStream().write(framed(new byte[] {1, 2, 3}));
      assertEcho(bad, new byte[] {1, 2, 3});
      byte[] lie = framed(new byte[100]);
      lie[0] = (byte) (length >>> 24);
      lie[1] = (byte) (length >>> 16);
      lie[2] = (byte) (length >>> 8);
      lie[3] = (byte) length;
      bad.getOutputStream().write(lie);
      assertTrue(isClosedByPeer(bad));
      Loops.await("closed", () -> closed.get() == 1);
      String id = "127.0.0.1:" + server.port() + "-127.0.0.1:" + bad.getLocalPort() + "-1";
      assertEquals(
          List.of(
              "WARN Unexpected error from /127.0.0.1 (channelId="
                  + id
                  + "); closing connection: "
                  + text),
          log.lines());
      good.getOutputStream().write(framed(new byte[] {4}));
      assertEcho(good, new byte[] {4});
    }
  }

  @Test
  void aLongLengthAloneCostsNothing() throws IOException {
    Socket[] sockets = new Socket[50];
    for (int i = 0; i < sockets.length; i++) {
      sockets[i] = connect();
      byte[] begin = Arrays.copyOf(framed(new byte[0]), 10);
      begin[0] = 6; // 100663296 bytes
      sockets[i].getOutputStream().write(begin);
    }
    try (Socket s = connect()) {
      s.getOutputStream().write(framed(new byte[] {9}));
      assertEcho(s, new byte[] {9});
    }
    assertTrue(loops.bytesHeld() <= 16 << 20, "held: " + loops.bytesHeld());
    for (Socket s : sockets) {
      s.close();
    }
    Loops.await("closed", () -> closed.get() == sockets.length + 1);
  }

  @Test
  void aPeerThatEndsItsOutputStillGetsWhatWasSent() throws IOException {
    try (Socket s = connect()) {
      byte[] body = random(3_000_000);
      s.getOutputStream().write(framed(body));
      s.shutdownOutput();
      assertEcho(s, body);
      assertTrue(isClosedByPeer(s));
    }
    Loops.await("closed", () -> closed.get() == 1);
    assertEquals(List.of(), log.lines());
  }

  @Test
  void connectionsComeAndGo() throws IOException {
    for (int i = 0; i < 300; i++) {
      Socket s = connect();
      byte[] bytes = framed(random(i * 100));
      int cut = i % 3 == 0 ? bytes.length : bytes.length / 2;
      s.getOutputStream().write(bytes, 0, cut);
      if (i % 2 == 0) {
        s.setSoLinger(true, 0); // a reset
      }
      s.close();
    }
    Loops.await("closed", () -> closed.get() == 300);
    assertEquals(List.of(), log.lines());
  }
}
