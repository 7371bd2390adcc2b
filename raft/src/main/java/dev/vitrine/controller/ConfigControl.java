package dev.vitrine.controller;

import dev.vitrine.config.ConfigException;
import dev.vitrine.metadata.ConfigResource;
import dev.vitrine.metadata.MetadataImage;
import dev.vitrine.protocol.Errors;
import dev.vitrine.protocol.message.AlterConfigsRequest;
import dev.vitrine.protocol.message.AlterConfigsResponse;
import dev.vitrine.protocol.message.ConfigRecord;
import dev.vitrine.protocol.message.IncrementalAlterConfigsRequest;
import dev.vitrine.protocol.message.IncrementalAlterConfigsResponse;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;

/**
 * IncrementalAlterConfigs v0-1 and AlterConfigs v0-2 for topics, brokers ({@code ""} is all of
 * them), client metrics and groups. Each resource stands for itself. On the quorum loop.
 */
final class ConfigControl {
  private static final byte SET = 0;
  private static final byte DELETE = 1;
  private static final byte APPEND = 2;
  private static final byte SUBTRACT = 3;

  private static final int MAX_VALUE_LENGTH = Short.MAX_VALUE;

  private final ConfigValidator validator;
  private final ElrControl elr;
  private final Leadership leadership;

  ConfigControl(ConfigValidator validator, ElrControl elr, Leadership leadership) {
    this.validator = validator;
    this.elr = elr;
    this.leadership = leadership;
  }

  IncrementalAlterConfigsResponse alter(IncrementalAlterConfigsRequest request, Draft draft) {
    Set<ConfigResource> twice =
        twice(request.resources(), r -> new ConfigResource(r.resourceType(), r.resourceName()));
    Draft.Mark start = draft.mark();
    IncrementalAlterConfigsResponse response = new IncrementalAlterConfigsResponse();
    for (IncrementalAlterConfigsRequest.AlterConfigsResource r : request.resources()) {
      ConfigResource resource = new ConfigResource(r.resourceType(), r.resourceName());
      ControllerException e =
          attempt(draft, twice, resource, () -> alterOne(resource, r.configs(), draft));
      response
          .responses()
          .add(
              new IncrementalAlterConfigsResponse.AlterConfigsResourceResponse()
                  .resourceType(r.resourceType())
                  .resourceName(r.resourceName())
                  .errorCode(e == null ? 0 : e.error().code())
                  .errorMessage(e == null ? null : e.getMessage()));
    }
    if (request.validateOnly()) {
      draft.reset(start);
    }
    return response;
  }

  AlterConfigsResponse replace(AlterConfigsRequest request, Draft draft) {
    Set<ConfigResource> twice =
        twice(request.resources(), r -> new ConfigResource(r.resourceType(), r.resourceName()));
    Draft.Mark start = draft.mark();
    AlterConfigsResponse response = new AlterConfigsResponse();
    for (AlterConfigsRequest.AlterConfigsResource r : request.resources()) {
      ConfigResource resource = new ConfigResource(r.resourceType(), r.resourceName());
      ControllerException e =
          attempt(draft, twice, resource, () -> replaceOne(resource, r.configs(), draft));
      response
          .responses()
          .add(
              new AlterConfigsResponse.AlterConfigsResourceResponse()
                  .resourceType(r.resourceType())
                  .resourceName(r.resourceName())
                  .errorCode(e == null ? 0 : e.error().code())
                  .errorMessage(e == null ? null : e.getMessage()));
    }
    if (request.validateOnly()) {
      draft.reset(start);
    }
    return response;
  }

  private static <T> Set<ConfigResource> twice(List<T> resources, Function<T, ConfigResource> key) {
    Set<ConfigResource> seen = new HashSet<>();
    Set<ConfigResource> twice = new HashSet<>();
    for (T r : resources) {
      if (!seen.add(key.apply(r))) {
        twice.add(key.apply(r));
      }
    }
    return twice;
  }

  private static ControllerException attempt(
      Draft draft, Set<ConfigResource> twice, ConfigResource resource, Runnable change) {
    Draft.Mark mark = draft.mark();
    try {
      if (twice.contains(resource)) {
        throw refused("Each resource must appear at most once.");
      }
      checkResource(draft.image(), resource);
      change.run();
      return null;
    } catch (ControllerException e) {
      draft.reset(mark);
      return e;
    }
  }

  private void alterOne(
      ConfigResource resource,
      List<IncrementalAlterConfigsRequest.AlterableConfig> changes,
      Draft draft) {
    checkNulls(
        changes.stream()
            .filter(c -> c.configOperation() != DELETE && c.value() == null)
            .map(IncrementalAlterConfigsRequest.AlterableConfig::name)
            .toList());
    Set<String> keys = new HashSet<>();
    Map<String, String> old = draft.image().configs().of(resource);
    Map<String, String> wanted = new TreeMap<>(old);
    for (IncrementalAlterConfigsRequest.AlterableConfig c : changes) {
      if (!keys.add(c.name())) {
        throw refused("Error due to duplicate config keys");
      }
      String value =
          switch (c.configOperation()) {
            case SET -> c.value();
            case DELETE -> null;
            case APPEND, SUBTRACT -> edited(resource, c, old.get(c.name()));
            default -> throw refused("Unknown operations type " + c.configOperation());
          };
      if (value == null) {
        wanted.remove(c.name());
      } else {
        wanted.put(c.name(), value);
      }
    }
    write(resource, keys, old, wanted, draft);
  }

