package dev.vitrine.sim;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.random.RandomGenerator;

/**
 * The bytes of one file of a {@link SimDisk}: as they are now, as they were at the last sync, and
 * the changes since.
 */
final class SimContent {
  private static final int PAGE = 4096;

  private byte[] now = new byte[0];
  private int size;
  private byte[] durable = new byte[0];
  private int durableSize;
  private final List<Change> changes = new ArrayList<>();
  private boolean syncLies;

  /** A write at a position, or, without bytes, a cut to that size. */
  private record Change(int position, byte[] bytes) {}

  int size() {
    return size;
  }

  int durableSize() {
    return durableSize;
  }

  byte[] bytes() {
    return now;
  }

  void write(int position, byte[] bytes) {
    changes.add(new Change(position, bytes));
    now = grown(now, position + bytes.length);
    System.arraycopy(bytes, 0, now, position, bytes.length);
    size = Math.max(size, position + bytes.length);
  }

  void truncate(int to) {
    if (to < size) {
      changes.add(new Change(to, null));
      Arrays.fill(now, to, size, (byte) 0);
      size = to;
    }
  }

  void sync() {
    if (!syncLies) {
      changes.forEach(this::makeDurable);
      changes.clear();
    }
  }

  /** As in Linux: pages whose write-back failed count as clean, and no later sync writes them. */
  void syncFailed() {
    syncLies = true;
  }

  void crash(RandomGenerator random) {
    if (!changes.isEmpty()) {
      switch (random.nextInt(4)) {
        case 0 -> {}
        case 1 -> changes.forEach(this::makeDurable);
        case 2 -> tear(random);
        default -> losePages(random);
      }
    }
    changes.clear();
    syncLies = false;
    now = Arrays.copyOf(durable, durable.length);
    size = durableSize;
  }

  /** All changes up to one, and of that one a part. */
  private void tear(RandomGenerator random) {
    int n = random.nextInt(changes.size());
    changes.subList(0, n).forEach(this::makeDurable);
    Change c = changes.get(n);
    if (c.bytes != null && c.bytes.length > 0) {
      makeDurable(new Change(c.position, Arrays.copyOf(c.bytes, random.nextInt(c.bytes.length))));
    }
  }

  /** The new size, but some changed pages as they were: zeros where there was nothing. */
  private void losePages(RandomGenerator random) {
    byte[] was = Arrays.copyOf(durable, Math.max(durable.length, size));
    byte[] is = Arrays.copyOf(now, was.length);
    for (int p = 0; p < size; p += PAGE) {
      int end = Math.min(size, p + PAGE);
      if (!Arrays.equals(was, p, end, is, p, end) && random.nextBoolean()) {
        System.arraycopy(is, p, was, p, end - p);
      }
    }
    Arrays.fill(was, size, was.length, (byte) 0);
    durable = was;
    durableSize = size;
  }

  private void makeDurable(Change c) {
    if (c.bytes == null) {
      Arrays.fill(durable, Math.min(c.position, durableSize), durableSize, (byte) 0);
      durableSize = Math.min(durableSize, c.position);
    } else {
      durable = grown(durable, c.position + c.bytes.length);
      System.arraycopy(c.bytes, 0, durable, c.position, c.bytes.length);
      durableSize = Math.max(durableSize, c.position + c.bytes.length);
    }
  }

  private static byte[] grown(byte[] b, int needed) {
    return needed <= b.length ? b : Arrays.copyOf(b, Math.max(needed, b.length * 2));
  }
}
