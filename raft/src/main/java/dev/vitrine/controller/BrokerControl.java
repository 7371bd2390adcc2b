package dev.vitrine.controller;

import dev.vitrine.metadata.BrokerRegistration;
import dev.vitrine.metadata.FeaturesImage;
import dev.vitrine.metadata.MetadataImage;
import dev.vitrine.metadata.VersionRange;
import dev.vitrine.protocol.Errors;
import dev.vitrine.protocol.Uuid;
import dev.vitrine.protocol.message.BrokerRegistrationChangeRecord;
import dev.vitrine.protocol.message.BrokerRegistrationRequest;
import dev.vitrine.protocol.message.BrokerRegistrationResponse;
import dev.vitrine.protocol.message.RegisterBrokerRecord;
import dev.vitrine.protocol.message.UnregisterBrokerRecord;
import dev.vitrine.protocol.message.UnregisterBrokerRequest;
import dev.vitrine.protocol.message.UnregisterBrokerResponse;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * BrokerRegistration v0-4 and UnregisterBroker v0, and the fencing of brokers that fell silent. On
 * the quorum loop.
 */
final class BrokerControl {
  private static final Logger log = LoggerFactory.getLogger(BrokerControl.class);
  private static final int FIRST_VERSION_WITH_DIRECTORIES = 17;
  private static final int FIRST_VERSION_WITH_PREVIOUS_EPOCH = 3;

  private final ControllerConfig config;
  private final BrokerSessions sessions;
  private final Leadership leadership;

  BrokerControl(ControllerConfig config, BrokerSessions sessions, Leadership leadership) {
    this.config = config;
    this.sessions = sessions;
    this.leadership = leadership;
  }

  /** The registered broker, if it speaks in the epoch of its registration. */
  static BrokerRegistration current(MetadataImage image, int id, long epoch) {
    BrokerRegistration broker = image.broker(id);
    if (broker == null) {
      throw new ControllerException(
          Errors.STALE_BROKER_EPOCH, "No broker registration found for broker id " + id);
    }
    if (broker.epoch() != epoch) {
      throw new ControllerException(
          Errors.STALE_BROKER_EPOCH,
          "Expected broker epoch " + broker.epoch() + ", but got broker epoch " + epoch);
    }
    return broker;
  }

  BrokerRegistrationResponse register(
      BrokerRegistrationRequest r, short version, Draft draft, long nowTicks) {
    if (!config.clusterId().equals(r.clusterId())) {
      throw new ControllerException(
          Errors.INCONSISTENT_CLUSTER_ID,
          "Expected cluster ID " + config.clusterId() + ", but got cluster ID " + r.clusterId());
    }
    BrokerRegistration existing = draft.image().broker(r.brokerId());
    boolean known = existing != null && existing.incarnationId().equals(r.incarnationId());
    if (existing != null && !known && sessions.isAlive(existing.id(), existing.epoch(), nowTicks)) {
      throw new ControllerException(
          Errors.DUPLICATE_BROKER_REGISTRATION,
          "Another broker is registered with that broker id. If the broker was recently restarted"
              + " this should self-resolve once the heartbeat manager expires the broker's"
              + " session.");
    }
    if (r.isMigratingZkBroker()) {
      throw new ControllerException(
          Errors.BROKER_ID_NOT_REGISTERED, "Controller does not support migrating ZK brokers.");
    }
    checkDirectories(draft.image(), r);
    checkFeatures(draft.image(), r, version);
    if (!known) {
      stopped(r, version, existing, draft);
    }
    long epoch = known ? existing.epoch() : draft.nextOffset();
    draft.add(record(r, draft.image(), known ? existing : null, epoch));
    // A session from the start: what a process that has died since sent before, and this controller
    // only reads now, must not take the registration away from the one that lives.
    sessions.touch(r.brokerId(), epoch, -1, nowTicks);
    log.info(
        "broker {} registered {} with epoch {}",
        r.brokerId(),
        known ? "again" : "as new incarnation " + r.incarnationId(),
        epoch);
    return new BrokerRegistrationResponse().brokerEpoch(epoch);
  }

  /**
   * The incarnation before this one has ended: cleanly only if the new one knows its epoch, which a
   * broker writes down as the last thing it does (KIP-966).
   */
  private void stopped(
      BrokerRegistrationRequest r, short version, BrokerRegistration before, Draft draft) {
    boolean clean =
        version >= FIRST_VERSION_WITH_PREVIOUS_EPOCH
            && before != null
            && before.epoch() == r.previousBrokerEpoch();
    if (clean) {
      leadership.brokerLeaves(draft, r.brokerId());
    } else {
      leadership.brokerStoppedUncleanly(draft, r.brokerId());
    }
  }

