package dev.vitrine.storage.powercut;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.vitrine.seam.DiskFile;
import dev.vitrine.storage.TestBatches;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PowerCutTest {
  @TempDir Path temp;
  private Path root;
  private LedgerFolder folder;
  private PowerCutDisk disk;

  @BeforeEach
  void open() throws IOException {
    root = Files.createDirectory(temp.resolve("data"));
    folder = new LedgerFolder(temp.resolve("synced"), Steps.ALL, 1 << 10);
    disk = PowerCutDisk.open(folder, List.of(root));
  }

  private void append(Path path, byte[] bytes, boolean sync) {
    DiskFile file = disk.open(path);
    file.append(Unpooled.wrappedBuffer(bytes));
    if (sync) {
      file.sync();
    }
    file.release();
  }

  private static byte[] random(int seed, int size) {
    byte[] bytes = new byte[size];
    new SplittableRandom(seed).nextBytes(bytes);
    return bytes;
  }

  /** A file with durable content and a tail that is not. */
  private Path withTail() {
    Path file = root.resolve("f");
    append(file, random(1, 10_000), true);
    disk.syncDirectory(root);
    append(file, random(2, 50_000), false);
    return file;
  }

  @Test
  void aTornTailIsAPartOfWhatWasWrittenAndTheSameForTheSameSeed() throws Exception {
    byte[] durable = random(1, 10_000);
    byte[] tail = random(2, 50_000);
    int spoiled = 0;
    long sizes = 0;
    for (int seed = 0; seed < 40; seed++) {
      Path file = withTail();
      PowerCut.run(folder, true, seed);
      byte[] first = Files.readAllBytes(file);
      assertArrayEquals(durable, Arrays.copyOf(first, 10_000), "seed " + seed);
      assertTrue(first.length <= 60_000);
      sizes += first.length - 10_000;
      int differ = 0;
      for (int i = 10_000; i < first.length; i++) {
        differ += first[i] == tail[i - 10_000] ? 0 : 1;
      }
      assertTrue(differ <= 4096, "seed " + seed + ": " + differ + " bytes differ");
      spoiled += differ > 0 ? 1 : 0;
      disk = PowerCutDisk.open(folder, List.of(root));
      disk.delete(file);
      disk.syncDirectory(root);

      withTail();
      PowerCut.run(folder, true, seed);
      assertArrayEquals(first, Files.readAllBytes(file), "seed " + seed);
      disk = PowerCutDisk.open(folder, List.of(root));
      disk.delete(file);
      disk.syncDirectory(root);
    }
    assertTrue(spoiled > 0 && spoiled < 40, "spoiled: " + spoiled);
    assertTrue(sizes > 40 * 5_000, "kept: " + sizes);
  }

  @Test
  void withoutALedgerNothingIsGuessed() throws Exception {
    Path file = withTail();
    String ledger = Files.readString(folder.ledger());
    assertRefused("ledger is missing", file, () -> Files.delete(folder.ledger()));
    assertRefused("is damaged: it is empty", file, () -> Files.writeString(folder.ledger(), ""));
    assertRefused(
        "is damaged in line 2",
        file,
        () -> Files.writeString(folder.ledger(), ledger.replace(" r 1 ", " r 2 ")));
    assertRefused(
        "f is shorter than 10000 bytes".replace("10000", "99999"),
        file,
        () -> {
          String line = ledger.lines().filter(l -> l.contains(" s ")).findFirst().orElseThrow();
          String body = line.substring(9).replace(" 10000 ", " 99999 ");
          Files.writeString(folder.ledger(), ledger + LedgerText.line(body));
        });
    Files.writeString(folder.ledger(), ledger + "0badc0de s 2 9 9");
    PowerCut.run(folder, false, 0);
    assertEquals(10_000, Files.size(file), "a line that was never whole says nothing");
  }

  private interface Damage {
    void run() throws IOException;
  }

  private void assertRefused(String why, Path file, Damage damage) throws IOException {
    damage.run();
    LedgerException e = assertThrows(LedgerException.class, () -> PowerCut.run(folder, false, 0));
    assertTrue(e.getMessage().endsWith(why), e.getMessage());
    assertEquals(60_000, Files.size(file));
    assertFalse(Files.exists(folder.marker()));
  }

  @Test
  void aLedgerThatDoesNotFitBeginsAnewAndWithNoneAllIsSynced() throws Exception {
    Path file = withTail();
    Files.writeString(folder.ledger(), "nonsense\n");
    PowerCutDisk.open(folder, List.of(root));
    PowerCut.run(folder, false, 0);
    assertEquals(60_000, Files.size(file), "what a new ledger finds, it has synced");
  }

  @Test
  void aNodeDoesNotStartInTheMidstOfAPowerCut() throws Exception {
    withTail();
    int[] left = {3};
    LedgerFolder mortal =
        new LedgerFolder(
            folder.path(),
            () -> {
              if (left[0]-- == 0) {
                throw new IllegalStateException("killed");
              }
            });
    assertThrows(IllegalStateException.class, () -> PowerCut.run(mortal, false, 0));
    UncheckedIOException e =
        assertThrows(UncheckedIOException.class, () -> PowerCutDisk.open(folder, List.of(root)));
    assertTrue(e.getMessage().contains("interrupted"), e.getMessage());
    PowerCut.run(folder, false, 0);
    PowerCutDisk.open(folder, List.of(root));
  }

  @Test
  void itTellsWhatWasLost() throws Exception {
    Path dir = root.resolve("t-0");
    Path log = dir.resolve("00000000000000000000.log");
    disk.createDirectories(dir);
    append(log, batch(0, "a", "b", "c"), true);
    disk.syncDirectory(dir);
    disk.syncDirectory(root);
    append(log, batch(3, "d", "e"), false);
    append(dir.resolve("00000000000000000005.log"), batch(5, "f"), false);
    Path other = root.resolve("u-7");
    disk.createDirectories(other);
    append(other.resolve("00000000000000000000.log"), batch(0, "g", "h"), true);
    append(root.resolve("checkpoint.tmp"), new byte[3], true);
    disk.rename(root.resolve("checkpoint.tmp"), root.resolve("checkpoint"));
    Losses losses = PowerCut.run(folder, false, 0);
    assertEquals(
        List.of(
            "t-0 lost offsets 3-5 (not synced)",
            "u-7 is gone with offsets up to 1 (its folder was not synced)"),
        losses.lines());
    assertTrue(losses.summary().startsWith("5 records of 2 partitions lost; "), losses.summary());

    disk = PowerCutDisk.open(folder, List.of(root));
    DiskFile file = disk.open(log);
    file.truncate(0);
    file.release();
    append(root.resolve("checkpoint"), new byte[3], true);
    disk.syncDirectory(root);
    append(root.resolve("checkpoint.tmp"), new byte[4], true);
    disk.rename(root.resolve("checkpoint.tmp"), root.resolve("checkpoint"));
    assertEquals(
        List.of(
            "t-0 has offsets 0-2 again (their truncation was not synced)",
            "checkpoint fell back to what was synced"),
        PowerCut.run(folder, false, 0).lines());
    assertEquals("nothing was lost, all was synced", PowerCut.run(folder, false, 0).summary());
  }

  private static byte[] batch(long offset, String... values) {
    var b = TestBatches.batchAt(offset, 0, 0, values);
    byte[] bytes = new byte[b.readableBytes()];
    b.readBytes(bytes);
    return bytes;
  }

  @Test
  void theLedgerStaysSmall() throws Exception {
    Path file = root.resolve("f");
    for (int i = 0; i < 300; i++) {
      append(file, new byte[10], true);
      disk.rename(file, root.resolve("g" + i % 2));
      disk.syncDirectory(root);
      disk.rename(root.resolve("g" + i % 2), file);
    }
    assertTrue(Files.size(folder.ledger()) < 3_000, Files.size(folder.ledger()) + " bytes");
    PowerCut.run(folder, false, 0);
    assertEquals(3_000, Files.size(root.resolve("g1")));
  }

  @Test
  void anInodeThatIsUsedAgainIsAnotherFile() throws Exception {
    Path old = root.resolve("old");
    append(old, new byte[3], true);
    long inode = LedgerFolder.inode(old);
    disk.delete(old);
    Path file = null;
    for (int i = 0; i < 100 && file == null; i++) {
      Path next = root.resolve("new" + i);
      append(next, new byte[5], false);
      file = LedgerFolder.inode(next) == inode ? next : null;
    }
    assumeTrue(file != null, "this file system does not use inodes again");
    disk = PowerCutDisk.open(folder, List.of(root));
    disk.syncDirectory(root);
    PowerCut.run(folder, false, 0);
    assertEquals(0, Files.size(file));
  }

  /** One writes, one syncs, one makes and deletes names, all at once. */
  @Test
  void threadsDoNotGetInEachOthersWay() throws Exception {
    Path dir = root.resolve("d");
    disk.createDirectories(dir);
    disk.syncDirectory(root);
    Path file = dir.resolve("numbers");
    append(file, new byte[0], true);
    disk.syncDirectory(dir);
    AtomicLong synced = new AtomicLong();
    AtomicLong named = new AtomicLong(-1);
    AtomicReference<Throwable> failure = new AtomicReference<>();
    Thread writer =
        new Thread(
            () -> {
              DiskFile out = disk.open(file);
              for (long i = 0; i < 20_000; i++) {
                out.append(Unpooled.copyLong(i));
                if (i % 1_000 == 999) {
                  // Cut off what may just be synced, and write the same again.
                  out.truncate(out.size() - 80);
                  for (long again = i - 9; again <= i; again++) {
                    out.append(Unpooled.copyLong(again));
                  }
                }
              }
              out.release();
            });
    Thread syncer =
        new Thread(
            () -> {
              while (writer.isAlive()) {
                long before = disk.size(file);
                DiskFile in = disk.openForRead(file);
                in.sync();
                in.release();
                // The writer may have had it shorter for a moment.
                synced.set(Math.max(synced.get(), before - 80));
              }
            });
    Thread namer =
        new Thread(
            () -> {
              for (int i = 0; writer.isAlive() && i < 500; i++) {
                append(dir.resolve("n" + i), new byte[] {1}, true);
                if (i > 0) {
                  disk.rename(dir.resolve("n" + i), dir.resolve("m"));
                  disk.delete(dir.resolve("m"));
                  append(dir.resolve("n" + i), new byte[] {2}, true);
                }
                disk.syncDirectory(dir);
                named.set(i);
              }
            });
    List<Thread> all = List.of(writer, syncer, namer);
    all.forEach(t -> t.setUncaughtExceptionHandler((thread, e) -> failure.set(e)));
    all.forEach(Thread::start);
    for (Thread t : all) {
      t.join();
    }
    assertEquals(null, failure.get());
    PowerCut.run(folder, false, 0);
    long size = Files.size(file);
    assertTrue(size >= synced.get(), size + " bytes, synced " + synced);
    ByteBuffer numbers = ByteBuffer.wrap(Files.readAllBytes(file));
    for (long i = 0; numbers.remaining() >= 8; i++) {
      assertEquals(i, numbers.getLong());
    }
    for (long i = 0; i <= named.get(); i++) {
      assertArrayEquals(
          new byte[] {(byte) (i == 0 ? 1 : 2)}, Files.readAllBytes(dir.resolve("n" + i)));
    }
  }

  @Test
  void whatIsNotBelowTheRootsPassesThrough() throws Exception {
    Path outside = temp.resolve("outside");
    append(outside, new byte[] {1}, true);
    disk.rename(outside, temp.resolve("other"));
    disk.syncDirectory(temp);
    Files.write(root.resolve("foreign"), new byte[] {1}, StandardOpenOption.CREATE);
    disk.syncDirectory(root);
    PowerCut.run(folder, false, 0);
    assertTrue(Files.exists(temp.resolve("other")));
    assertFalse(Files.exists(root.resolve("foreign")), "nobody has synced it");
  }
}
