package dev.vitrine.metadata;

import dev.vitrine.config.BrokerConfigs;
import dev.vitrine.config.KafkaConfig;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * This node's configuration as it is at an image: {@code server.properties} and, over it, what was
 * set for all brokers and for this one. Any thread may ask; what was found last is kept, for images
 * change often and configuration rarely. What can't be used of an image is passed over and logged,
 * never a reason to stop.
 */
public final class LiveConfig {
  private static final Logger LOG = LoggerFactory.getLogger(LiveConfig.class);

  private record Known(
      ConfigsImage configs,
      Map<String, String> ofBroker,
      Map<String, String> ofAllBrokers,
      KafkaConfig config) {}

  private final KafkaConfig fromFile;
  private volatile Known last;

  public LiveConfig(KafkaConfig fromFile) {
    this.fromFile = fromFile;
    this.last = new Known(null, Map.of(), Map.of(), fromFile);
  }

  /** What {@code server.properties} alone says. */
  public KafkaConfig fromFile() {
    return fromFile;
  }

  public KafkaConfig at(MetadataImage image) {
    Known known = last;
    ConfigsImage configs = image.configs();
    if (known.configs == configs) {
      return known.config;
    }
    Map<String, String> one = configs.of(ConfigResource.broker(fromFile.node().nodeId()));
    Map<String, String> all = configs.of(ConfigResource.defaultBroker());
    KafkaConfig config =
        one.equals(known.ofBroker) && all.equals(known.ofAllBrokers)
            ? known.config
            : BrokerConfigs.apply(
                fromFile, one, all, why -> LOG.warn("Dynamic configuration not used: {}", why));
    last = new Known(configs, one, all, config);
    Set<String> fresh = new TreeSet<>(one.keySet());
    fresh.addAll(all.keySet());
    fresh.removeAll(known.ofBroker.keySet());
    fresh.removeAll(known.ofAllBrokers.keySet());
    List<String> inVain = BrokerConfigs.withoutEffect(fresh);
    if (!inVain.isEmpty()) {
      LOG.warn("These dynamic configuration keys have no effect in Vitrine yet: {}", inVain);
    }
    return config;
  }
}
