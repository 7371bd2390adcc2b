package dev.vitrine.sim;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;

/**
 * One directory of a {@link SimDisk}: the names that are there, those that a power cut would find,
 * and the changes between the two. As in a journalling file system, a cut leaves the changes up to
 * some moment, and a rename as a whole.
 */
final class SimDirectory {
  /** By name, each a SimDirectory or a {@link SimDisk.Inode}. Changed only by the methods below. */
  TreeMap<String, Object> entries = new TreeMap<>();

  private final TreeMap<String, Object> durable = new TreeMap<>();
  private final List<Consumer<TreeMap<String, Object>>> changes = new ArrayList<>();

  void put(String name, Object what) {
    change(m -> m.put(name, what));
  }

  void remove(String name) {
    change(m -> m.remove(name));
  }

  void rename(String from, String to) {
    change(m -> m.put(to, m.remove(from)));
  }

  void sync() {
    changes.forEach(c -> c.accept(durable));
    changes.clear();
  }

  void crash(RandomGenerator random) {
    int kept = changes.isEmpty() ? 0 : random.nextInt(changes.size() + 1);
    changes.subList(0, kept).forEach(c -> c.accept(durable));
    changes.clear();
    entries = new TreeMap<>(durable);
    for (Object what : entries.values()) {
      if (what instanceof SimDirectory d) {
        d.crash(random);
      } else {
        ((SimDisk.Inode) what).content.crash(random);
      }
    }
  }

  long sizeOfAll() {
    long n = 0;
    for (Object what : entries.values()) {
      n += what instanceof SimDirectory d ? d.sizeOfAll() : ((SimDisk.Inode) what).content.size();
    }
    return n;
  }

  private void change(Consumer<TreeMap<String, Object>> c) {
    c.accept(entries);
    changes.add(c);
  }
}
