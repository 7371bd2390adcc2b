package dev.vitrine.quorum;

import java.nio.file.Path;

/** Logs in memory whose flush takes a while; a crash keeps what was flushed. */
final class SimLogs {
  private SimLogs() {}

  static QuorumLog open(SimReplica r, Path dir) {
    MemoryQuorumLog m = new MemoryQuorumLog();
    if (r.log != null) {
      for (MemoryQuorumLog.Entry e : ((MemoryQuorumLog) r.log.real).entries) {
        if (e.lastOffset() < r.log.durable) {
          m.entries.add(e);
        }
      }
    }
    m.flusher = done -> r.shard.offload(() -> null, (nothing, failure) -> done.accept(failure));
    return m;
  }
}
