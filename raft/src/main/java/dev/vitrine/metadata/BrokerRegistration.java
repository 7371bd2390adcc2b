package dev.vitrine.metadata;

import dev.vitrine.protocol.ApiMessage;
import dev.vitrine.protocol.Uuid;
import dev.vitrine.protocol.message.BrokerRegistrationChangeRecord;
import dev.vitrine.protocol.message.RegisterBrokerRecord;
import java.util.ArrayList;
import java.util.List;
import org.pcollections.PMap;
import org.pcollections.TreePMap;

/**
 * A broker as it registered, and what became of it. Immutable.
 *
 * @param epoch given by the controller at registration: the offset of the first registration record
 *     of this incarnation
 * @param endpoints by listener name
 * @param rack null if it has none
 * @param fenced takes no part: no leader, in no ISR, hidden from clients
 * @param inControlledShutdown about to leave: may not lead, nor join an ISR
 * @param logDirs the ids of the log directories that work, sorted
 * @param cordonedLogDirs directories that get no new replicas; null as long as the broker has not
 *     said
 */
public record BrokerRegistration(
    int id,
    long epoch,
    Uuid incarnationId,
    PMap<String, BrokerEndpoint> endpoints,
    PMap<String, VersionRange> features,
    String rack,
    boolean fenced,
    boolean inControlledShutdown,
    List<Uuid> logDirs,
    List<Uuid> cordonedLogDirs) {
  static BrokerRegistration of(RegisterBrokerRecord r) {
    PMap<String, BrokerEndpoint> endpoints = TreePMap.empty();
    for (RegisterBrokerRecord.BrokerEndpoint e : r.endPoints()) {
      endpoints =
          endpoints.plus(
              e.name(), new BrokerEndpoint(e.name(), e.host(), e.port(), e.securityProtocol()));
    }
    PMap<String, VersionRange> features = TreePMap.empty();
    for (RegisterBrokerRecord.BrokerFeature f : r.features()) {
      features =
          features.plus(
              f.name(), new VersionRange(f.minSupportedVersion(), f.maxSupportedVersion()));
    }
    return new BrokerRegistration(
        r.brokerId(),
        r.brokerEpoch(),
        r.incarnationId(),
        endpoints,
        features,
        r.rack(),
        r.fenced(),
        r.inControlledShutdown(),
        sorted(r.logDirs()),
        r.cordonedLogDirs() == null ? null : List.copyOf(r.cordonedLogDirs()));
  }

  BrokerRegistration with(BrokerRegistrationChangeRecord r) {
    return new BrokerRegistration(
        id,
        epoch,
        incarnationId,
        endpoints,
        features,
        rack,
        flag(r, r.fenced(), fenced),
        flag(r, r.inControlledShutdown(), inControlledShutdown),
        r.logDirs().isEmpty() ? logDirs : sorted(r.logDirs()),
        r.cordonedLogDirs() == null ? cordonedLogDirs : List.copyOf(r.cordonedLogDirs()));
  }

  BrokerRegistration withFenced(boolean nowFenced) {
    return new BrokerRegistration(
        id,
        epoch,
        incarnationId,
        endpoints,
        features,
        rack,
        nowFenced,
        inControlledShutdown,
        logDirs,
        cordonedLogDirs);
  }

  RegisterBrokerRecord toRecord() {
    List<RegisterBrokerRecord.BrokerEndpoint> ends = new ArrayList<>();
    for (BrokerEndpoint e : endpoints.values()) {
      ends.add(
          new RegisterBrokerRecord.BrokerEndpoint()
              .name(e.listener())
              .host(e.host())
              .port(e.port())
              .securityProtocol(e.securityProtocol()));
    }
    List<RegisterBrokerRecord.BrokerFeature> ranges = new ArrayList<>();
    features.forEach(
        (name, range) ->
            ranges.add(
                new RegisterBrokerRecord.BrokerFeature()
                    .name(name)
                    .minSupportedVersion(range.min())
                    .maxSupportedVersion(range.max())));
    return new RegisterBrokerRecord()
        .brokerId(id)
        .brokerEpoch(epoch)
        .incarnationId(incarnationId)
        .endPoints(ends)
        .features(ranges)
        .rack(rack)
        .fenced(fenced)
        .inControlledShutdown(inControlledShutdown)
        .logDirs(logDirs)
        .cordonedLogDirs(cordonedLogDirs);
  }

  /** Whether it may lead and be in an ISR. */
  public boolean isActive() {
    return !fenced && !inControlledShutdown;
  }

  /** Where this listener is reached, or null if the broker has no such listener. */
  public BrokerEndpoint endpoint(String listener) {
    return endpoints.get(listener);
  }

  /**
   * Whether a replica in this directory can be served. A directory that is not known counts as
   * online, except the one that stands for "failed".
   */
  public boolean hasOnlineDirectory(Uuid directory) {
    if (directory.equals(Directories.MIGRATING) || directory.equals(Directories.UNASSIGNED)) {
      return true;
    }
    return !directory.equals(Directories.LOST)
        && (logDirs.isEmpty() || logDirs.contains(directory));
  }

  private static boolean flag(ApiMessage r, byte change, boolean now) {
    return switch (change) {
      case 0 -> now;
      case 1 -> true;
      case -1 -> false;
      default -> throw new InvalidMetadataRecordException(r, "a flag is neither -1, 0 nor 1");
    };
  }

  private static List<Uuid> sorted(List<Uuid> ids) {
    return ids.stream().sorted().toList();
  }
}
