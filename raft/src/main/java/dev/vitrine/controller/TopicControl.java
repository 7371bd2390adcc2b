package dev.vitrine.controller;

import dev.vitrine.metadata.MetadataImage;
import dev.vitrine.metadata.TopicImage;
import dev.vitrine.protocol.Errors;
import dev.vitrine.protocol.Uuid;
import dev.vitrine.protocol.message.CreatePartitionsRequest;
import dev.vitrine.protocol.message.CreatePartitionsRequest.CreatePartitionsTopic;
import dev.vitrine.protocol.message.CreatePartitionsResponse;
import dev.vitrine.protocol.message.CreatePartitionsResponse.CreatePartitionsTopicResult;
import dev.vitrine.protocol.message.DeleteTopicsRequest;
import dev.vitrine.protocol.message.DeleteTopicsRequest.DeleteTopicState;
import dev.vitrine.protocol.message.DeleteTopicsResponse;
import dev.vitrine.protocol.message.DeleteTopicsResponse.DeletableTopicResult;
import dev.vitrine.protocol.message.RemoveTopicRecord;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** DeleteTopics v1-6 and CreatePartitions v0-3. On the quorum loop. */
final class TopicControl {
  private static final Logger log = LoggerFactory.getLogger(TopicControl.class);
  private static final int FIRST_VERSION_WITH_DELETION_DISABLED = 3;
  private static final int FIRST_VERSION_WITH_IDS = 6;
  private static final String SUPPLIED_TWICE =
      "The provided topic name maps to an ID that was already supplied.";

  private final ControllerConfig config;
  private final RandomGenerator random;

  TopicControl(ControllerConfig config, RandomGenerator random) {
    this.config = config;
    this.random = random;
  }

  /** The topics that the request names, in the form of version 6. */
  static List<DeleteTopicState> states(DeleteTopicsRequest request, short version) {
    if (version >= FIRST_VERSION_WITH_IDS) {
      return request.topics();
    }
    List<DeleteTopicState> states = new ArrayList<>();
    request.topicNames().forEach(name -> states.add(new DeleteTopicState().name(name)));
    return states;
  }

  DeleteTopicsResponse delete(DeleteTopicsRequest request, short version, Draft draft) {
    if (!config.deleteTopicEnable()) {
      throw new ControllerException(
          version < FIRST_VERSION_WITH_DELETION_DISABLED
              ? Errors.INVALID_REQUEST
              : Errors.TOPIC_DELETION_DISABLED);
    }
    List<DeleteTopicState> states = states(request, version);
    Set<Object> seen = new HashSet<>();
    Set<Object> twice = new LinkedHashSet<>();
    for (DeleteTopicState s : states) {
      Object key = s.name() == null ? s.topicId() : s.name();
      if (!isContradictory(s) && !seen.add(key)) {
        twice.add(key);
      }
    }
    DeleteTopicsResponse response = new DeleteTopicsResponse();
    Set<Object> told = new HashSet<>();
    for (DeleteTopicState s : states) {
      Object key = s.name() == null ? s.topicId() : s.name();
      Uuid id = s.name() == null ? s.topicId() : idOf(s.name(), draft);
      if (!isContradictory(s) && !id.equals(Uuid.ZERO) && isNamedToo(id, seen, draft)) {
        // By its name and by its id: refused, and told of once.
        if (s.name() != null && told.add(key)) {
          response.responses().add(result(s.name(), id, Errors.INVALID_REQUEST, SUPPLIED_TWICE));
        }
      } else if (!twice.contains(key) || isContradictory(s)) {
        response.responses().add(deleteOne(s, draft));
      } else if (told.add(key)) {
        String what = s.name() == null ? "Duplicate topic id." : "Duplicate topic name.";
        response.responses().add(result(s.name(), s.topicId(), Errors.INVALID_REQUEST, what));
      }
    }
    return response;
  }

  private static Uuid idOf(String name, Draft draft) {
    TopicImage topic = draft.image().topic(name);
    return topic == null ? Uuid.ZERO : topic.id();
  }

  /** Whether the request has both this id and the name of its topic. */
  private static boolean isNamedToo(Uuid id, Set<Object> asked, Draft draft) {
    TopicImage topic = draft.image().topic(id);
    return topic != null && asked.contains(id) && asked.contains(topic.name());
  }

  private static boolean isContradictory(DeleteTopicState s) {
    return (s.name() == null) == s.topicId().equals(Uuid.ZERO);
  }

