package dev.vitrine.broker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.vitrine.config.KafkaConfig;
import dev.vitrine.config.NodeSettings;
import dev.vitrine.protocol.Uuid;
import dev.vitrine.seam.DiskFile;
import dev.vitrine.sim.SimDisk;
import dev.vitrine.storage.LogDirectory;
import dev.vitrine.storage.MetaProperties;
import io.netty.buffer.Unpooled;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Which directories a node starts on, and when it does not start. */
class LogDirsTest {
  private static final Path A = Path.of("/a");
  private static final Path B = Path.of("/b");

  private final SimDisk disk = new SimDisk();
  private final NodeSettings node =
      KafkaConfig.parse(
              Map.of(
                  "process.roles", "broker",
                  "node.id", "1",
                  "controller.quorum.voters", "2@127.0.0.1:9093",
                  "listeners", "PLAINTEXT://127.0.0.1:9092",
                  "controller.listener.names", "CONTROLLER",
                  "log.dirs", "/a,/b"))
          .node();

  @BeforeEach
  void format() {
    disk.createDirectories(A);
    disk.createDirectories(B);
    new MetaProperties("c", 1, new Uuid(1, 1_000)).write(disk, A);
    new MetaProperties("c", 1, new Uuid(1, 2_000)).write(disk, B);
  }

  private LogDirs.Opened open() {
    return new LogDirs(disk, node, () -> new Uuid(1, 3_000)).open();
  }

  private void spoil(Path dir) {
    Path file = dir.resolve(MetaProperties.FILE);
    disk.delete(file);
    DiskFile f = disk.open(file);
    f.append(Unpooled.wrappedBuffer("version=7\n".getBytes()));
    f.release();
  }

  @Test
  void allThatWork() {
    LogDirs.Opened opened = open();
    assertEquals(2, opened.online().size());
    assertEquals(Set.of(), opened.offline());
  }

  @Test
  void oneThatCannotBeReadIsOffline() {
    spoil(B);
    LogDirs.Opened opened = open();
    assertEquals(1, opened.online().size());
    assertEquals(A, opened.online().get(0).path());
    assertEquals(Set.of(B), opened.offline());
  }

  @Test
  void thatOfTheMetadataMustWork() {
    spoil(A);
    String why = assertThrows(IllegalStateException.class, this::open).getMessage();
    assertTrue(why.contains("/a"), why);
  }

  @Test
  void oneThatWasNeverFormattedIsRefused() {
    disk.delete(B.resolve(MetaProperties.FILE));
    String why = assertThrows(IllegalStateException.class, this::open).getMessage();
    assertTrue(why.contains("No readable meta.properties file in /b: format it first"), why);
  }

  @Test
  void anotherNodesOrClustersIsRefused() {
    new MetaProperties("c", 7, new Uuid(1, 2_000)).write(disk, B);
    assertThrows(IllegalStateException.class, this::open);
    new MetaProperties("d", 1, new Uuid(1, 2_000)).write(disk, B);
    assertThrows(IllegalStateException.class, this::open);
  }

  @Test
  void oneThatHasNoIdGetsOne() {
    new MetaProperties("c", 1, null).write(disk, B);
    assertEquals(new Uuid(1, 3_000), open().online().get(1).meta().directoryId());
  }

  @Test
  void whoseCheckpointCannotBeWrittenHasFailed() {
    LogDirectory b = open().online().get(1);
    Throwable[] heard = new Throwable[1];
    b.onFailure(why -> heard[0] = why);
    disk.failSyncs(p -> p.startsWith(B));
    assertThrows(RuntimeException.class, () -> b.checkpointHighWatermarks(List.of()));
    assertNotNull(b.failure());
    assertNotNull(heard[0]);
  }
}
