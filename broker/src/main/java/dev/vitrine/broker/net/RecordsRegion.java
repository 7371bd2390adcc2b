package dev.vitrine.broker.net;

import dev.vitrine.protocol.record.Records;
import io.netty.channel.DefaultFileRegion;
import java.nio.channels.FileChannel;

/**
 * Records that leave by {@code sendfile}; gives the records up, and so the file, when they have
 * left or failed. It never closes the channel itself: the file is counted by reference. Belongs to
 * its connection's loop.
 */
final class RecordsRegion extends DefaultFileRegion {
  private final Records records;

  RecordsRegion(Records records, FileChannel channel, long position) {
    super(channel, position, records.sizeInBytes());
    this.records = records;
  }

  @Override
  protected void deallocate() {
    records.release();
  }
}
