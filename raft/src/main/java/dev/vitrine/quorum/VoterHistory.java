package dev.vitrine.quorum;

import dev.vitrine.protocol.message.KRaftVersionRecord;
import dev.vitrine.protocol.message.VotersRecord;
import dev.vitrine.protocol.record.Batches;
import dev.vitrine.protocol.record.Record;
import dev.vitrine.protocol.record.RecordBatch;
import dev.vitrine.protocol.record.RecordIterator;
import io.netty.buffer.ByteBuf;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What the log and its latest snapshot say of the voters and of kraft.version (KIP-853), by the
 * offset of the record. A set of voters counts from the moment it is in the log, committed or not,
 * and no longer once it is truncated. Belongs to the log, and with it to the quorum's shard.
 */
final class VoterHistory {
  /** Where what a snapshot says stands: before the first offset that it doesn't cover. */
  private final TreeMap<Long, VoterSet> voters = new TreeMap<>();

  private final TreeMap<Long, Short> versions = new TreeMap<>();

  /** The latest set; null if there is none: then the configuration says who votes. */
  VoterSet voters() {
    return voters.isEmpty() ? null : voters.lastEntry().getValue();
  }

  /** The offset of the latest set's record: -1 if it is what {@code format} wrote, -2 if none. */
  long votersOffset() {
    return voters.isEmpty() ? -2 : voters.lastKey();
  }

  short kraftVersion() {
    return versions.isEmpty() ? 0 : versions.lastEntry().getValue();
  }

  /** The set as of this offset (inclusive), or null. */
  VoterSet votersAt(long offset) {
    Map.Entry<Long, VoterSet> e = voters.floorEntry(offset);
    return e == null ? null : e.getValue();
  }

  /** The set as of this offset and all that follow, the oldest first. */
  List<VoterSet> votersSince(long offset) {
    Long first = voters.floorKey(offset);
    return List.copyOf((first == null ? voters : voters.tailMap(first, true)).values());
  }

  short kraftVersionAt(long offset) {
    Map.Entry<Long, Short> e = versions.floorEntry(offset);
    return e == null ? 0 : e.getValue();
  }

  /**
   * Reads what of these batches is in the log now.
   *
   * @param logEnd batches from there on were left out
   * @return the offset behind the last of them
   */
  long appended(ByteBuf batches, long logEnd) {
    Batches it = new Batches(batches.duplicate());
    long next = -1;
    while (it.next() && it.batch().lastOffset() < logEnd) {
      next = it.batch().lastOffset() + 1;
      if (it.batch().isControl()) {
        read(it.batch());
      }
    }
    return next;
  }

  private void read(RecordBatch batch) {
    try (RecordIterator records = batch.records()) {
      while (records.next()) {
        Record r = records.record();
        short type = ControlRecords.typeOf(r);
        if (type == ControlRecords.KRAFT_VERSION) {
          versions.put(r.offset(), version(r));
        } else if (type == ControlRecords.KRAFT_VOTERS) {
          voters.put(r.offset(), voters(r));
        }
      }
    }
  }

  static short version(Record r) {
    KRaftVersionRecord m = new KRaftVersionRecord();
    m.read(r.value(), (short) 0);
    if (m.kRaftVersion() > QuorumConfig.KRAFT_VERSIONS.max()) {
      throw new IllegalStateException(
          "The metadata log has kraft.version "
              + m.kRaftVersion()
              + ", which is not supported: this code has "
              + QuorumConfig.KRAFT_VERSIONS.min()
              + " to "
              + QuorumConfig.KRAFT_VERSIONS.max());
    }
    return m.kRaftVersion();
  }

  static VoterSet voters(Record r) {
    VotersRecord m = new VotersRecord();
    m.read(r.value(), (short) 0);
    return VoterSet.of(m);
  }

  /** Nothing is in the log from this offset on. */
  void truncateTo(long offset) {
    voters.tailMap(offset, true).clear();
    versions.tailMap(offset, true).clear();
  }

  /** Only what is needed to know the sets from this offset on. */
  void forgetBefore(long offset) {
    forget(voters, offset);
    forget(versions, offset);
  }

  private static void forget(TreeMap<Long, ?> map, long offset) {
    Long first = map.floorKey(offset);
    if (first != null) {
      map.headMap(first, false).clear();
    }
  }

  /** The log begins with this snapshot. */
  void startAt(Snapshot snapshot) {
    voters.clear();
    versions.clear();
    long at = snapshot.id().offset() - 1;
    if (snapshot.voters() != null) {
      voters.put(at, snapshot.voters());
    }
    if (snapshot.kraftVersion() > 0) {
      versions.put(at, snapshot.kraftVersion());
    }
  }
}
