package dev.vitrine.broker.group;

import dev.vitrine.broker.group.assignor.ServerAssignors;
import dev.vitrine.config.ConsumerGroupTerms;
import dev.vitrine.config.GroupSettings;
import dev.vitrine.metadata.MetadataImage;
import dev.vitrine.metadata.TopicImage;
import dev.vitrine.protocol.Uuid;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * What is about to become of a consumer group: the image as it would be after the records that were
 * decided on so far. Pure: nothing of it counts until the records are appended. Lives for one
 * request.
 */
final class ConsumerDraft {
  /**
   * What decisions rest on beside the group itself.
   *
   * @param terms the group's own configuration
   * @param assignors those of {@code group.consumer.assignors}
   * @param now milliseconds since 1970
   */
  record Surroundings(
      MetadataImage cluster,
      GroupSettings settings,
      ConsumerGroupTerms terms,
      ServerAssignors assignors,
      long now) {}

  private final String groupId;
  private final Surroundings around;
  private final List<CoordinatorRecord> records = new ArrayList<>();
  private ConsumerGroupView view;

  /**
   * @param before of {@link ConsumerGroupImage#NEW} for a group that is to be made
   */
  ConsumerDraft(String groupId, ConsumerGroupView before, Surroundings around) {
    this.groupId = groupId;
    this.around = around;
    this.view = before;
  }

  String groupId() {
    return groupId;
  }

  Surroundings around() {
    return around;
  }

  ConsumerGroupImage image() {
    return view.image();
  }

  ConsumerGroupView view() {
    return view;
  }

  List<CoordinatorRecord> records() {
    return records;
  }

  void add(CoordinatorRecord r) {
    records.add(r);
    if (groupId.equals(ConsumerGroupImage.groupOf(r))) {
      ConsumerGroupImage after = image().with(r);
      view = new ConsumerGroupView(after == null ? ConsumerGroupImage.NEW : after);
    }
  }

  void addAll(List<CoordinatorRecord> more) {
    more.forEach(this::add);
  }

  /** Ids of the topics that a member wants and that are there. */
  Set<Uuid> subscribedIds(ConsumerMember m) {
    Set<Uuid> ids = new TreeSet<>();
    addIds(m.profile().topics(), ids);
    if (m.profile().hasRegex()) {
      ResolvedRegex regex = image().regexes().get(m.profile().regex());
      if (regex != null) {
        addIds(regex.topics(), ids);
      }
    }
    return ids;
  }

  private void addIds(Set<String> names, Set<Uuid> to) {
    for (String name : names) {
      TopicImage topic = around.cluster().topic(name);
      if (topic != null) {
        to.add(topic.id());
      }
    }
  }

  /** The hash of the topics that the group would be subscribed to. */
  long metadataHash() {
    return MetadataHash.of(view.subscribedTopics(), around.cluster());
  }

  void nextEpoch(long metadataHash) {
    add(ConsumerGroupRecords.group(groupId, image().epochs().group() + 1, metadataHash));
  }
}
