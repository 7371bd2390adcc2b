package dev.vitrine.config;

/** All keys of {@code server.properties}, and those that a broker has only as dynamic ones. */
final class BrokerKeys {
  /** What server.properties may hold. */
  static final ConfigTable STATIC = table(false);

  /** The same and the dynamic-only ones: what a broker resource may hold. */
  static final ConfigTable ALL = table(true);

  private BrokerKeys() {}

  private static ConfigTable table(boolean withDynamic) {
    ConfigTable.Builder t = new ConfigTable.Builder();
    NodeKeys.define(t);
    SocketKeys.define(t);
    QuorumKeys.define(t);
    LogKeys.define(t);
    ReplicationKeys.define(t);
    GroupCoordinatorKeys.define(t);
    ShareKeys.define(t);
    TransactionKeys.define(t);
    QuotaKeys.define(t);
    MetricsKeys.define(t);
    RemoteStorageKeys.define(t);
    SecurityKeys.define(t);
    VitrineKeys.define(t);
    if (withDynamic) {
      DynamicKeys.define(t);
    }
    return t.build();
  }
}
