package dev.vitrine.quorum;

import dev.vitrine.protocol.message.SnapshotHeaderRecord;
import dev.vitrine.protocol.record.Batches;
import dev.vitrine.protocol.record.Record;
import dev.vitrine.protocol.record.RecordBatch;
import dev.vitrine.protocol.record.RecordIterator;
import dev.vitrine.seam.Disk;
import dev.vitrine.seam.DiskFile;
import io.netty.buffer.ByteBuf;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Reads {@code .checkpoint} files. Blocks: for the start of a node and for disk workers. */
public final class SnapshotReader {
  private SnapshotReader() {}

  /**
   * @throws IllegalStateException if the file is not a whole and undamaged snapshot; the message
   *     names it
   */
  public static Snapshot read(Disk disk, Path directory, OffsetAndEpoch id) {
    return readFile(disk, directory.resolve(SnapshotWriter.fileName(id)), id);
  }

  static Snapshot readFile(Disk disk, Path file, OffsetAndEpoch id) {
    DiskFile in = disk.openForRead(file);
    try {
      ByteBuf bytes = in.map(in.size());
      try {
        return read(file, id, bytes);
      } finally {
        bytes.release();
      }
    } finally {
      in.release();
    }
  }

  private static Snapshot read(Path file, OffsetAndEpoch id, ByteBuf bytes) {
    long timestamp = -1;
    boolean header = false;
    boolean footer = false;
    short kraftVersion = 0;
    VoterSet voters = null;
    List<ApiMessageAndVersion> records = new ArrayList<>();
    Batches batches = new Batches(bytes);
    while (batches.next()) {
      RecordBatch batch = batches.batch();
      if (!batch.isValid()) {
        throw damaged(file, "at byte " + batch.index());
      }
      try (RecordIterator it = batch.records()) {
        while (it.next()) {
          Record r = it.record();
          if (!batch.isControl()) {
            records.add(MetadataRecordSerde.decode(r.value()));
          } else if (ControlRecords.typeOf(r) == ControlRecords.SNAPSHOT_HEADER) {
            header = true;
            SnapshotHeaderRecord h = new SnapshotHeaderRecord();
            h.read(r.value(), (short) 0);
            timestamp = h.lastContainedLogTimestamp();
          } else if (ControlRecords.typeOf(r) == ControlRecords.SNAPSHOT_FOOTER) {
            footer = true;
          } else if (ControlRecords.typeOf(r) == ControlRecords.KRAFT_VERSION) {
            kraftVersion = VoterHistory.version(r);
          } else if (ControlRecords.typeOf(r) == ControlRecords.KRAFT_VOTERS) {
            voters = VoterHistory.voters(r);
          }
        }
      }
    }
    if (!header || !footer || batches.position() != bytes.writerIndex()) {
      throw damaged(file, "no header, no footer, or more than whole batches");
    }
    return new Snapshot(id, timestamp, kraftVersion, voters, List.copyOf(records));
  }

  private static IllegalStateException damaged(Path file, String how) {
    return new IllegalStateException("The snapshot " + file + " is damaged: " + how);
  }
}
