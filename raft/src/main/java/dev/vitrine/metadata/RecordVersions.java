package dev.vitrine.metadata;

import dev.vitrine.protocol.ApiMessage;
import dev.vitrine.protocol.message.BrokerRegistrationChangeRecord;
import dev.vitrine.protocol.message.PartitionChangeRecord;
import dev.vitrine.protocol.message.PartitionRecord;
import dev.vitrine.protocol.message.RegisterBrokerRecord;

/** In which version a metadata record is written. */
public final class RecordVersions {
  private RecordVersions() {}

  /**
   * The lowest version that carries what is set. Every reader of that metadata version or a later
   * one understands it, because what an older one does not know is never set under it.
   */
  public static short of(ApiMessage record) {
    if (record instanceof RegisterBrokerRecord r) {
      return (short)
          (r.cordonedLogDirs() != null
              ? 4
              : !r.logDirs().isEmpty() ? 3 : r.isMigratingZkBroker() ? 2 : 1);
    }
    if (record instanceof BrokerRegistrationChangeRecord r) {
      return (short)
          (r.cordonedLogDirs() != null
              ? 3
              : !r.logDirs().isEmpty() ? 2 : r.inControlledShutdown() != 0 ? 1 : 0);
    }
    if (record instanceof PartitionRecord r) {
      return (short)
          (r.eligibleLeaderReplicas() != null || r.lastKnownElr() != null
              ? 2
              : r.directories().isEmpty() ? 0 : 1);
    }
    if (record instanceof PartitionChangeRecord r) {
      return (short)
          (r.eligibleLeaderReplicas() != null || r.lastKnownElr() != null
              ? 2
              : r.directories() == null ? 0 : 1);
    }
    return record.lowestSupportedVersion();
  }
}
