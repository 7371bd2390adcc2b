package dev.vitrine.broker.net;

import dev.vitrine.storage.FileRecords;
import io.netty.channel.DefaultFileRegion;

/**
 * Records that leave by {@code sendfile}; gives the records up, and so the file, when they have
 * left or failed. It never closes the channel itself: the file is counted by reference. Belongs to
 * its connection's loop.
 */
final class RecordsRegion extends DefaultFileRegion {
  private final FileRecords records;

  RecordsRegion(FileRecords records) {
    super(records.file().channel(), records.position(), records.sizeInBytes());
    this.records = records;
  }

  @Override
  protected void deallocate() {
    records.release();
  }
}