  private String edited(
      ConfigResource resource, IncrementalAlterConfigsRequest.AlterableConfig c, String old) {
    boolean append = c.configOperation() == APPEND;
    if (!validator.isList(resource.type(), c.name())) {
      throw new ControllerException(
          Errors.INVALID_CONFIG,
          "Can't "
              + (append ? "APPEND" : "SUBTRACT")
              + " to key "
              + c.name()
              + " because its type is not LIST.");
    }
    String base = old != null ? old : validator.defaultValue(resource.type(), c.name());
    Set<String> parts = new LinkedHashSet<>();
    if (base != null && !base.isEmpty()) {
      parts.addAll(Arrays.asList(base.split(",")));
    }
    List<String> operands = Arrays.asList(c.value().split(","));
    if (append) {
      parts.addAll(operands);
    } else {
      parts.removeAll(operands);
    }
    return String.join(",", parts);
  }

  private void replaceOne(
      ConfigResource resource, List<AlterConfigsRequest.AlterableConfig> configs, Draft draft) {
    checkNulls(
        configs.stream()
            .filter(c -> c.value() == null)
            .map(AlterConfigsRequest.AlterableConfig::name)
            .toList());
    Map<String, String> old = draft.image().configs().of(resource);
    Map<String, String> wanted = new TreeMap<>();
    for (AlterConfigsRequest.AlterableConfig c : configs) {
      if (wanted.put(c.name(), c.value()) != null) {
        throw refused("Error due to duplicate config keys");
      }
    }
    Set<String> keys = new HashSet<>(old.keySet());
    keys.addAll(wanted.keySet());
    write(resource, keys, old, wanted, draft);
  }

  private void write(
      ConfigResource resource,
      Set<String> keys,
      Map<String, String> old,
      Map<String, String> wanted,
      Draft draft) {
    TreeSet<String> changed = new TreeSet<>();
    for (String key : keys) {
      // Setting a broker's value again is a way to say: read that keystore again.
      if (resource.type() == ConfigResource.BROKER
          || !Objects.equals(wanted.get(key), old.get(key))) {
        changed.add(key);
      }
    }
    for (String key : changed) {
      checkChange(draft.image(), resource, key, wanted.get(key));
    }
    ConfigException refusal = validator.refusal(resource, wanted);
    if (refusal != null) {
      boolean config = refusal.kind() == ConfigException.Kind.INVALID_CONFIG;
      throw new ControllerException(
          config ? Errors.INVALID_CONFIG : Errors.INVALID_REQUEST, refusal.getMessage());
    }
    for (String key : changed) {
      draft.add(
          new ConfigRecord()
              .resourceType(resource.type())
              .resourceName(resource.name())
              .name(key)
              .value(wanted.get(key)));
      elr.changed(draft, resource, key);
    }
    if (changed.contains(TopicRules.UNCLEAN_ELECTION)) {
      leadership.electMissing(draft);
    }
  }

  private void checkChange(MetadataImage image, ConfigResource resource, String key, String value) {
    elr.checkChange(image, resource, key, value);
    if (value != null && value.length() > MAX_VALUE_LENGTH) {
      throw new ControllerException(
          Errors.INVALID_CONFIG,
          "The configuration value cannot be added because it exceeds the maximum value size of "
              + MAX_VALUE_LENGTH
              + " bytes.");
    }
  }

  private static void checkNulls(List<String> keys) {
    if (!keys.isEmpty()) {
      throw refused("Null value not supported for : " + String.join(",", new ArrayList<>(keys)));
    }
  }

  private static void checkResource(MetadataImage image, ConfigResource resource) {
    String name = resource.name();
    switch (resource.type()) {
      case ConfigResource.TOPIC -> {
        if (name.isEmpty()) {
          throw refused("Default topic resources are not allowed.");
        }
        TopicNames.check(name);
        if (image.topic(name) == null) {
          throw new ControllerException(
              Errors.UNKNOWN_TOPIC_OR_PARTITION, "The topic '" + name + "' does not exist.");
        }
      }
      case ConfigResource.BROKER -> checkBroker(image, name);
      case ConfigResource.CLIENT_METRICS -> {
        if (name.isEmpty()) {
          throw refused("Subscription name can't be empty");
        }
      }
      case ConfigResource.GROUP -> {
        if (name.isEmpty()) {
          throw refused("Default group resources are not allowed.");
        }
      }
      case ConfigResource.BROKER_LOGGER -> throw refused("Unexpected resource type BROKER_LOGGER.");
      default -> throw refused("Unknown resource type " + resource.type());
    }
  }

  private static void checkBroker(MetadataImage image, String name) {
    if (name.isEmpty()) {
      return;
    }
    int id;
    try {
      id = Integer.parseInt(name);
    } catch (NumberFormatException e) {
      throw refused("Node id must be an integer, but it is: " + name);
    }
    if (image.broker(id) == null && !image.cluster().controllers().containsKey(id)) {
      throw new ControllerException(
          Errors.BROKER_ID_NOT_REGISTERED, "No node with id " + id + " found.");
    }
  }

  private static ControllerException refused(String why) {
    return new ControllerException(Errors.INVALID_REQUEST, why);
  }
}
