package dev.vitrine.broker.telemetry;

import dev.vitrine.config.ClientMetricsSubscription;
import dev.vitrine.metadata.ConfigResource;
import dev.vitrine.metadata.MetadataImage;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.pcollections.PMap;

/**
 * All subscriptions to clients' metrics, as one shard has last read them out of the metadata.
 * Belongs to the shard. Each change of any of them is a new version, in which every client is
 * looked at anew.
 */
final class Subscriptions {
  private static final int DEFAULT_INTERVAL_MS = 300_000;
  private static final String ALL = "*";

  private final Supplier<MetadataImage> metadata;
  private Object seen;
  private Map<String, PMap<String, String>> texts = new TreeMap<>();
  private List<ClientMetricsSubscription> all = List.of();
  private int version;

  Subscriptions(Supplier<MetadataImage> metadata) {
    this.metadata = metadata;
  }

  /**
   * What one client is asked for.
   *
   * @param metrics prefixes of names, in their order; {@code *} alone for all; empty for none
   */
  record Wanted(List<String> metrics, int intervalMs) {}

  /** Of what the metadata say now. */
  int version() {
    var configs = metadata.get().configs().resources();
    if (configs != seen) {
      seen = configs;
      read(configs);
    }
    return version;
  }

  private void read(Map<ConfigResource, PMap<String, String>> configs) {
    Map<String, PMap<String, String>> now = new TreeMap<>();
    configs.forEach(
        (resource, values) -> {
          if (resource.type() == ConfigResource.CLIENT_METRICS) {
            now.put(resource.name(), values);
          }
        });
    if (now.equals(texts)) {
      return;
    }
    texts = now;
    version++;
    List<ClientMetricsSubscription> parsed = new ArrayList<>();
    now.forEach((name, values) -> parsed.add(ClientMetricsSubscription.of(name, values)));
    all = parsed;
  }

  /** What is asked of this client by all subscriptions that are for it together. */
  Wanted wantedOf(Map<String, String> client) {
    TreeMap<String, Boolean> metrics = new TreeMap<>();
    int intervalMs = DEFAULT_INTERVAL_MS;
    for (ClientMetricsSubscription s : all) {
      if (s.isFor(client)) {
        s.metrics().forEach(m -> metrics.put(m, true));
        intervalMs = Math.min(intervalMs, s.intervalMs());
      }
    }
    List<String> names =
        metrics.containsKey(ALL) ? List.of(ALL) : List.copyOf(metrics.navigableKeySet());
    return new Wanted(names, intervalMs);
  }
}
