package dev.vitrine.metadata;

import dev.vitrine.protocol.ApiMessage;
import dev.vitrine.protocol.message.ConfigRecord;
import java.util.List;
import org.pcollections.PMap;
import org.pcollections.TreePMap;

/** What users set, by resource and key, both sorted. Defaults are not here. Immutable. */
public record ConfigsImage(PMap<ConfigResource, PMap<String, String>> resources) {
  static final ConfigsImage EMPTY = new ConfigsImage(TreePMap.empty());
  private static final PMap<String, String> NONE = TreePMap.empty();

  /** Values that were set for this very resource; empty if none. */
  public PMap<String, String> of(ConfigResource resource) {
    PMap<String, String> configs = resources.get(resource);
    return configs == null ? NONE : configs;
  }

  /** What was set for this topic. */
  public PMap<String, String> topic(String name) {
    return of(ConfigResource.topic(name));
  }

  /** What was set for this broker, over what was set for all brokers. */
  public PMap<String, String> broker(int id) {
    return of(ConfigResource.defaultBroker()).plusAll(of(ConfigResource.broker(id)));
  }

  ConfigsImage with(ConfigRecord r) {
    ConfigResource resource = new ConfigResource(r.resourceType(), r.resourceName());
    PMap<String, String> configs = of(resource);
    configs = r.value() == null ? configs.minus(r.name()) : configs.plus(r.name(), r.value());
    return new ConfigsImage(
        configs.isEmpty() ? resources.minus(resource) : resources.plus(resource, configs));
  }

  ConfigsImage without(ConfigResource resource) {
    return resources.containsKey(resource) ? new ConfigsImage(resources.minus(resource)) : this;
  }

  void addRecords(List<ApiMessage> to) {
    resources.forEach(
        (resource, configs) ->
            configs.forEach(
                (name, value) ->
                    to.add(
                        new ConfigRecord()
                            .resourceType(resource.type())
                            .resourceName(resource.name())
                            .name(name)
                            .value(value))));
  }
}
