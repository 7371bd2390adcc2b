package dev.vitrine.quorum;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class CommitLatencyTest {
  private final CommitLatency latency = new CommitLatency();

  @Test
  void fromTheAppendToTheCommit() {
    latency.appended(10, 100);
    latency.appended(12, 110);
    latency.committed(9, 111);
    assertTrue(Double.isNaN(latency.averageMs(111)));
    latency.committed(12, 120);
    assertEquals(15, latency.averageMs(120));
    assertEquals(20, latency.maxMs(120));
  }

  @Test
  void whatIsLongPastCountsNoMore() {
    latency.appended(1, 0);
    latency.committed(1, 50);
    latency.appended(2, 60_000);
    latency.committed(2, 60_001);
    assertEquals(50, latency.maxMs(60_050));
    assertEquals(1, latency.maxMs(60_051));
    assertTrue(Double.isNaN(latency.averageMs(200_000)));
  }

  @Test
  void whoLeadsNoMoreSeesNoCommits() {
    latency.appended(1, 0);
    latency.forgetOpen();
    latency.committed(1, 50);
    assertTrue(Double.isNaN(latency.maxMs(50)));
  }
}
