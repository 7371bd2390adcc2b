package dev.vitrine.metadata;

import dev.vitrine.protocol.ApiMessage;
import dev.vitrine.protocol.message.BrokerRegistrationChangeRecord;
import dev.vitrine.protocol.message.FenceBrokerRecord;
import dev.vitrine.protocol.message.RegisterBrokerRecord;
import dev.vitrine.protocol.message.RegisterControllerRecord;
import dev.vitrine.protocol.message.UnfenceBrokerRecord;
import dev.vitrine.protocol.message.UnregisterBrokerRecord;
import dev.vitrine.protocol.message.UnregisterControllerRecord;
import java.util.List;
import org.pcollections.IntTreePMap;
import org.pcollections.PMap;

/** Who is registered: brokers and controllers by id, in ascending order. Immutable. */
public record ClusterImage(
    PMap<Integer, BrokerRegistration> brokers, PMap<Integer, ControllerRegistration> controllers) {
  static final ClusterImage EMPTY = new ClusterImage(IntTreePMap.empty(), IntTreePMap.empty());

  /** The broker, or null if none of this id is registered. */
  public BrokerRegistration broker(int id) {
    return brokers.get(id);
  }

  /** Registered, not fenced and not in controlled shutdown. */
  public boolean isActive(int brokerId) {
    BrokerRegistration b = brokers.get(brokerId);
    return b != null && b.isActive();
  }

  ClusterImage with(RegisterBrokerRecord r) {
    return new ClusterImage(brokers.plus(r.brokerId(), BrokerRegistration.of(r)), controllers);
  }

  ClusterImage with(BrokerRegistrationChangeRecord r) {
    return replace(known(r, r.brokerId(), r.brokerEpoch()).with(r));
  }

  ClusterImage with(FenceBrokerRecord r) {
    return replace(known(r, r.id(), r.epoch()).withFenced(true));
  }

  ClusterImage with(UnfenceBrokerRecord r) {
    return replace(known(r, r.id(), r.epoch()).withFenced(false));
  }

  ClusterImage without(UnregisterBrokerRecord r) {
    known(r, r.brokerId(), r.brokerEpoch());
    return new ClusterImage(brokers.minus(r.brokerId()), controllers);
  }

  ClusterImage with(RegisterControllerRecord r) {
    return new ClusterImage(
        brokers, controllers.plus(r.controllerId(), ControllerRegistration.of(r)));
  }

  ClusterImage without(UnregisterControllerRecord r) {
    if (!controllers.containsKey(r.controllerId())) {
      throw new InvalidMetadataRecordException(r, "no such controller");
    }
    return new ClusterImage(brokers, controllers.minus(r.controllerId()));
  }

  private ClusterImage replace(BrokerRegistration broker) {
    return new ClusterImage(brokers.plus(broker.id(), broker), controllers);
  }

  private BrokerRegistration known(ApiMessage r, int id, long epoch) {
    BrokerRegistration broker = brokers.get(id);
    if (broker == null) {
      throw new InvalidMetadataRecordException(r, "no such broker");
    }
    if (broker.epoch() != epoch) {
      throw new InvalidMetadataRecordException(r, "the broker's epoch is " + broker.epoch());
    }
    return broker;
  }

  void addRecords(List<ApiMessage> to) {
    brokers.values().forEach(b -> to.add(b.toRecord()));
    controllers.values().forEach(c -> to.add(c.toRecord()));
  }
}
