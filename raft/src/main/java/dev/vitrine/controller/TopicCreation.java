package dev.vitrine.controller;

import dev.vitrine.config.ConfigException;
import dev.vitrine.metadata.ConfigResource;
import dev.vitrine.metadata.MetadataImage;
import dev.vitrine.metadata.TopicImage;
import dev.vitrine.protocol.Errors;
import dev.vitrine.protocol.Uuid;
import dev.vitrine.protocol.message.ConfigRecord;
import dev.vitrine.protocol.message.CreateTopicsRequest;
import dev.vitrine.protocol.message.CreateTopicsRequest.CreatableReplicaAssignment;
import dev.vitrine.protocol.message.CreateTopicsRequest.CreatableTopic;
import dev.vitrine.protocol.message.CreateTopicsResponse;
import dev.vitrine.protocol.message.CreateTopicsResponse.CreatableTopicConfigs;
import dev.vitrine.protocol.message.CreateTopicsResponse.CreatableTopicResult;
import dev.vitrine.protocol.message.TopicRecord;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeMap;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * CreateTopics v2-7. Each topic stands for itself: one that is refused leaves the others alone. On
 * the quorum loop.
 */
final class TopicCreation {
  private static final Logger log = LoggerFactory.getLogger(TopicCreation.class);

  /** What one request may add; more would make the metadata batch too large. */
  static final int MAX_NEW_PARTITIONS = 10_000;

  private static final String METADATA_TOPIC = "__cluster_metadata";

  private final ControllerConfig config;
  private final ConfigValidator validator;
  private final RandomGenerator random;

  TopicCreation(ControllerConfig config, ConfigValidator validator, RandomGenerator random) {
    this.config = config;
    this.validator = validator;
    this.random = random;
  }

  CreateTopicsResponse create(CreateTopicsRequest request, Draft draft) {
    Set<String> seen = new HashSet<>();
    Set<String> twice = new LinkedHashSet<>();
    int partitions = 0;
    for (CreatableTopic topic : request.topics()) {
      if (!seen.add(topic.name())) {
        twice.add(topic.name());
      }
      partitions += partitionCount(topic);
      if (partitions > MAX_NEW_PARTITIONS || partitions < 0) {
        throw new ControllerException(
            Errors.POLICY_VIOLATION, "Excessively large number of partitions per request.");
      }
    }
    CreateTopicsResponse response = new CreateTopicsResponse();
    Draft.Mark start = draft.mark();
    for (CreatableTopic topic : request.topics()) {
      if (twice.contains(topic.name())) {
        continue;
      }
      Draft.Mark mark = draft.mark();
      try {
        CreatableTopicResult created = createOne(topic, draft);
        response.topics().add(created);
        if (!request.validateOnly()) {
          log.info(
              "creating topic {} with id {} and {} partition(s)",
              created.name(),
              created.topicId(),
              created.numPartitions());
        }
      } catch (ControllerException e) {
        draft.reset(mark);
        log.info("refused to create topic {}: {} {}", topic.name(), e.error(), e.getMessage());
        response.topics().add(refusal(topic.name(), e.error(), e.getMessage()));
      }
    }
    for (String name : twice) {
      response.topics().add(refusal(name, Errors.INVALID_REQUEST, "Duplicate topic name."));
    }
    if (request.validateOnly()) {
      draft.reset(start);
    }
    return response;
  }

  private int partitionCount(CreatableTopic topic) {
    if (!topic.assignments().isEmpty()) {
      return topic.assignments().size();
    }
    return topic.numPartitions() == -1
        ? config.numPartitions()
        : Math.max(0, topic.numPartitions());
  }

  private CreatableTopicResult createOne(CreatableTopic topic, Draft draft) {
    MetadataImage image = draft.image();
    String name = topic.name();
    if (name.equals(METADATA_TOPIC)) {
      throw new ControllerException(
          Errors.INVALID_REQUEST,
          "Creation of internal topic " + METADATA_TOPIC + " is prohibited.");
    }
    TopicNames.check(name);
    if (image.topic(name) != null) {
      throw new ControllerException(
          Errors.TOPIC_ALREADY_EXISTS, "Topic '" + name + "' already exists.");
    }
    TopicNames.checkCollision(image, name);
    Map<String, String> configs = configs(topic);
    List<List<Integer>> replicas =
        topic.assignments().isEmpty() ? placed(image, topic) : chosen(image, topic);
    draft.takeFromQuota(replicas.size());
    Uuid id = newId(image);
    draft.add(new TopicRecord().name(name).topicId(id));
    configs.forEach(
        (key, value) ->
            draft.add(
                new ConfigRecord()
                    .resourceType(ConfigResource.TOPIC)
                    .resourceName(name)
                    .name(key)
                    .value(value)));
    for (int i = 0; i < replicas.size(); i++) {
      draft.add(Placement.record(image, id, i, replicas.get(i)));
    }
    return result(draft.image(), draft.image().topic(id), replicas.get(0).size());
  }

