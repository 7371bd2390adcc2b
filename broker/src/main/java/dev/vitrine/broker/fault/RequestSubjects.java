package dev.vitrine.broker.fault;

import dev.vitrine.protocol.ApiMessage;
import dev.vitrine.protocol.Uuid;
import dev.vitrine.protocol.message.AddOffsetsToTxnRequest;
import dev.vitrine.protocol.message.ConsumerGroupHeartbeatRequest;
import dev.vitrine.protocol.message.CreatePartitionsRequest;
import dev.vitrine.protocol.message.CreateTopicsRequest;
import dev.vitrine.protocol.message.DeleteGroupsRequest;
import dev.vitrine.protocol.message.DeleteRecordsRequest;
import dev.vitrine.protocol.message.DeleteTopicsRequest;
import dev.vitrine.protocol.message.DescribeGroupsRequest;
import dev.vitrine.protocol.message.DescribeTopicPartitionsRequest;
import dev.vitrine.protocol.message.FetchRequest;
import dev.vitrine.protocol.message.FindCoordinatorRequest;
import dev.vitrine.protocol.message.HeartbeatRequest;
import dev.vitrine.protocol.message.JoinGroupRequest;
import dev.vitrine.protocol.message.LeaveGroupRequest;
import dev.vitrine.protocol.message.ListOffsetsRequest;
import dev.vitrine.protocol.message.MetadataRequest;
import dev.vitrine.protocol.message.OffsetCommitRequest;
import dev.vitrine.protocol.message.OffsetDeleteRequest;
import dev.vitrine.protocol.message.OffsetFetchRequest;
import dev.vitrine.protocol.message.OffsetForLeaderEpochRequest;
import dev.vitrine.protocol.message.ProduceRequest;
import dev.vitrine.protocol.message.SyncGroupRequest;
import dev.vitrine.protocol.message.TxnOffsetCommitRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;

/**
 * Which topics and groups a request names. Those of APIs that are not here name none: a fault for a
 * topic or group does not happen to them. Nor does a Fetch name what its session knows.
 */
final class RequestSubjects {
  private RequestSubjects() {}

  /** By name; those that go by id where the name is known. */
  static List<String> topics(ApiMessage request, Function<Uuid, String> nameOf) {
    Function<Uuid, String> names =
        id -> id == null || id.equals(Uuid.ZERO) ? null : nameOf.apply(id);
    if (request instanceof ProduceRequest r) {
      return each(r.topicData(), t -> either(t.name(), t.topicId(), names));
    } else if (request instanceof FetchRequest r) {
      return each(r.topics(), t -> either(t.topic(), t.topicId(), names));
    } else if (request instanceof ListOffsetsRequest r) {
      return each(r.topics(), ListOffsetsRequest.ListOffsetsTopic::name);
    } else if (request instanceof MetadataRequest r) {
      return each(r.topics(), t -> either(t.name(), t.topicId(), names));
    } else if (request instanceof OffsetCommitRequest r) {
      return each(r.topics(), t -> either(t.name(), t.topicId(), names));
    } else if (request instanceof OffsetFetchRequest r) {
      List<String> topics = each(r.topics(), OffsetFetchRequest.OffsetFetchRequestTopic::name);
      r.groups()
          .forEach(g -> topics.addAll(each(g.topics(), t -> either(t.name(), t.topicId(), names))));
      return topics;
    } else if (request instanceof OffsetForLeaderEpochRequest r) {
      return each(r.topics(), OffsetForLeaderEpochRequest.OffsetForLeaderTopic::topic);
    } else if (request instanceof TxnOffsetCommitRequest r) {
      return each(r.topics(), t -> either(t.name(), t.topicId(), names));
    }
    return administered(request, names);
  }

  private static List<String> administered(ApiMessage request, Function<Uuid, String> names) {
    if (request instanceof CreateTopicsRequest r) {
      return each(r.topics(), CreateTopicsRequest.CreatableTopic::name);
    } else if (request instanceof DeleteTopicsRequest r) {
      List<String> topics = each(r.topics(), t -> either(t.name(), t.topicId(), names));
      topics.addAll(r.topicNames());
      return topics;
    } else if (request instanceof CreatePartitionsRequest r) {
      return each(r.topics(), CreatePartitionsRequest.CreatePartitionsTopic::name);
    } else if (request instanceof DeleteRecordsRequest r) {
      return each(r.topics(), DeleteRecordsRequest.DeleteRecordsTopic::name);
    } else if (request instanceof DescribeTopicPartitionsRequest r) {
      return each(r.topics(), DescribeTopicPartitionsRequest.TopicRequest::name);
    }
    return List.of();
  }

  private static <T> List<String> each(List<T> topics, Function<T, String> name) {
    List<String> names = new ArrayList<>();
    if (topics != null) {
      topics.stream().map(name).filter(Objects::nonNull).forEach(names::add);
    }
    return names;
  }

  private static String either(String name, Uuid id, Function<Uuid, String> names) {
    return name == null || name.isEmpty() ? names.apply(id) : name;
  }

  static List<String> groups(ApiMessage request) {
    if (request instanceof JoinGroupRequest r) {
      return List.of(r.groupId());
    } else if (request instanceof SyncGroupRequest r) {
      return List.of(r.groupId());
    } else if (request instanceof HeartbeatRequest r) {
      return List.of(r.groupId());
    } else if (request instanceof LeaveGroupRequest r) {
      return List.of(r.groupId());
    } else if (request instanceof ConsumerGroupHeartbeatRequest r) {
      return List.of(r.groupId());
    } else if (request instanceof OffsetCommitRequest r) {
      return List.of(r.groupId());
    } else if (request instanceof OffsetFetchRequest r) {
      List<String> groups = each(r.groups(), OffsetFetchRequest.OffsetFetchRequestGroup::groupId);
      groups.add(r.groupId());
      return groups;
    } else if (request instanceof OffsetDeleteRequest r) {
      return List.of(r.groupId());
    } else if (request instanceof TxnOffsetCommitRequest r) {
      return List.of(r.groupId());
    } else if (request instanceof AddOffsetsToTxnRequest r) {
      return List.of(r.groupId());
    } else if (request instanceof DescribeGroupsRequest r) {
      return r.groups();
    } else if (request instanceof DeleteGroupsRequest r) {
      return r.groupsNames();
    } else if (request instanceof FindCoordinatorRequest r) {
      List<String> groups = new ArrayList<>(r.coordinatorKeys());
      groups.add(r.key());
      return groups;
    }
    return List.of();
  }
}
