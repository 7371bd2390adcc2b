package dev.vitrine.storage;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.vitrine.seam.DiskFile;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.CompositeByteBuf;
import io.netty.buffer.Unpooled;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class NioDiskTest {
  private final NioDisk disk = new NioDisk();
  @TempDir Path dir;

  private static ByteBuf bytes(String s) {
    return Unpooled.copiedBuffer(s, StandardCharsets.UTF_8);
  }

  private static String text(DiskFile f) {
    return f.map(f.size()).toString(StandardCharsets.UTF_8);
  }

  @Test
  void readsWhatWasWritten() {
    Path a = dir.resolve("a");
    DiskFile f = disk.open(a);
    f.append(bytes("hello "));
    CompositeByteBuf parts = ByteBufAllocator.DEFAULT.compositeBuffer();
    parts.addComponents(true, bytes("wo"), bytes("r"), bytes("ld"));
    f.append(parts);
    parts.release();
    f.write(0, bytes("J"));
    assertEquals("Jello world", text(f));
    assertEquals(11, f.size());
    ByteBuf direct = ByteBufAllocator.DEFAULT.directBuffer();
    assertEquals(5, f.read(6, 100, direct));
    assertEquals("world", direct.toString(StandardCharsets.UTF_8));
    assertEquals(0, f.read(11, 5, direct));
    direct.release();
    f.truncate(4);
    f.append(bytes("y"));
    f.sync();
    assertEquals("Jelly", text(f));
    f.release();
    assertEquals(5, disk.size(a));
  }

  @Test
  void aFileStaysReadableForItsHolders() {
    Path a = dir.resolve("a");
    DiskFile f = disk.open(a);
    f.append(bytes("abc"));
    f.retain();
    f.release();
    disk.rename(a, dir.resolve("b"));
    f.renamed(dir.resolve("b"));
    disk.delete(dir.resolve("b"));
    assertEquals("abc", text(f));
    f.release();
    assertThrows(UncheckedIOException.class, () -> text(f));
    assertThrows(IllegalStateException.class, f::retain);
    assertThrows(IllegalStateException.class, f::release);
  }

  @Test
  void keepsDirectories() {
    Path sub = dir.resolve("x/y");
    disk.createDirectories(sub);
    disk.createDirectories(sub);
    assertTrue(disk.isDirectory(sub));
    disk.open(sub.resolve("b")).release();
    disk.open(sub.resolve("a")).release();
    disk.syncDirectory(sub);
    assertEquals(List.of(sub.resolve("a"), sub.resolve("b")), disk.list(sub));
    assertThrows(UncheckedIOException.class, () -> disk.delete(sub));
    disk.delete(sub.resolve("a"));
    disk.delete(sub.resolve("a"));
    disk.delete(sub.resolve("b"));
    disk.delete(sub);
    assertFalse(disk.exists(sub));
    UncheckedIOException e =
        assertThrows(UncheckedIOException.class, () -> disk.openForRead(sub.resolve("z")));
    assertTrue(e.getCause() instanceof NoSuchFileException);
    assertTrue(disk.usableSpace(dir) > 0);
    assertTrue(disk.totalSpace(dir) >= disk.usableSpace(dir));
  }

  @Test
  void locksOnce() throws Exception {
    AutoCloseable lock = disk.tryLock(dir.resolve(".lock"));
    assertNotNull(lock);
    assertNull(disk.tryLock(dir.resolve(".lock")));
    lock.close();
    disk.tryLock(dir.resolve(".lock")).close();
  }
}