  private Map<String, String> configs(CreatableTopic topic) {
    Map<String, String> configs = new TreeMap<>();
    for (CreateTopicsRequest.CreatableTopicConfig c : topic.configs()) {
      if (c.value() == null) {
        throw new ControllerException(
            Errors.INVALID_CONFIG, "Null value not supported for topic configs: " + c.name());
      }
      configs.put(c.name(), c.value());
    }
    ConfigException refusal = validator.refusal(ConfigResource.topic(topic.name()), configs);
    if (refusal != null) {
      throw new ControllerException(Errors.INVALID_CONFIG, refusal.getMessage());
    }
    return configs;
  }

  private List<List<Integer>> placed(MetadataImage image, CreatableTopic topic) {
    if (topic.replicationFactor() < -1 || topic.replicationFactor() == 0) {
      throw new ControllerException(
          Errors.INVALID_REPLICATION_FACTOR,
          "Replication factor must be larger than 0, or -1 to use the default value.");
    }
    if (topic.numPartitions() < -1 || topic.numPartitions() == 0) {
      throw new ControllerException(
          Errors.INVALID_PARTITIONS,
          "Number of partitions was set to an invalid non-positive value.");
    }
    int factor =
        topic.replicationFactor() == -1 ? config.replicationFactor() : topic.replicationFactor();
    List<List<Integer>> placements =
        new ReplicaPlacer(image, random).place(partitionCount(topic), factor);
    for (List<Integer> replicas : placements) {
      if (Placement.active(image, replicas).isEmpty()) {
        throw ReplicaPlacer.refused(
            factor, "All brokers are currently fenced or in controlled shutdown.");
      }
    }
    return placements;
  }

  private static List<List<Integer>> chosen(MetadataImage image, CreatableTopic topic) {
    if (topic.replicationFactor() != -1) {
      throw new ControllerException(
          Errors.INVALID_REQUEST,
          "A manual partition assignment was specified, but replication factor was not set to -1.");
    }
    if (topic.numPartitions() != -1) {
      throw new ControllerException(
          Errors.INVALID_REQUEST,
          "A manual partition assignment was specified, but numPartitions was not set to -1.");
    }
    OptionalInt factor = OptionalInt.empty();
    TreeMap<Integer, List<Integer>> chosen = new TreeMap<>();
    for (CreatableReplicaAssignment a : topic.assignments()) {
      if (chosen.containsKey(a.partitionIndex())) {
        throw Placement.invalid(
            "Found multiple manual partition assignments for partition " + a.partitionIndex());
      }
      Placement.checkManual(image, a.brokerIds(), factor);
      factor = OptionalInt.of(a.brokerIds().size());
      Placement.checkActive(image, a.brokerIds(), a.partitionIndex());
      chosen.put(a.partitionIndex(), a.brokerIds());
    }
    if (chosen.firstKey() != 0 || chosen.lastKey() != chosen.size() - 1) {
      throw Placement.invalid("partitions should be a consecutive 0-based integer sequence");
    }
    return new ArrayList<>(chosen.values());
  }

  private Uuid newId(MetadataImage image) {
    while (true) {
      // As Kafka's ids: a random UUID of version 4 whose text does not begin with a dash.
      long high = random.nextLong() & ~0xF000L | 0x4000L;
      long low = random.nextLong() & ~(3L << 62) | 1L << 63;
      Uuid id = new Uuid(high, low);
      if (!id.isReserved() && id.toString().charAt(0) != '-' && image.topic(id) == null) {
        return id;
      }
    }
  }

  private CreatableTopicResult result(MetadataImage image, TopicImage topic, int factor) {
    CreatableTopicResult result =
        new CreatableTopicResult()
            .name(topic.name())
            .topicId(topic.id())
            .errorCode(Errors.NONE.code())
            .errorMessage(null)
            .numPartitions(topic.partitionCount())
            .replicationFactor((short) factor);
    for (ConfigValidator.Entry e :
        validator.describeTopic(
            image.configs().topic(topic.name()),
            image.configs().of(ConfigResource.broker(config.nodeId())),
            image.configs().of(ConfigResource.defaultBroker()))) {
      result
          .configs()
          .add(
              new CreatableTopicConfigs()
                  .name(e.name())
                  .value(e.sensitive() ? null : e.value())
                  .readOnly(e.readOnly())
                  .configSource(e.source())
                  .isSensitive(e.sensitive()));
    }
    return result;
  }

  static CreatableTopicResult refusal(String name, Errors error, String message) {
    return new CreatableTopicResult().name(name).errorCode(error.code()).errorMessage(message);
  }
}
