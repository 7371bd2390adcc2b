package dev.vitrine.broker.partition;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.vitrine.protocol.Errors;
import dev.vitrine.sim.SimWorld;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The high watermark of a replica whose broker has started again. */
class HighWatermarkRecoveryTest {
  private final SimWorld world = new SimWorld(5);
  private final Replica replica = new Replica(world, 1, 1);

  private void write(int records) {
    replica.lead(1, 0, 0, List.of(1));
    for (int i = 0; i < records; i++) {
      replica.append(1, 0, "x");
    }
  }

  @Test
  void isWhatWasWrittenDownWithinWhatTheLogHas() {
    write(8);
    assertEquals(5, replica.restarted(5).highWatermark());
    assertEquals(0, replica.restarted(0).highWatermark());
    assertEquals(8, replica.restarted(80).highWatermark(), "the end was lost");
    replica.partition.deleteRecords(3, Long.MAX_VALUE, done -> {});
    assertEquals(3, replica.restarted(1).highWatermark(), "what was before is gone");
  }

  /** Nobody is shown more than was known to be committed, until the followers say so again. */
  @Test
  void readersSeeUpToItUntilTheFollowersAreHeard() {
    write(8);
    Partition p = replica.restarted(5);
    p.apply(new Assignment(List.of(1, 2), List.of(1, 2), 1, 1, 1));
    assertEquals(5, p.highWatermark());
    ReadOutcome o = p.read(request(-1, 0, ReadLimit.HIGH_WATERMARK));
    assertEquals(5, o.highWatermark());
    o.records().release();
    // It can't say yet where the end is, for the leader before may have committed more (KIP-207).
    OffsetLookup end = p.lookUp(-1, true, ReadLimit.HIGH_WATERMARK, -1);
    assertEquals(Errors.OFFSET_NOT_AVAILABLE, end.error());
    p.read(request(2, 8, ReadLimit.LOG_END)).records().release();
    assertEquals(8, p.highWatermark());
    assertEquals(8, p.lookUp(-1, true, ReadLimit.HIGH_WATERMARK, -1).offset());
  }

  @Test
  void followerTakesTheLeadersWordButNotBeyondItsLog() {
    write(8);
    Partition p = replica.restarted(5);
    p.apply(new Assignment(List.of(1, 2), List.of(1, 2), 2, 1, 1));
    p.following().append(null, 7, 0);
    assertEquals(7, p.highWatermark());
    p.following().append(null, 6, 0);
    assertEquals(7, p.highWatermark());
    p.following().append(null, 12, 0);
    assertEquals(8, p.highWatermark());
    p.following().truncateTo(6);
    assertEquals(6, p.highWatermark());
  }

  private static ReadRequest request(int broker, long offset, ReadLimit limit) {
    return new ReadRequest(broker, -1, -1, offset, -1, 0, 1 << 20, true, true, limit, false);
  }
}
