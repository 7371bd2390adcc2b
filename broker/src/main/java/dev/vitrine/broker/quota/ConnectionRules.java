package dev.vitrine.broker.quota;

import dev.vitrine.broker.quota.ConnectionLimits.AddressRates;
import dev.vitrine.config.ConnectionSettings;
import dev.vitrine.metadata.ConfigResource;
import dev.vitrine.metadata.ImageChange;
import dev.vitrine.metadata.LiveConfig;
import dev.vitrine.metadata.SecurityImage;
import dev.vitrine.protocol.message.ClientQuotaRecord;
import dev.vitrine.seam.Shard;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells the connection limits of a node what is configured and what is set for addresses, with the
 * addresses of the hosts that are named. Hears of changes on the quorum loop; the rest is done on
 * the limits' shard.
 */
public final class ConnectionRules implements Consumer<ImageChange> {
  private static final Logger LOG = LoggerFactory.getLogger(ConnectionRules.class);
  private static final String KEY = "connection_creation_rate";

  private final Shard shard;
  private final ConnectionLimits limits;
  private final HostNames names;
  private final LiveConfig live;

  /** The quorum loop's: what was handed on last. */
  private ConnectionSettings told;

  /**
   * The shard's: so many times each has been told, so that a slow name server can't bring back old.
   */
  private int settingsTold;

  private int ratesTold;

  /**
   * @param names of the same shard as the limits
   */
  public ConnectionRules(Shard shard, ConnectionLimits limits, HostNames names, LiveConfig live) {
    this.shard = shard;
    this.limits = limits;
    this.names = names;
    this.live = live;
  }

  /** What the node is configured with, before anybody can connect. */
  public void start() {
    settings(live.fromFile().connections());
  }

  @Override
  public void accept(ImageChange change) {
    int nodeId = live.fromFile().node().nodeId();
    for (ConfigResource r : change.configs()) {
      if (r.equals(ConfigResource.defaultBroker()) || r.equals(ConfigResource.broker(nodeId))) {
        settings(live.at(change.after()).connections());
      }
    }
    if (change.security()) {
      rates(change.after().security());
    }
  }

  private void settings(ConnectionSettings now) {
    if (now.equals(told)) {
      return;
    }
    told = now;
    Map<String, Integer> overrides = now.overrides();
    shard.execute(
        () -> {
          int turn = ++settingsTold;
          names.resolve(
              new ArrayList<>(overrides.keySet()),
              () -> {
                if (turn == settingsTold) {
                  limits.set(now, byAddress(overrides));
                }
              });
        });
  }

  private void rates(SecurityImage image) {
    Map<String, Integer> byName = new LinkedHashMap<>();
    int others = AddressRates.NONE.others();
    for (ClientQuotaRecord r : image.clientQuotas().values()) {
      List<ClientQuotaRecord.EntityData> entity = r.entity();
      if (!r.key().equals(KEY) || entity.size() != 1 || !entity.get(0).entityType().equals("ip")) {
        continue;
      }
      if (entity.get(0).entityName() == null) {
        others = (int) r.value();
      } else {
        byName.put(entity.get(0).entityName(), (int) r.value());
      }
    }
    int byDefault = others;
    shard.execute(
        () -> {
          int turn = ++ratesTold;
          names.resolve(
              new ArrayList<>(byName.keySet()),
              () -> {
                if (turn == ratesTold) {
                  limits.set(new AddressRates(byAddress(byName), byDefault));
                }
              });
        });
  }

  private Map<String, Integer> byAddress(Map<String, Integer> byName) {
    Map<String, Integer> byAddress = new LinkedHashMap<>();
    byName.forEach(
        (name, value) -> {
          String address = names.addressOf(name);
          if (address == null) {
            LOG.warn("Cannot resolve {}: its connection limit does not count", name);
          } else {
            byAddress.put(address, value);
          }
        });
    return byAddress;
  }
}
