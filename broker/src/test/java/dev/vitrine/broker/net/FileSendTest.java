package dev.vitrine.broker.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.vitrine.protocol.Frame;
import dev.vitrine.protocol.record.Records;
import dev.vitrine.seam.Connection;
import dev.vitrine.seam.ConnectionListener;
import dev.vitrine.seam.DiskFile;
import dev.vitrine.seam.Endpoint;
import dev.vitrine.seam.Network;
import dev.vitrine.storage.FileRecords;
import dev.vitrine.storage.NioDisk;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.Socket;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Regions of files among buffers, and who closes the file. */
class FileSendTest {
  private static final int SIZE = 9_000_000;

  @TempDir Path folder;
  private final Loops loops = new Loops(1);
  private final Logged log = new Logged();
  private final CompletableFuture<Connection> accepted = new CompletableFuture<>();
  private final CompletableFuture<String> closed = new CompletableFuture<>();
  private final byte[] bytes = new byte[SIZE];
  private Network.Server server;
  private DiskFile file;
  private Socket client;

  @BeforeEach
  void start() throws IOException {
    new Random(7).nextBytes(bytes);
    file = new NioDisk().open(folder.resolve("f"));
    file.append(Unpooled.wrappedBuffer(bytes));
    server =
        loops.network.listen(
            new Endpoint("127.0.0.1", 0),
            loops.shards,
            1000,
            (connection, shard) -> {
              accepted.complete(connection);
              return new ConnectionListener() {
                @Override
                public void received(Connection c, ByteBuf frame) {
                  frame.release();
                }

                @Override
                public void closed(Connection c, Throwable cause) {
                  closed.complete("" + cause);
                }
              };
            });
    client = new Socket("127.0.0.1", server.port());
    client.setSoTimeout(30_000);
  }

  @AfterEach
  void close() throws IOException {
    client.close();
    server.close();
    loops.close();
    log.close();
    assertEquals(0, loops.buffersInUse(), "a buffer was not released");
    assertTrue(file.channel().isOpen(), "somebody has released our own reference");
    file.release();
    assertFalse(file.channel().isOpen(), "somebody still holds the file");
  }

  private Records region(int position, int size) {
    return new FileRecords(file.retain(), position, size);
  }

  private static ByteBuf buffer(int... content) {
    ByteBuf b = Unpooled.buffer();
    for (int c : content) {
      b.writeByte(c);
    }
    return b;
  }

  private void send(Object... parts) {
    Connection c = accepted.join();
    Loops.on(loops.shards.get(0), () -> c.send(new Frame(List.of(parts), 0)));
  }

  @Test
  void regionsArriveAmongBuffers() throws IOException {
    send(buffer(1, 2), region(1000, 5_000_000), buffer(3), region(0, 10), region(SIZE - 1, 1));
    byte[] got = new byte[2 + 5_000_000 + 1 + 10 + 1];
    new DataInputStream(client.getInputStream()).readFully(got);
    assertEquals(1, got[0]);
    assertEquals(2, got[1]);
    assertTrue(Arrays.equals(bytes, 1000, 5_001_000, got, 2, 5_000_002));
    assertEquals(3, got[5_000_002]);
    assertTrue(Arrays.equals(bytes, 0, 10, got, 5_000_003, 5_000_013));
    assertEquals(bytes[SIZE - 1], got[5_000_013]);
  }

  @Test
  void regionsCountAsPendingBytesAndAreGivenUpWithTheConnection() throws IOException {
    Connection c = accepted.join();
    for (int i = 0; i < 5; i++) {
      send(buffer(1), region(0, SIZE));
    }
    Loops.on(loops.shards.get(0), () -> assertTrue(c.pendingBytes() > SIZE, "" + c.pendingBytes()));
    client.setSoLinger(true, 0);
    client.close();
    closed.join();
    send(buffer(2), region(0, 5));
  }

  @Test
  void aFileThatIsCutUnderAReaderClosesTheConnection() throws IOException {
    send(buffer(1), region(0, SIZE), buffer(2));
    file.truncate(1000);
    byte[] got = client.getInputStream().readAllBytes();
    assertTrue(got.length < SIZE);
    closed.join();
  }

  @Test
  void recordsOfNoFileAreCopied() throws IOException {
    Records copied =
        new Records() {
          @Override
          public int sizeInBytes() {
            return 3;
          }

          @Override
          public void writeTo(ByteBuf out) {
            out.writeBytes(new byte[] {7, 8, 9});
          }

          @Override
          public void release() {}
        };
    Records broken =
        new Records() {
          @Override
          public int sizeInBytes() {
            return 3;
          }

          @Override
          public void writeTo(ByteBuf out) {
            throw new java.io.UncheckedIOException(new IOException("cut"));
          }

          @Override
          public void release() {}
        };
    send(buffer(1), copied);
    byte[] got = new byte[4];
    new DataInputStream(client.getInputStream()).readFully(got);
    assertEquals("[1, 7, 8, 9]", Arrays.toString(got));
    send(buffer(1), broken, region(0, 100), buffer(2));
    assertEquals(-1, client.getInputStream().read());
    assertEquals(1, log.lines().size());
  }
}
