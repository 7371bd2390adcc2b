package dev.vitrine.broker.group;

import dev.vitrine.metadata.MetadataImage;
import dev.vitrine.metadata.TopicImage;
import dev.vitrine.protocol.Uuid;
import dev.vitrine.protocol.message.ConsumerGroupDescribeResponse.Assignment;
import dev.vitrine.protocol.message.ConsumerGroupDescribeResponse.DescribedGroup;
import dev.vitrine.protocol.message.ConsumerGroupDescribeResponse.Member;
import dev.vitrine.protocol.message.ConsumerGroupDescribeResponse.TopicPartitions;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** A consumer group in the words of ConsumerGroupDescribe. Pure. */
final class ConsumerGroupDescription {
  private static final byte CLASSIC_MEMBER = 0;
  private static final byte CONSUMER_MEMBER = 1;

  private ConsumerGroupDescription() {}

  static DescribedGroup of(
      String groupId, ConsumerGroupView view, String defaultAssignor, MetadataImage cluster) {
    ConsumerGroupImage image = view.image();
    String assignor = view.preferredAssignor();
    List<Member> members = new ArrayList<>();
    for (ConsumerMember m : image.members().values()) {
      members.add(member(m, image.target(m.memberId()), cluster));
    }
    return new DescribedGroup()
        .groupId(groupId)
        .groupState(view.state())
        .groupEpoch(image.epochs().group())
        .assignmentEpoch(image.epochs().target())
        .assignorName(assignor == null ? defaultAssignor : assignor)
        .members(members);
  }

  private static Member member(ConsumerMember m, TargetAssignment target, MetadataImage cluster) {
    ConsumerMember.Profile p = m.profile();
    TreeMap<Uuid, Set<Integer>> owned = new TreeMap<>();
    PartitionEpochs.Visitor add =
        (topic, partition, epoch) ->
            owned.computeIfAbsent(topic, t -> new TreeSet<>()).add(partition);
    m.current().assigned().forEach(add);
    m.current().revoking().forEach(add);
    return new Member()
        .memberId(m.memberId())
        .instanceId(p.instanceId())
        .rackId(p.rackId())
        .memberEpoch(m.epoch())
        .clientId(p.clientId())
        .clientHost(p.clientHost())
        .subscribedTopicNames(new ArrayList<>(p.topics()))
        .subscribedTopicRegex(p.regex())
        .assignment(assignment(owned, cluster))
        .targetAssignment(assignment(target.partitions(), cluster))
        .memberType(m.isClassic() ? CLASSIC_MEMBER : CONSUMER_MEMBER);
  }

  private static Assignment assignment(
      Map<Uuid, ? extends Collection<Integer>> partitions, MetadataImage cluster) {
    List<TopicPartitions> topics = new ArrayList<>();
    partitions.forEach(
        (id, indexes) -> {
          TopicImage topic = cluster.topic(id);
          if (topic != null) {
            topics.add(
                new TopicPartitions()
                    .topicId(id)
                    .topicName(topic.name())
                    .partitions(new ArrayList<>(indexes)));
          }
        });
    return new Assignment().topicPartitions(topics);
  }
}
