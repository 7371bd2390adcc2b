package dev.vitrine.metadata;

import dev.vitrine.protocol.ApiMessage;
import dev.vitrine.protocol.Uuid;
import dev.vitrine.protocol.message.ClearElrRecord;
import dev.vitrine.protocol.message.PartitionChangeRecord;
import dev.vitrine.protocol.message.PartitionRecord;
import dev.vitrine.protocol.message.RemoveTopicRecord;
import dev.vitrine.protocol.message.TopicRecord;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.pcollections.HashTreePMap;
import org.pcollections.PMap;

/** All topics, by id and by name. Immutable. */
public final class TopicsImage {
  static final TopicsImage EMPTY = new TopicsImage(HashTreePMap.empty(), HashTreePMap.empty());

  private final PMap<Uuid, TopicImage> byId;
  private final PMap<String, Uuid> idByName;

  private TopicsImage(PMap<Uuid, TopicImage> byId, PMap<String, Uuid> idByName) {
    this.byId = byId;
    this.idByName = idByName;
  }

  /** The topic, or null. */
  public TopicImage topic(Uuid id) {
    return byId.get(id);
  }

  /** The topic, or null. */
  public TopicImage topic(String name) {
    Uuid id = idByName.get(name);
    return id == null ? null : byId.get(id);
  }

  /** All topics, in an order that is the same in each run but means nothing. */
  public Collection<TopicImage> all() {
    return byId.values();
  }

  public int size() {
    return byId.size();
  }

  TopicsImage with(TopicRecord r) {
    TopicImage former = topic(r.name());
    PMap<Uuid, TopicImage> topics = former == null ? byId : byId.minus(former.id());
    return new TopicsImage(
        topics.plus(r.topicId(), TopicImage.empty(r.name(), r.topicId())),
        idByName.plus(r.name(), r.topicId()));
  }

  TopicsImage with(PartitionRecord r) {
    TopicImage topic = known(r, r.topicId());
    return replace(topic.with(r.partitionId(), PartitionImage.of(r)));
  }

  TopicsImage with(PartitionChangeRecord r) {
    TopicImage topic = known(r, r.topicId());
    PartitionImage partition = topic.partition(r.partitionId());
    if (partition == null) {
      throw new InvalidMetadataRecordException(r, "no such partition of topic " + topic.name());
    }
    return replace(topic.with(r.partitionId(), partition.with(r)));
  }

  TopicsImage without(RemoveTopicRecord r) {
    TopicImage topic = known(r, r.topicId());
    return new TopicsImage(byId.minus(topic.id()), idByName.minus(topic.name()));
  }

  TopicsImage with(ClearElrRecord r) {
    TopicsImage image = this;
    for (TopicImage topic : elrTopics(r)) {
      for (Map.Entry<Integer, PartitionImage> e : topic.partitions().entrySet()) {
        PartitionImage cleared = e.getValue().withoutElr();
        if (cleared != e.getValue()) {
          image = image.replace(image.topic(topic.id()).with(e.getKey(), cleared));
        }
      }
    }
    return image;
  }

  /** The topics that the record is about: one, or all if it names none. */
  List<TopicImage> elrTopics(ClearElrRecord r) {
    if (r.topicName().isEmpty()) {
      return List.copyOf(all());
    }
    TopicImage topic = topic(r.topicName());
    if (topic == null) {
      throw new InvalidMetadataRecordException(r, "no such topic");
    }
    return List.of(topic);
  }

  private TopicsImage replace(TopicImage topic) {
    return new TopicsImage(byId.plus(topic.id(), topic), idByName);
  }

  private TopicImage known(ApiMessage r, Uuid id) {
    TopicImage topic = byId.get(id);
    if (topic == null) {
      throw new InvalidMetadataRecordException(r, "no such topic");
    }
    return topic;
  }

  void addRecords(List<ApiMessage> to) {
    for (TopicImage topic : all()) {
      to.add(new TopicRecord().name(topic.name()).topicId(topic.id()));
      topic.partitions().forEach((index, p) -> to.add(p.toRecord(topic.id(), index)));
    }
  }

  @Override
  public boolean equals(Object o) {
    return o instanceof TopicsImage t && byId.equals(t.byId) && idByName.equals(t.idByName);
  }

  @Override
  public int hashCode() {
    return byId.hashCode();
  }

  @Override
  public String toString() {
    return byId.values().toString();
  }
}
