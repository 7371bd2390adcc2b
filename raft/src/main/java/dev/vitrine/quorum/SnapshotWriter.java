package dev.vitrine.quorum;

import dev.vitrine.protocol.message.SnapshotFooterRecord;
import dev.vitrine.protocol.message.SnapshotHeaderRecord;
import dev.vitrine.protocol.record.BatchBuilder;
import dev.vitrine.seam.Disk;
import dev.vitrine.seam.DiskFile;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Writes a {@code .checkpoint} file as Kafka does (KIP-630): a header record and, from
 * kraft.version 1 on, the voters; the records in batches; a footer record. It has its name only
 * once it is whole and durable. Blocks: for {@code format} and disk workers.
 */
public final class SnapshotWriter {
  /** A batch ends above this. */
  private static final int BATCH_BYTES = 1 << 20;

  private SnapshotWriter() {}

  /** Such as {@code 00000000000000000000-0000000000.checkpoint}. */
  public static String fileName(OffsetAndEpoch id) {
    return String.format("%020d-%010d.checkpoint", id.offset(), id.epoch());
  }

  /**
   * Writes the snapshot into the directory of the metadata log, which must exist.
   *
   * @param nowMs wall clock: the timestamp of the records
   */
  public static Path write(Disk disk, Path directory, Snapshot snapshot, long nowMs) {
    Path file = directory.resolve(fileName(snapshot.id()));
    Path part = directory.resolve(fileName(snapshot.id()) + ".part");
    disk.delete(part);
    DiskFile out = disk.open(part);
    try {
      write(out, snapshot, nowMs);
      out.sync();
    } finally {
      out.release();
    }
    disk.rename(part, file);
    disk.syncDirectory(directory);
    return file;
  }

  private static void write(DiskFile out, Snapshot snapshot, long nowMs) {
    int epoch = snapshot.id().epoch();
    ByteBuf bytes = Unpooled.buffer(1024);
    SnapshotHeaderRecord header =
        new SnapshotHeaderRecord().lastContainedLogTimestamp(snapshot.lastContainedLogTimestamp());
    List<ControlRecords.Entry> first = new ArrayList<>();
    first.add(new ControlRecords.Entry(ControlRecords.SNAPSHOT_HEADER, header));
    if (snapshot.kraftVersion() > 0) {
      first.add(ControlRecords.kraftVersion(snapshot.kraftVersion()));
    }
    if (snapshot.voters() != null) {
      first.add(ControlRecords.voters(snapshot.voters()));
    }
    ControlRecords.write(bytes, 0, epoch, nowMs, first);
    long offset = first.size();
    List<ApiMessageAndVersion> records = snapshot.records();
    int i = 0;
    while (i < records.size()) {
      BatchBuilder batch = new BatchBuilder(bytes).baseOffset(offset).partitionLeaderEpoch(epoch);
      do {
        batch.append(nowMs, null, MetadataRecordSerde.encode(records.get(i++)));
        offset++;
      } while (i < records.size() && batch.uncompressedSizeInBytes() < BATCH_BYTES);
      batch.build();
      out.append(bytes);
      bytes.clear();
    }
    SnapshotFooterRecord footer = new SnapshotFooterRecord();
    ControlRecords.write(
        bytes,
        offset,
        epoch,
        nowMs,
        List.of(new ControlRecords.Entry(ControlRecords.SNAPSHOT_FOOTER, footer)));
    out.append(bytes);
  }
}
