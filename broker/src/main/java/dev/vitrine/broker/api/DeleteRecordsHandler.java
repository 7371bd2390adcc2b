package dev.vitrine.broker.api;

import dev.vitrine.broker.partition.DeleteOutcome;
import dev.vitrine.broker.replication.Replicas;
import dev.vitrine.metadata.MetadataImage;
import dev.vitrine.metadata.TopicImage;
import dev.vitrine.protocol.ApiMessage;
import dev.vitrine.protocol.Errors;
import dev.vitrine.protocol.TopicPartition;
import dev.vitrine.protocol.message.DeleteRecordsRequest;
import dev.vitrine.protocol.message.DeleteRecordsRequest.DeleteRecordsPartition;
import dev.vitrine.protocol.message.DeleteRecordsRequest.DeleteRecordsTopic;
import dev.vitrine.protocol.message.DeleteRecordsResponse;
import dev.vitrine.protocol.message.DeleteRecordsResponse.DeleteRecordsPartitionResult;
import dev.vitrine.protocol.message.DeleteRecordsResponse.DeleteRecordsTopicResult;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * DeleteRecords, versions 0 to 2 (KIP-107): everything before an offset, or before the high
 * watermark (-1), no longer counts. Answered when that is so on every live replica, or after {@code
 * timeoutMs} with REQUEST_TIMED_OUT: it is then done on the leader, and the others follow.
 *
 * <p>Of a partition that is named more than once, the last offset is taken. The brokers' own topics
 * are INVALID_TOPIC_EXCEPTION. The files go with the next retention check.
 */
public final class DeleteRecordsHandler implements ApiHandler {
  private final Replicas replicas;
  private final Supplier<MetadataImage> metadata;

  public DeleteRecordsHandler(Replicas replicas, Supplier<MetadataImage> metadata) {
    this.replicas = replicas;
    this.metadata = metadata;
  }

  @Override
  public void handle(RequestContext context, ApiMessage message, Responder responder) {
    DeleteRecordsRequest request = (DeleteRecordsRequest) message;
    DeleteRecordsResponse response = new DeleteRecordsResponse();
    OpenAnswers open = new OpenAnswers(() -> responder.respond(response));
    MetadataImage image = metadata.get();
    long deadline = context.shard().ticks() + Math.max(0, request.timeoutMs());
    asked(request)
        .forEach(
            (name, offsets) -> {
              DeleteRecordsTopicResult answer = new DeleteRecordsTopicResult().name(name);
              response.topics().add(answer);
              offsets.forEach(
                  (index, offset) -> {
                    DeleteRecordsPartitionResult slot =
                        new DeleteRecordsPartitionResult().partitionIndex(index);
                    answer.partitions().add(slot);
                    open.expectOne();
                    Consumer<DeleteOutcome> back =
                        Replicas.reply(context.shard(), found -> tell(slot, found, open));
                    delete(image.topic(name), index, offset, new Waiter(deadline, back));
                  });
            });
    open.oneDone();
  }

  private static Map<String, Map<Integer, Long>> asked(DeleteRecordsRequest request) {
    Map<String, Map<Integer, Long>> asked = new LinkedHashMap<>();
    for (DeleteRecordsTopic topic : request.topics()) {
      for (DeleteRecordsPartition p : topic.partitions()) {
        asked
            .computeIfAbsent(topic.name(), name -> new TreeMap<>())
            .put(p.partitionIndex(), p.offset());
      }
    }
    return asked;
  }

  /** Whom to tell, and until when it may wait, in ticks of the connection's shard. */
  private record Waiter(long deadline, Consumer<DeleteOutcome> back) {}

  private void delete(TopicImage topic, int index, long offset, Waiter waiter) {
    if (topic == null || topic.partition(index) == null) {
      waiter.back.accept(DeleteOutcome.failed(Errors.UNKNOWN_TOPIC_OR_PARTITION));
    } else if (InternalTopics.contains(topic.name())) {
      waiter.back.accept(DeleteOutcome.failed(Errors.INVALID_TOPIC_EXCEPTION));
    } else {
      replicas.with(
          new TopicPartition(topic.name(), index),
          topic.id(),
          partition -> {
            if (partition == null) {
              waiter.back.accept(DeleteOutcome.failed(Errors.NOT_LEADER_OR_FOLLOWER));
            } else {
              partition.deleteRecords(offset, waiter.deadline, waiter.back);
            }
          });
    }
  }

  private static void tell(
      DeleteRecordsPartitionResult slot, DeleteOutcome found, OpenAnswers open) {
    slot.errorCode(found.error().code()).lowWatermark(found.lowWatermark());
    open.oneDone();
  }
}