  private RegisterBrokerRecord record(
      BrokerRegistrationRequest r, MetadataImage image, BrokerRegistration same, long epoch) {
    List<RegisterBrokerRecord.BrokerEndpoint> endpoints = new ArrayList<>();
    for (BrokerRegistrationRequest.Listener l : r.listeners()) {
      endpoints.add(
          new RegisterBrokerRecord.BrokerEndpoint()
              .name(l.name())
              .host(l.host())
              .port(l.port())
              .securityProtocol(l.securityProtocol()));
    }
    List<RegisterBrokerRecord.BrokerFeature> features = new ArrayList<>();
    for (BrokerRegistrationRequest.Feature f : r.features()) {
      features.add(
          new RegisterBrokerRecord.BrokerFeature()
              .name(f.name())
              .minSupportedVersion(f.minSupportedVersion())
              .maxSupportedVersion(f.maxSupportedVersion()));
    }
    RegisterBrokerRecord record =
        new RegisterBrokerRecord()
            .brokerId(r.brokerId())
            .incarnationId(r.incarnationId())
            .brokerEpoch(epoch)
            .endPoints(endpoints)
            .features(features)
            .rack(r.rack())
            .fenced(same == null || same.fenced())
            .inControlledShutdown(same != null && same.inControlledShutdown());
    if (image.features().metadataVersion() >= FIRST_VERSION_WITH_DIRECTORIES) {
      record.logDirs(new ArrayList<>(r.logDirs()));
    }
    if (same != null && same.cordonedLogDirs() != null) {
      record.cordonedLogDirs(same.cordonedLogDirs());
    }
    return record;
  }

  private void checkFeatures(MetadataImage image, BrokerRegistrationRequest r, short version) {
    if (r.features().stream().noneMatch(f -> f.name().equals(FeaturesImage.METADATA_VERSION))) {
      throw new ControllerException(
          Errors.INVALID_REGISTRATION, "Request features do not contain 'metadata.version'");
    }
    for (Map.Entry<String, Short> e : image.features().levels().entrySet()) {
      String feature = e.getKey();
      short level = e.getValue();
      VersionRange range = VersionRange.of(0, 0);
      for (BrokerRegistrationRequest.Feature f : r.features()) {
        if (f.name().equals(feature)) {
          range = new VersionRange(f.minSupportedVersion(), f.maxSupportedVersion());
        }
      }
      // Before version 4 a range that starts at 0 could not be told.
      if (!range.contains(level) && !(version < 4 && range.max() == 0 && level == 0)) {
        throw new ControllerException(
            Errors.UNSUPPORTED_VERSION,
            "Unable to register because the broker does not support finalized version "
                + level
                + " of "
                + feature
                + ". The broker wants a version between "
                + range.min()
                + " and "
                + range.max()
                + ", inclusive.");
      }
    }
  }

  private void checkDirectories(MetadataImage image, BrokerRegistrationRequest r) {
    if (image.features().metadataVersion() < FIRST_VERSION_WITH_DIRECTORIES) {
      return;
    }
    if (r.logDirs().isEmpty()) {
      throw new ControllerException(
          Errors.INVALID_REGISTRATION, "No directories specified in request");
    }
    Set<Uuid> seen = new HashSet<>();
    for (Uuid id : r.logDirs()) {
      if (id.isReserved()) {
        throw new ControllerException(
            Errors.INVALID_REGISTRATION, "Reserved directory ID in request");
      }
      if (!seen.add(id)) {
        throw new ControllerException(
            Errors.INVALID_REGISTRATION, "Duplicate directory ID in request");
      }
    }
    for (BrokerRegistration other : image.cluster().brokers().values()) {
      for (Uuid id : other.logDirs()) {
        if (other.id() != r.brokerId() && seen.contains(id)) {
          throw new ControllerException(
              Errors.INVALID_REGISTRATION,
              "Broker " + other.id() + " is already registered with directory " + id);
        }
      }
    }
  }

  UnregisterBrokerResponse unregister(UnregisterBrokerRequest r, Draft draft) {
    BrokerRegistration broker = draft.image().broker(r.brokerId());
    if (broker == null) {
      throw new ControllerException(
          Errors.BROKER_ID_NOT_REGISTERED,
          "Broker ID " + r.brokerId() + " is not currently registered");
    }
    leadership.brokerLeaves(draft, broker.id());
    draft.add(new UnregisterBrokerRecord().brokerId(broker.id()).brokerEpoch(broker.epoch()));
    sessions.forget(broker.id());
    return new UnregisterBrokerResponse();
  }

  /** Fences the broker, if it is not, and gives its leaderships to others. */
  void fence(Draft draft, int id) {
    BrokerRegistration broker = draft.image().broker(id);
    leadership.brokerLeaves(draft, id);
    if (!broker.fenced()) {
      draft.add(change(broker).fenced((byte) 1));
    }
  }

  static BrokerRegistrationChangeRecord change(BrokerRegistration broker) {
    return new BrokerRegistrationChangeRecord().brokerId(broker.id()).brokerEpoch(broker.epoch());
  }
}
