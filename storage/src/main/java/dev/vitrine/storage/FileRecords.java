package dev.vitrine.storage;

import dev.vitrine.protocol.record.Records;
import dev.vitrine.seam.DiskFile;
import io.netty.buffer.ByteBuf;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;

/**
 * A region of a segment's file: record batches that the network sends straight from the file, or
 * copies. Holds one reference of the file, so the bytes stay readable when the segment is deleted
 * meanwhile. The first batch begins where the region begins; the last may be cut.
 */
public record FileRecords(DiskFile file, long position, int sizeInBytes) implements Records {
  @Override
  public void writeTo(ByteBuf out) {
    if (file.read(position, sizeInBytes, out) < sizeInBytes) {
      // Only a truncation after the read was promised can do this; the connection must not go on.
      throw new UncheckedIOException(
          new IOException("truncated under a reader: " + file.path(), new EOFException()));
    }
  }

  @Override
  public void release() {
    file.release();
  }
}
