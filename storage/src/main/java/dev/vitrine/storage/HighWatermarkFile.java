package dev.vitrine.storage;

import dev.vitrine.protocol.TopicPartition;
import java.util.Collection;
import java.util.Map;
import java.util.TreeMap;

/**
 * {@code replication-offset-checkpoint} of one log directory. After a crash what it says of a
 * partition is believed, as far as the log reaches by then. So it must never say more of a log than
 * was committed of that very log: it is lowered before a log is cut below it, and before a log
 * begins under the name of one that was deleted. Any thread; who lowers waits for the file only if
 * it says too much.
 */
final class HighWatermarkFile {
  private final OffsetCheckpoint file;
  private final Map<TopicPartition, Long> before;

  /** What the file says. */
  private volatile Map<TopicPartition, Long> written;

  /** What it may say in a moment. */
  private volatile Map<TopicPartition, Long> writing = Map.of();

  HighWatermarkFile(OffsetCheckpoint file) {
    this.file = file;
    this.before = file.read();
    this.written = before;
  }

  /** As it was at the start; 0 if the file said nothing of it. */
  long before(TopicPartition partition) {
    return before.getOrDefault(partition, 0L);
  }

  /**
   * Replaces the file. What was said of a log that has been cut since is left out. Blocks: on a
   * disk worker.
   *
   * @return whether all of it is written
   */
  synchronized boolean write(Collection<HighWatermark> offsets) {
    Map<TopicPartition, Long> all = new TreeMap<>();
    offsets.forEach(h -> all.put(h.log().partition(), h.offset()));
    // Whoever cuts a log counts that first and looks here then; this looks at the count then.
    writing = all;
    Map<TopicPartition, Long> kept = new TreeMap<>(all);
    for (HighWatermark h : offsets) {
      if (!h.holds()) {
        kept.remove(h.log().partition());
      }
    }
    replace(kept);
    return kept.size() == all.size();
  }

  /** Lets the file say no more than this of a partition. Returns when that is durable. */
  void lower(TopicPartition partition, long offset) {
    if (isBelow(offset, written, partition) && isBelow(offset, writing, partition)) {
      return;
    }
    synchronized (this) {
      if (!isBelow(offset, written, partition)) {
        Map<TopicPartition, Long> lowered = new TreeMap<>(written);
        lowered.put(partition, offset);
        replace(lowered);
      }
    }
  }

  private static boolean isBelow(
      long offset, Map<TopicPartition, Long> said, TopicPartition partition) {
    return said.getOrDefault(partition, 0L) <= offset;
  }

  private void replace(Map<TopicPartition, Long> offsets) {
    Map<TopicPartition, Long> either = new TreeMap<>(written);
    offsets.forEach((tp, o) -> either.merge(tp, o, Math::max));
    // If this fails, nobody knows which of the two is there.
    written = either;
    try {
      file.write(offsets);
      written = offsets;
    } finally {
      writing = Map.of();
    }
  }
}
