package dev.vitrine.metadata;

import dev.vitrine.protocol.Uuid;
import dev.vitrine.protocol.message.RegisterControllerRecord;
import java.util.ArrayList;
import java.util.List;
import org.pcollections.PMap;
import org.pcollections.TreePMap;

/**
 * A controller as it registered (KIP-919). Immutable.
 *
 * @param endpoints by listener name
 */
public record ControllerRegistration(
    int id,
    Uuid incarnationId,
    boolean zkMigrationReady,
    PMap<String, BrokerEndpoint> endpoints,
    PMap<String, VersionRange> features) {
  static ControllerRegistration of(RegisterControllerRecord r) {
    PMap<String, BrokerEndpoint> endpoints = TreePMap.empty();
    for (RegisterControllerRecord.ControllerEndpoint e : r.endPoints()) {
      endpoints =
          endpoints.plus(
              e.name(), new BrokerEndpoint(e.name(), e.host(), e.port(), e.securityProtocol()));
    }
    PMap<String, VersionRange> features = TreePMap.empty();
    for (RegisterControllerRecord.ControllerFeature f : r.features()) {
      features =
          features.plus(
              f.name(), new VersionRange(f.minSupportedVersion(), f.maxSupportedVersion()));
    }
    return new ControllerRegistration(
        r.controllerId(), r.incarnationId(), r.zkMigrationReady(), endpoints, features);
  }

  RegisterControllerRecord toRecord() {
    List<RegisterControllerRecord.ControllerEndpoint> ends = new ArrayList<>();
    for (BrokerEndpoint e : endpoints.values()) {
      ends.add(
          new RegisterControllerRecord.ControllerEndpoint()
              .name(e.listener())
              .host(e.host())
              .port(e.port())
              .securityProtocol(e.securityProtocol()));
    }
    List<RegisterControllerRecord.ControllerFeature> ranges = new ArrayList<>();
    features.forEach(
        (name, range) ->
            ranges.add(
                new RegisterControllerRecord.ControllerFeature()
                    .name(name)
                    .minSupportedVersion(range.min())
                    .maxSupportedVersion(range.max())));
    return new RegisterControllerRecord()
        .controllerId(id)
        .incarnationId(incarnationId)
        .zkMigrationReady(zkMigrationReady)
        .endPoints(ends)
        .features(ranges);
  }
}
