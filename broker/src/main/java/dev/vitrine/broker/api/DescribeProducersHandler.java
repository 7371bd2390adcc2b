package dev.vitrine.broker.api;

import dev.vitrine.broker.partition.Partition;
import dev.vitrine.broker.replication.Replicas;
import dev.vitrine.metadata.MetadataImage;
import dev.vitrine.metadata.TopicImage;
import dev.vitrine.metadata.TopicName;
import dev.vitrine.protocol.ApiMessage;
import dev.vitrine.protocol.Errors;
import dev.vitrine.protocol.TopicPartition;
import dev.vitrine.protocol.message.DescribeProducersRequest;
import dev.vitrine.protocol.message.DescribeProducersRequest.TopicRequest;
import dev.vitrine.protocol.message.DescribeProducersResponse;
import dev.vitrine.protocol.message.DescribeProducersResponse.PartitionResponse;
import dev.vitrine.protocol.message.DescribeProducersResponse.ProducerState;
import dev.vitrine.protocol.message.DescribeProducersResponse.TopicResponse;
import dev.vitrine.storage.ProducerEntry;
import java.util.Comparator;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * DescribeProducers, version 0 (KIP-664): the idempotent producers that a replica's log remembers,
 * by their ids. Leader or follower answers for its own log, so that they can be compared.
 */
public final class DescribeProducersHandler implements ApiHandler {
  private final Replicas replicas;
  private final Supplier<MetadataImage> metadata;

  public DescribeProducersHandler(Replicas replicas, Supplier<MetadataImage> metadata) {
    this.replicas = replicas;
    this.metadata = metadata;
  }

  @Override
  public void handle(RequestContext context, ApiMessage message, Responder responder) {
    DescribeProducersResponse response = new DescribeProducersResponse();
    OpenAnswers open = new OpenAnswers(() -> responder.respond(response));
    MetadataImage image = metadata.get();
    for (TopicRequest asked : ((DescribeProducersRequest) message).topics()) {
      TopicResponse answer = new TopicResponse().name(asked.name());
      response.topics().add(answer);
      String problem = TopicName.problem(asked.name());
      TopicImage topic = image.topic(asked.name());
      for (int index : asked.partitionIndexes()) {
        PartitionResponse slot = new PartitionResponse().partitionIndex(index);
        answer.partitions().add(slot);
        if (problem != null) {
          slot.errorCode(Errors.INVALID_TOPIC_EXCEPTION.code()).errorMessage(problem);
        } else if (topic == null) {
          Errors unknown = Errors.UNKNOWN_TOPIC_OR_PARTITION;
          slot.errorCode(unknown.code()).errorMessage(unknown.message());
        } else if (topic.partition(index) == null) {
          // Without the text, as Kafka has it.
          slot.errorCode(Errors.UNKNOWN_TOPIC_OR_PARTITION.code());
        } else {
          open.expectOne();
          ask(topic, index, Replicas.reply(context.shard(), found -> tell(slot, found, open)));
        }
      }
    }
    open.oneDone();
  }

  /** Answers null if there is no replica here. */
  private void ask(TopicImage topic, int index, Consumer<List<ProducerState>> back) {
    replicas.with(
        new TopicPartition(topic.name(), index),
        topic.id(),
        partition -> back.accept(partition == null ? null : producers(partition)));
  }

  /** On the partition's shard. */
  private static List<ProducerState> producers(Partition partition) {
    return partition.log().producers().stream()
        .sorted(Comparator.comparingLong(ProducerEntry::producerId))
        .map(DescribeProducersHandler::state)
        .toList();
  }

  private static ProducerState state(ProducerEntry e) {
    return new ProducerState()
        .producerId(e.producerId())
        .producerEpoch(e.epoch())
        .lastSequence(e.lastSequence())
        .lastTimestamp(e.lastTimestamp())
        .coordinatorEpoch(e.coordinatorEpoch())
        .currentTxnStartOffset(e.transactionFirstOffset());
  }

  private static void tell(PartitionResponse slot, List<ProducerState> found, OpenAnswers open) {
    if (found == null) {
      slot.errorCode(Errors.NOT_LEADER_OR_FOLLOWER.code());
    } else {
      slot.activeProducers(found);
    }
    open.oneDone();
  }
}
