package dev.vitrine.storage;

import dev.vitrine.seam.Disk;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.TreeSet;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a stop can leave in a log's folder: files that were to be deleted, compactions that were not
 * complete (dropped) or complete and not yet in place (put in place), temporary files, indexes
 * without a segment. One use, on a disk worker.
 */
final class Leftovers {
  private static final Logger LOG = LoggerFactory.getLogger(Leftovers.class);

  private final Disk disk;
  private final Path dir;

  Leftovers(Disk disk, Path dir) {
    this.disk = disk;
    this.dir = dir;
  }

  /**
   * What belongs to the log.
   *
   * @param segments whether it has a transaction index, by base offset
   * @param snapshots of the producers, by their offsets
   */
  record Found(TreeMap<Long, Boolean> segments, TreeSet<Long> snapshots) {}

  /** Cleans up; returns what is left. */
  Found clear() {
    long firstCleaned = Long.MAX_VALUE;
    List<Path> swaps = new ArrayList<>();
    List<Path> all = disk.list(dir);
    for (Path p : all) {
      String name = p.getFileName().toString();
      if (name.endsWith(LogFiles.DELETED) || name.endsWith(".tmp")) {
        disk.delete(p);
      } else if (name.endsWith(LogFiles.CLEANED)) {
        firstCleaned = Math.min(firstCleaned, LogFiles.offset(p));
        disk.delete(p);
      } else if (name.endsWith(LogFiles.SWAP)) {
        swaps.add(p);
      }
    }
    if (!swaps.isEmpty()) {
      finishSwaps(swaps, firstCleaned);
      all = disk.list(dir);
    }
    return new Found(segments(all), snapshots(all));
  }

  /**
   * Swapped-in segments replace those that they were made of. If a part of a split was still being
   * cleaned, the whole of it is dropped: what it was made of is still there.
   */
  private void finishSwaps(List<Path> swaps, long firstCleaned) {
    List<Path> valid = new ArrayList<>();
    for (Path p : swaps) {
      if (LogFiles.offset(p) >= firstCleaned) {
        disk.delete(p);
      } else {
        valid.add(p);
      }
    }
    for (Path p : valid) {
      if (LogFiles.suffix(p).equals(LogFiles.LOG + LogFiles.SWAP)) {
        long base = LogFiles.offset(p);
        deleteReplaced(base, Math.max(base + 1, nextOffset(p, base)));
      }
    }
    for (Path p : valid) {
      String name = p.getFileName().toString();
      Path to = p.resolveSibling(name.substring(0, name.length() - LogFiles.SWAP.length()));
      LOG.info("Finishing a swap: {}", to);
      disk.rename(p, to);
    }
  }

  private long nextOffset(Path log, long base) {
    var file = disk.openForRead(log);
    try (BatchScan scan = new BatchScan(file, 0, file.size(), BatchScan.SEQUENTIAL)) {
      long next = base;
      while (scan.next()) {
        next = scan.batch().nextOffset();
      }
      return next;
    } finally {
      file.release();
    }
  }

  private void deleteReplaced(long from, long to) {
    for (Path p : disk.list(dir)) {
      long offset = LogFiles.offset(p);
      if (offset >= from && offset < to) {
        switch (LogFiles.suffix(p)) {
          case LogFiles.LOG, LogFiles.INDEX, LogFiles.TIME_INDEX, LogFiles.TXN_INDEX ->
              disk.delete(p);
          default -> {}
        }
      }
    }
  }

  private static TreeSet<Long> snapshots(List<Path> all) {
    TreeSet<Long> out = new TreeSet<>();
    for (Path p : all) {
      if (LogFiles.offset(p) >= 0 && LogFiles.suffix(p).equals(LogFiles.SNAPSHOT)) {
        out.add(LogFiles.offset(p));
      }
    }
    return out;
  }

  private TreeMap<Long, Boolean> segments(List<Path> all) {
    TreeMap<Long, Boolean> out = new TreeMap<>();
    for (Path p : all) {
      if (LogFiles.offset(p) >= 0 && LogFiles.suffix(p).equals(LogFiles.LOG)) {
        out.put(LogFiles.offset(p), false);
      }
    }
    for (Path p : all) {
      long offset = LogFiles.offset(p);
      String suffix = offset < 0 ? "" : LogFiles.suffix(p);
      switch (suffix) {
        case LogFiles.INDEX, LogFiles.TIME_INDEX -> {
          if (!out.containsKey(offset)) {
            disk.delete(p);
          }
        }
        case LogFiles.TXN_INDEX -> {
          if (out.replace(offset, true) == null) {
            disk.delete(p);
          }
        }
        default -> {}
      }
    }
    return out;
  }
}
