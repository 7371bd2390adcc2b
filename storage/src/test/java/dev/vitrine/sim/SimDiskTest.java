package dev.vitrine.sim;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.vitrine.seam.DiskFile;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class SimDiskTest {
  private static final Path DIR = Path.of("/d/t-0");
  private final SimDisk disk = new SimDisk();

  @Test
  void readsWhatWasWritten() {
    disk.createDirectories(DIR);
    DiskFile f = disk.open(DIR.resolve("a"));
    f.append(bytes("hello "));
    f.append(bytes("world"));
    f.write(0, bytes("J"));
    assertEquals("Jello world", text(f));
    f.truncate(4);
    f.append(bytes("y"));
    assertEquals("Jelly", text(f));
    assertEquals(5, disk.used());
    disk.rename(DIR.resolve("a"), DIR.resolve("b"));
    assertEquals(List.of(DIR.resolve("b")), disk.list(DIR));
    disk.delete(DIR.resolve("b"));
    assertEquals("Jelly", text(f), "an open file outlives its name");
    f.release();
    UncheckedIOException e =
        assertThrows(UncheckedIOException.class, () -> disk.openForRead(DIR.resolve("b")));
    assertTrue(e.getCause() instanceof NoSuchFileException);
  }

  @Test
  void whatWasSyncedSurvivesAndTheRestMayNot() {
    TreeSet<String> outcomes = new TreeSet<>();
    for (int seed = 0; seed < 100; seed++) {
      SimDisk d = new SimDisk();
      d.createDirectories(DIR);
      d.syncDirectory(Path.of("/"));
      d.syncDirectory(Path.of("/d"));
      DiskFile f = d.open(DIR.resolve("a"));
      f.append(bytes("safe"));
      f.sync();
      d.syncDirectory(DIR);
      f.append(bytes("+one"));
      f.append(bytes("+two"));
      d.open(DIR.resolve("b"));
      d.crash(new SplittableRandom(seed));
      assertThrows(UncheckedIOException.class, f::size);
      String s = text(d.openForRead(DIR.resolve("a")));
      assertTrue(s.startsWith("safe"), s);
      outcomes.add(s.length() + (d.exists(DIR.resolve("b")) ? "b" : ""));
    }
    assertTrue(outcomes.containsAll(List.of("4", "12", "12b", "4b", "6")), outcomes.toString());
  }

  @Test
  void namesAreLostUntilTheirDirectoryIsSynced() {
    int lost = 0;
    for (int seed = 0; seed < 20; seed++) {
      SimDisk d = new SimDisk();
      d.createDirectories(DIR);
      d.syncDirectory(DIR);
      d.crash(new SplittableRandom(seed));
      lost += d.exists(DIR) ? 0 : 1;
    }
    assertTrue(lost > 0 && lost < 20, "" + lost);
  }

  @Test
  void afterAFailedSyncALaterOneProvesNothing() {
    disk.createDirectories(DIR);
    Path p = DIR.resolve("a");
    DiskFile f = disk.open(p);
    f.append(bytes("x"));
    disk.failSyncs(p::equals);
    assertThrows(UncheckedIOException.class, f::sync);
    disk.failSyncs(q -> false);
    f.sync();
    assertEquals(0, disk.syncedSize(p));
  }

  @Test
  void isFull() {
    disk.createDirectories(DIR);
    disk.capacity(6);
    DiskFile f = disk.open(DIR.resolve("a"));
    f.append(bytes("four"));
    assertFalse(disk.hasRefused());
    assertThrows(UncheckedIOException.class, () -> f.append(bytes("more")));
    assertTrue(disk.hasRefused());
    assertEquals("fourmo", text(f));
    assertEquals(0, disk.usableSpace(DIR));
    assertEquals(6, disk.totalSpace(DIR));
    f.truncate(4);
    f.append(bytes("ty"));
    assertEquals("fourty", text(f));
    disk.capacity(Long.MAX_VALUE);
    assertTrue(disk.hasRefused(), "repaired, but the process has seen it");
    disk.killProcess();
    assertFalse(disk.hasRefused());
  }

  @Test
  void locksOnce() throws Exception {
    disk.createDirectories(DIR);
    AutoCloseable lock = disk.tryLock(DIR.resolve(".lock"));
    assertNull(disk.tryLock(DIR.resolve(".lock")));
    lock.close();
    disk.tryLock(DIR.resolve(".lock"));
    disk.killProcess();
    disk.tryLock(DIR.resolve(".lock")).close();
  }

  @Test
  void theSameSeedGivesTheSameHistory() {
    assertEquals(history(7), history(7));
    assertFalse(history(7).equals(history(8)));
  }

  private static String history(long seed) {
    SimWorld world = new SimWorld(seed);
    SimShard shard = world.newShard("s");
    StringBuilder log = new StringBuilder();
    for (int i = 0; i < 5; i++) {
      int n = i;
      shard.schedule(
          shard.random().nextInt(3),
          () ->
              shard.offload(
                  () -> n,
                  (r, e) -> {
                    assertTrue(shard.isCurrent());
                    log.append(r).append('@').append(world.now()).append(' ');
                  }));
    }
    world.runFor(100);
    return log.toString();
  }

  @Test
  void nothingOfAKilledShardRuns() {
    SimWorld world = new SimWorld(1);
    SimShard shard = world.newShard("s");
    int[] runs = {0};
    shard.execute(() -> runs[0]++);
    shard.schedule(10, () -> runs[0] += 10);
    assertTrue(world.runUntil(() -> runs[0] == 1, 5));
    shard.kill();
    assertFalse(world.runUntil(() -> runs[0] > 1, 100));
  }

  private static ByteBuf bytes(String s) {
    return Unpooled.copiedBuffer(s, StandardCharsets.UTF_8);
  }

  private static String text(DiskFile f) {
    ByteBuf b = f.map(f.size());
    assertArrayEquals(ByteBufUtil.getBytes(b), ByteBufUtil.getBytes(f.map(f.size())));
    return b.toString(StandardCharsets.UTF_8);
  }
}
