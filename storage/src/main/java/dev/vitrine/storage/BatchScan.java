package dev.vitrine.storage;

import dev.vitrine.protocol.record.BatchHeader;
import dev.vitrine.protocol.record.RecordBatch;
import dev.vitrine.seam.DiskFile;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.PooledByteBufAllocator;

/**
 * Walks the batches of a segment's file from a position on. Reads headers, and the rest of a batch
 * only when asked; believes no length. One thread; to be closed.
 */
final class BatchScan implements AutoCloseable {
  /** For who looks at the headers of a few batches behind an index entry. */
  static final int HEADERS = 4096;

  /** For who reads everything. */
  static final int SEQUENTIAL = 256 * 1024;

  private static final ByteBufAllocator ALLOCATOR = PooledByteBufAllocator.DEFAULT;

  private final RecordBatch batch = new RecordBatch();
  private final DiskFile file;
  private final long limit;
  private final ByteBuf buffer;
  private final int readAhead;
  private long bufferAt;
  private long position;
  private int size;
  private String problem;

  /**
   * @param readAhead how much to read at once, in bytes
   */
  BatchScan(DiskFile file, long from, long limit, int readAhead) {
    this.file = file;
    this.position = from;
    this.bufferAt = from;
    this.limit = limit;
    this.readAhead = readAhead;
    this.buffer = ALLOCATOR.buffer(readAhead);
  }

  /** Moves to the next batch; false at the limit or where no batch is ({@link #problem}). */
  boolean next() {
    if (problem != null) {
      return false;
    }
    position += size;
    size = 0;
    if (position == limit) {
      return false;
    }
    if (limit - position < BatchHeader.SIZE) {
      return stop((limit - position) + " bytes are no batch");
    }
    load(BatchHeader.SIZE);
    int length = batch.wrap(buffer, (int) (position - bufferAt)).sizeInBytes();
    if (length < BatchHeader.SIZE) {
      return stop("a batch claims a size of " + length + " bytes");
    }
    if (batch.magic() != BatchHeader.MAGIC_V2) {
      return stop("a batch has the magic " + batch.magic());
    }
    if (length > limit - position) {
      return stop("a batch of " + length + " bytes is cut after " + (limit - position));
    }
    size = length;
    return true;
  }

  /** Its header; of the rest nothing may be asked before {@link #whole}. */
  RecordBatch batch() {
    return batch;
  }

  /** All of it. */
  RecordBatch whole() {
    load(size);
    return batch.wrap(buffer, (int) (position - bufferAt));
  }

  /** Of the current batch; after the end, of what is no batch. */
  long position() {
    return position;
  }

  /** Why the scan stopped before the limit, or null. */
  String problem() {
    return problem;
  }

  @Override
  public void close() {
    buffer.release();
  }

  private boolean stop(String why) {
    problem = why;
    return false;
  }

  /** Lets so many bytes from the position be in the buffer. */
  private void load(int n) {
    if (position >= bufferAt && position + n <= bufferAt + buffer.writerIndex()) {
      return;
    }
    buffer.clear();
    bufferAt = position;
    int want = (int) Math.min(Math.max(n, readAhead), limit - position);
    if (file.read(position, want, buffer) < n) {
      throw new IllegalStateException(file.path() + " is shorter than " + (position + n));
    }
  }
}
