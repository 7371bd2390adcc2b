package dev.vitrine.storage;

import java.nio.file.Path;

/** How Kafka names the files of a log. */
final class LogFiles {
  static final String LOG = ".log";
  static final String INDEX = ".index";
  static final String TIME_INDEX = ".timeindex";
  static final String TXN_INDEX = ".txnindex";
  static final String SNAPSHOT = ".snapshot";

  /** Renamed away, to be deleted a little later. */
  static final String DELETED = ".deleted";

  /** Being written by compaction: worth nothing until renamed. */
  static final String CLEANED = ".cleaned";

  /** Complete, and to replace the segments it was made of. */
  static final String SWAP = ".swap";

  static final String LEADER_EPOCH_CHECKPOINT = "leader-epoch-checkpoint";
  static final String PARTITION_METADATA = "partition.metadata";

  /** Of the folder of a log that is to be deleted. */
  static final String DELETE_DIR = "-delete";

  /** Of the folder of a log that the cluster does not place here. */
  static final String STRAY_DIR = "-stray";

  /** Of the folder of a log that is on its way from another directory. */
  static final String FUTURE_DIR = "-future";

  private static final int DIGITS = 20;

  private LogFiles() {}

  static Path path(Path dir, long offset, String suffix) {
    return dir.resolve(name(offset) + suffix);
  }

  static String name(long offset) {
    String digits = Long.toString(offset);
    return "0".repeat(DIGITS - digits.length()) + digits;
  }

  /**
   * The offset in a name of twenty digits and something after them; -1 if it is not such a name.
   */
  static long offset(Path file) {
    String name = file.getFileName().toString();
    if (name.length() < DIGITS) {
      return -1;
    }
    long v = 0;
    for (int i = 0; i < DIGITS; i++) {
      char c = name.charAt(i);
      if (c < '0' || c > '9' || v > (Long.MAX_VALUE - 9) / 10) {
        return -1;
      }
      v = v * 10 + c - '0';
    }
    return v;
  }

  /** What follows the twenty digits. */
  static String suffix(Path file) {
    return file.getFileName().toString().substring(DIGITS);
  }
}
