package dev.vitrine.config;

import java.util.Map;
import java.util.TreeMap;

/**
 * What was set for a broker, as text, by who set it; the first layer that has a key wins. The
 * fourth layer is the table's defaults. Immutable: nobody changes the maps.
 */
record DynamicLayers(
    Map<String, String> ofBroker, Map<String, String> ofAllBrokers, Map<String, String> fromFile) {

  /** All of it as one fresh map. */
  Map<String, String> merged() {
    Map<String, String> all = new TreeMap<>(fromFile);
    all.putAll(ofAllBrokers);
    all.putAll(ofBroker);
    return all;
  }
}
