package dev.vitrine.storage;

import dev.vitrine.seam.Disk;
import dev.vitrine.seam.DiskFile;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * {@code .txnindex}: the aborted transactions that ended in a segment, 34 bytes each (version 0,
 * producer id, first, last, last stable offset). The file is made with its first entry. Belongs to
 * its log's owner.
 */
final class TransactionIndex {
  private static final int ENTRY_SIZE = 34;

  private final Disk disk;
  private Path path;
  private boolean exists;
  private boolean unsynced;

  TransactionIndex(Disk disk, Path path, boolean exists) {
    this.disk = disk;
    this.path = path;
    this.exists = exists;
  }

  Path path() {
    return path;
  }

  boolean exists() {
    return exists;
  }

  /** Whether the file has changed since this was asked last. */
  boolean takeUnsynced() {
    boolean was = unsynced;
    unsynced = false;
    return was;
  }

  void renamed(Path path) {
    this.path = path;
  }

  void append(AbortedTransaction t) {
    DiskFile file = disk.open(path);
    try {
      ByteBuf b = Unpooled.buffer(ENTRY_SIZE);
      b.writeShort(0).writeLong(t.producerId()).writeLong(t.firstOffset());
      b.writeLong(t.lastOffset()).writeLong(t.lastStableOffset());
      file.append(b);
    } finally {
      file.release();
    }
    exists = true;
    unsynced = true;
  }

  /** All entries in the order of their ends. */
  List<AbortedTransaction> all() {
    List<AbortedTransaction> out = new ArrayList<>();
    if (!exists) {
      return out;
    }
    DiskFile file = disk.openForRead(path);
    try {
      ByteBuf b = Unpooled.buffer((int) file.size());
      file.read(0, (int) file.size(), b);
      while (b.readableBytes() >= ENTRY_SIZE) {
        b.skipBytes(2);
        out.add(new AbortedTransaction(b.readLong(), b.readLong(), b.readLong(), b.readLong()));
      }
    } finally {
      file.release();
    }
    return out;
  }

  /** Drops what ended at this offset or later. */
  void truncateTo(long offset) {
    if (!exists) {
      return;
    }
    int keep = 0;
    for (AbortedTransaction t : all()) {
      if (t.lastOffset() >= offset) {
        break;
      }
      keep++;
    }
    DiskFile file = disk.open(path);
    try {
      file.truncate((long) keep * ENTRY_SIZE);
    } finally {
      file.release();
    }
    unsynced = true;
  }

  /** Why the file cannot be right; null if it can. */
  String fault(long segmentBase) {
    if (!exists) {
      return null;
    }
    if (disk.size(path) % ENTRY_SIZE != 0) {
      return "its size is not a multiple of " + ENTRY_SIZE;
    }
    for (AbortedTransaction t : all()) {
      if (t.lastOffset() < segmentBase || t.firstOffset() > t.lastOffset()) {
        return "it has the entry " + t;
      }
    }
    return null;
  }
}