  private static DeletableTopicResult deleteOne(DeleteTopicState s, Draft draft) {
    if (isContradictory(s)) {
      return result(
          s.name(),
          s.topicId(),
          Errors.INVALID_REQUEST,
          s.name() == null
              ? "Neither topic name nor id were specified."
              : "You may not specify both topic name and topic id.");
    }
    TopicImage topic =
        s.name() == null ? draft.image().topic(s.topicId()) : draft.image().topic(s.name());
    if (topic == null) {
      Errors error = s.name() == null ? Errors.UNKNOWN_TOPIC_ID : Errors.UNKNOWN_TOPIC_OR_PARTITION;
      return result(s.name(), s.topicId(), error, error.message());
    }
    int partitions = topic.partitionCount();
    try {
      draft.takeFromQuota(partitions);
    } catch (ControllerException e) {
      return result(topic.name(), topic.id(), e.error(), e.getMessage());
    }
    log.info("deleting topic {} with id {}", topic.name(), topic.id());
    draft.add(new RemoveTopicRecord().topicId(topic.id()));
    return result(topic.name(), topic.id(), Errors.NONE, null);
  }

  static DeletableTopicResult result(String name, Uuid id, Errors error, String message) {
    return new DeletableTopicResult()
        .name(name)
        .topicId(id)
        .errorCode(error.code())
        .errorMessage(message);
  }

  CreatePartitionsResponse grow(CreatePartitionsRequest request, Draft draft) {
    Set<String> seen = new HashSet<>();
    Set<String> twice = new LinkedHashSet<>();
    for (CreatePartitionsTopic t : request.topics()) {
      if (!seen.add(t.name())) {
        twice.add(t.name());
      }
    }
    checkTotal(request, draft.image());
    CreatePartitionsResponse response = new CreatePartitionsResponse();
    for (String name : twice) {
      response.results().add(grown(name, Errors.INVALID_REQUEST, "Duplicate topic name."));
    }
    Draft.Mark start = draft.mark();
    for (CreatePartitionsTopic t : request.topics()) {
      if (twice.contains(t.name())) {
        continue;
      }
      Draft.Mark mark = draft.mark();
      try {
        growOne(t, draft);
        response.results().add(grown(t.name(), Errors.NONE, null));
      } catch (ControllerException e) {
        draft.reset(mark);
        response.results().add(grown(t.name(), e.error(), e.getMessage()));
      }
    }
    if (request.validateOnly()) {
      draft.reset(start);
    }
    return response;
  }

  private static void checkTotal(CreatePartitionsRequest request, MetadataImage image) {
    long total = 0;
    for (CreatePartitionsTopic t : request.topics()) {
      TopicImage topic = image.topic(t.name());
      total += topic == null ? 0 : Math.max(0, t.count() - topic.partitionCount());
    }
    if (total > TopicCreation.MAX_NEW_PARTITIONS) {
      throw new ControllerException(
          Errors.POLICY_VIOLATION,
          "Excessively large number of additional partitions per request.");
    }
  }

  private void growOne(CreatePartitionsTopic t, Draft draft) {
    MetadataImage image = draft.image();
    TopicImage topic = image.topic(t.name());
    if (topic == null) {
      throw new ControllerException(Errors.UNKNOWN_TOPIC_OR_PARTITION, null);
    }
    int had = topic.partitionCount();
    if (t.count() == had) {
      throw new ControllerException(
          Errors.INVALID_PARTITIONS, "Topic already has " + had + " partition(s).");
    }
    if (t.count() < had) {
      throw new ControllerException(
          Errors.INVALID_PARTITIONS,
          "The topic "
              + t.name()
              + " currently has "
              + had
              + " partition(s); "
              + t.count()
              + " would not be an increase.");
    }
    int additional = t.count() - had;
    int factor = topic.partition(0).replicas().size();
    if (t.assignments() != null && t.assignments().size() != additional) {
      throw Placement.invalid(
          "Attempted to add "
              + additional
              + " additional partition(s), but only "
              + t.assignments().size()
              + " assignment(s) were specified.");
    }
    draft.takeFromQuota(additional);
    List<List<Integer>> replicas =
        t.assignments() == null
            ? new ReplicaPlacer(image, random).place(additional, factor)
            : chosen(image, t, additional, factor);
    for (int i = 0; i < replicas.size(); i++) {
      if (Placement.active(image, replicas.get(i)).isEmpty()) {
        throw ReplicaPlacer.refused(
            factor, "All brokers are currently fenced or in controlled shutdown.");
      }
      draft.add(Placement.record(image, topic.id(), had + i, replicas.get(i)));
    }
  }

  private static List<List<Integer>> chosen(
      MetadataImage image, CreatePartitionsTopic t, int additional, int factor) {
    List<List<Integer>> chosen = new ArrayList<>();
    int first = t.count() - additional;
    for (CreatePartitionsRequest.CreatePartitionsAssignment a : t.assignments()) {
      Placement.checkManual(image, a.brokerIds(), OptionalInt.of(factor));
      Placement.checkActive(image, a.brokerIds(), first + chosen.size());
      chosen.add(a.brokerIds());
    }
    return chosen;
  }

  static CreatePartitionsTopicResult grown(String name, Errors error, String message) {
    return new CreatePartitionsTopicResult()
        .name(name)
        .errorCode(error.code())
        .errorMessage(message);
  }
}
