package dev.vitrine.broker.api;

import dev.vitrine.metadata.MetadataImage;
import dev.vitrine.metadata.PartitionImage;
import dev.vitrine.metadata.TopicImage;
import dev.vitrine.protocol.ApiMessage;
import dev.vitrine.protocol.Errors;
import dev.vitrine.protocol.message.DescribeTopicPartitionsRequest;
import dev.vitrine.protocol.message.DescribeTopicPartitionsRequest.TopicRequest;
import dev.vitrine.protocol.message.DescribeTopicPartitionsResponse;
import dev.vitrine.protocol.message.DescribeTopicPartitionsResponse.Cursor;
import dev.vitrine.protocol.message.DescribeTopicPartitionsResponse.DescribeTopicPartitionsResponsePartition;
import dev.vitrine.protocol.message.DescribeTopicPartitionsResponse.DescribeTopicPartitionsResponseTopic;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.Supplier;

/**
 * DescribeTopicPartitions, version 0 (KIP-966): topics by name in order, all of them if none is
 * named, in pages of so many partitions. The cursor of an answer, sent back, continues there; one
 * that points before the first partition, or at a topic that is not asked for, is INVALID_REQUEST
 * for every topic. Topics that are not there take no room in a page.
 */
public final class DescribeTopicPartitionsHandler implements ApiHandler {
  private final Supplier<MetadataImage> metadata;
  private final int maxPartitions;

  /**
   * @param maxPartitions {@code max.request.partition.size.limit}: the largest page
   */
  public DescribeTopicPartitionsHandler(Supplier<MetadataImage> metadata, int maxPartitions) {
    this.metadata = metadata;
    this.maxPartitions = maxPartitions;
  }

  @Override
  public void handle(RequestContext context, ApiMessage message, Responder responder) {
    DescribeTopicPartitionsRequest request = (DescribeTopicPartitionsRequest) message;
    DescribeTopicPartitionsRequest.Cursor cursor = request.cursor();
    SortedSet<String> names = new TreeSet<>();
    request.topics().forEach(t -> names.add(t.name()));
    if (cursor != null
        && (cursor.partitionIndex() < 0
            || !names.isEmpty() && !names.contains(cursor.topicName()))) {
      responder.respond(refused(request));
      return;
    }
    MetadataImage image = metadata.get();
    boolean all = names.isEmpty();
    if (all) {
      image.topics().all().forEach(t -> names.add(t.name()));
    }
    int limit = Math.max(1, Math.min(maxPartitions, request.responsePartitionLimit()));
    Page page = new Page(image, context.listenerName(), limit);
    for (String name : cursor == null ? names : names.tailSet(cursor.topicName())) {
      boolean resumed = cursor != null && name.equals(cursor.topicName());
      if (!page.add(name, resumed ? cursor.partitionIndex() : 0)) {
        break;
      }
    }
    responder.respond(page.response);
  }

  private static DescribeTopicPartitionsResponse refused(DescribeTopicPartitionsRequest request) {
    DescribeTopicPartitionsResponse response = new DescribeTopicPartitionsResponse();
    for (TopicRequest t : request.topics()) {
      response
          .topics()
          .add(
              new DescribeTopicPartitionsResponseTopic()
                  .name(t.name())
                  .errorCode(Errors.INVALID_REQUEST.code()));
    }
    return response;
  }

  /** One answer as it fills. */
  private static final class Page {
    private final MetadataImage image;
    private final Reachability reachability;
    private final DescribeTopicPartitionsResponse response = new DescribeTopicPartitionsResponse();
    private int left;

    Page(MetadataImage image, String listener, int limit) {
      this.image = image;
      this.reachability = new Reachability(image, listener);
      this.left = limit;
    }

    /** False if the page is full: the cursor stands where the next begins. */
    boolean add(String name, int firstPartition) {
      if (left == 0) {
        response.nextCursor(new Cursor().topicName(name).partitionIndex(0));
        return false;
      }
      DescribeTopicPartitionsResponseTopic topic =
          new DescribeTopicPartitionsResponseTopic()
              .name(name)
              .isInternal(InternalTopics.contains(name))
              .topicAuthorizedOperations(Operations.ON_TOPIC);
      response.topics().add(topic);
      TopicImage t = image.topic(name);
      if (t == null) {
        Errors error =
            TopicCreator.isValid(name)
                ? Errors.UNKNOWN_TOPIC_OR_PARTITION
                : Errors.INVALID_TOPIC_EXCEPTION;
        topic.errorCode(error.code());
        return true;
      }
      topic.topicId(t.id());
      for (int i = firstPartition; i < t.partitionCount(); i++) {
        if (left == 0) {
          response.nextCursor(new Cursor().topicName(name).partitionIndex(i));
          return false;
        }
        topic.partitions().add(partition(i, t.partition(i)));
        left--;
      }
      return true;
    }

    private DescribeTopicPartitionsResponsePartition partition(int index, PartitionImage p) {
      Errors error = reachability.leaderError(p);
      return new DescribeTopicPartitionsResponsePartition()
          .errorCode(error.code())
          .partitionIndex(index)
          .leaderId(error == Errors.NONE ? p.leader() : -1)
          .leaderEpoch(p.leaderEpoch())
          .replicaNodes(p.replicas())
          .isrNodes(p.isr())
          .eligibleLeaderReplicas(p.elr())
          .lastKnownElr(p.lastKnownElr())
          .offlineReplicas(reachability.offline(p));
    }
  }
}
