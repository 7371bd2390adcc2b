package dev.vitrine.quorum;

import dev.vitrine.protocol.record.Records;
import dev.vitrine.seam.Disk;
import dev.vitrine.seam.DiskFile;
import dev.vitrine.storage.FileRecords;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The {@code .checkpoint} files beside the metadata log: which there are, and the one that is being
 * fetched. Belongs to the quorum's shard; {@link #write}, {@link #read} and {@link Part#finish}
 * block and are for disk workers. Never lets a file have its final name before it is whole, valid
 * and durable.
 */
final class SnapshotFiles {
  private static final Logger LOG = LoggerFactory.getLogger(SnapshotFiles.class);
  private static final Pattern NAME = Pattern.compile("(\\d{20})-(\\d{10})\\.checkpoint");
  private static final String DELETED = ".deleted";

  /** Bytes, and when it was made: wall clock, milliseconds. */
  private record Info(long size, long madeMs) {}

  private final Disk disk;
  private final Path dir;
  private final TreeMap<OffsetAndEpoch, Info> files = new TreeMap<>();
  private Snapshot initial;

  private SnapshotFiles(Disk disk, Path dir) {
    this.disk = disk;
    this.dir = dir;
  }

  /**
   * Drops what was left half done and reads the latest whole snapshot. Blocks.
   *
   * @throws IllegalStateException if there are snapshots and all are damaged
   */
  static SnapshotFiles open(Disk disk, Path dir) {
    SnapshotFiles all = new SnapshotFiles(disk, dir);
    for (Path p : disk.list(dir)) {
      String name = p.getFileName().toString();
      Matcher m = NAME.matcher(name);
      if (m.matches()) {
        OffsetAndEpoch id =
            new OffsetAndEpoch(Long.parseLong(m.group(1)), Integer.parseInt(m.group(2)));
        all.files.put(id, new Info(disk.size(p), disk.lastModified(p)));
      } else if (name.endsWith(".checkpoint.part") || name.endsWith(".checkpoint" + DELETED)) {
        disk.delete(p);
      }
    }
    all.readLatest();
    return all;
  }

  private void readLatest() {
    RuntimeException damage = null;
    for (OffsetAndEpoch id : List.copyOf(files.descendingKeySet())) {
      try {
        initial = read(id);
        return;
      } catch (RuntimeException e) {
        LOG.error("{}; the one before it has to do", e.getMessage(), e);
        files.remove(id);
        damage = damage == null ? e : damage;
      }
    }
    if (damage != null) {
      throw damage;
    }
  }

  /** The latest snapshot at the start, or null. */
  Snapshot initial() {
    return initial;
  }

  OffsetAndEpoch latest() {
    return files.isEmpty() ? null : files.lastKey();
  }

  OffsetAndEpoch earliest() {
    return files.isEmpty() ? null : files.firstKey();
  }

  /** The one after the earliest, or null. */
  OffsetAndEpoch second() {
    return files.isEmpty() ? null : files.higherKey(files.firstKey());
  }

  /** In bytes; -1 if there is no such snapshot. */
  long size(OffsetAndEpoch id) {
    Info f = files.get(id);
    return f == null ? -1 : f.size;
  }

  long totalSize() {
    return files.values().stream().mapToLong(Info::size).sum();
  }

  long earliestMadeMs() {
    return files.firstEntry().getValue().madeMs;
  }

  /** It is there, whole and durable. */
  void add(OffsetAndEpoch id, long size, long nowMs) {
    files.put(id, new Info(size, nowMs));
  }

  /**
   * Forgets those that end before this offset and renames their files, as Kafka does.
   *
   * @return what is to be deleted when nobody reads it any more
   */
  List<Path> dropBefore(long offset) {
    List<Path> dropped = new ArrayList<>();
    while (!files.isEmpty() && files.firstKey().offset() < offset) {
      OffsetAndEpoch id = files.pollFirstEntry().getKey();
      Path from = path(id);
      Path to = from.resolveSibling(from.getFileName() + DELETED);
      disk.rename(from, to);
      dropped.add(to);
    }
    return dropped;
  }

  /** A part of a snapshot that is there; the receiver owns it. */
  Records region(OffsetAndEpoch id, long position, int maxBytes) {
    DiskFile file = disk.openForRead(path(id));
    return new FileRecords(file, position, (int) Math.min(maxBytes, size(id) - position));
  }

  List<Path> pathsOf(OffsetAndEpoch id) {
    return files.containsKey(id) ? List.of() : List.of(path(id));
  }

  private Path path(OffsetAndEpoch id) {
    return dir.resolve(SnapshotWriter.fileName(id));
  }

  /** Writes a snapshot and gives it its name; returns its size. On a disk worker. */
  long write(Snapshot snapshot, long nowMs) {
    return disk.size(SnapshotWriter.write(disk, dir, snapshot, nowMs));
  }

  /** On a disk worker. */
  Snapshot read(OffsetAndEpoch id) {
    return SnapshotReader.read(disk, dir, id);
  }

  void delete(List<Path> paths) {
    paths.forEach(disk::delete);
  }

  /** Begins to write what the leader sends of a snapshot. */
  Part fetch(OffsetAndEpoch id) {
    return new Part(id);
  }

  /** A snapshot on its way from the leader. */
  final class Part {
    final OffsetAndEpoch id;
    private final Path path;
    private final DiskFile file;
    private long size;

    private Part(OffsetAndEpoch id) {
      this.id = id;
      String name = SnapshotWriter.fileName(id).replace(".checkpoint", "-fetched.checkpoint.part");
      this.path = dir.resolve(name);
      disk.delete(path);
      this.file = disk.open(path);
    }

    long size() {
      return size;
    }

    void append(Records records) {
      ByteBuf bytes = Unpooled.buffer(records.sizeInBytes());
      records.writeTo(bytes);
      size += bytes.readableBytes();
      file.append(bytes);
    }

    /**
     * Makes it a snapshot like any other. On a disk worker, which may let go of it then.
     *
     * @throws RuntimeException if it is damaged or not whole
     */
    Snapshot finish() {
      try {
        file.sync();
      } finally {
        file.release();
      }
      Snapshot snapshot = SnapshotReader.readFile(disk, path, id);
      disk.rename(path, path(id));
      disk.syncDirectory(dir);
      return snapshot;
    }

    /** There is no use for it any more. */
    void drop() {
      file.release();
      disk.delete(path);
    }
  }
}
