package dev.vitrine.broker.api;

import dev.vitrine.broker.partition.Partition.EpochAnswer;
import dev.vitrine.broker.replication.Replicas;
import dev.vitrine.metadata.MetadataImage;
import dev.vitrine.metadata.TopicImage;
import dev.vitrine.protocol.ApiMessage;
import dev.vitrine.protocol.Errors;
import dev.vitrine.protocol.TopicPartition;
import dev.vitrine.protocol.message.OffsetForLeaderEpochRequest;
import dev.vitrine.protocol.message.OffsetForLeaderEpochRequest.OffsetForLeaderPartition;
import dev.vitrine.protocol.message.OffsetForLeaderEpochRequest.OffsetForLeaderTopic;
import dev.vitrine.protocol.message.OffsetForLeaderEpochResponse;
import dev.vitrine.protocol.message.OffsetForLeaderEpochResponse.EpochEndOffset;
import dev.vitrine.protocol.message.OffsetForLeaderEpochResponse.OffsetForLeaderTopicResult;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * OffsetForLeaderEpoch, versions 2 to 4 (KIP-101, KIP-320): where the leader's log ends an epoch,
 * for consumers that want to know whether their position was truncated. An epoch that the leader
 * does not know is answered with -1 and -1, without an error.
 */
public final class OffsetForLeaderEpochHandler implements ApiHandler {
  private final Replicas replicas;
  private final Supplier<MetadataImage> metadata;

  public OffsetForLeaderEpochHandler(Replicas replicas, Supplier<MetadataImage> metadata) {
    this.replicas = replicas;
    this.metadata = metadata;
  }

  @Override
  public void handle(RequestContext context, ApiMessage message, Responder responder) {
    OffsetForLeaderEpochResponse response = new OffsetForLeaderEpochResponse();
    OpenAnswers open = new OpenAnswers(() -> responder.respond(response));
    MetadataImage image = metadata.get();
    for (OffsetForLeaderTopic asked : ((OffsetForLeaderEpochRequest) message).topics()) {
      OffsetForLeaderTopicResult answer = new OffsetForLeaderTopicResult().topic(asked.topic());
      response.topics().add(answer);
      TopicImage topic = image.topic(asked.topic());
      for (OffsetForLeaderPartition p : asked.partitions()) {
        EpochEndOffset slot = new EpochEndOffset().partition(p.partition());
        answer.partitions().add(slot);
        if (topic == null || topic.partition(p.partition()) == null) {
          slot.errorCode(Errors.UNKNOWN_TOPIC_OR_PARTITION.code());
        } else {
          open.expectOne();
          ask(topic, p, Replicas.reply(context.shard(), found -> tell(slot, found, open)));
        }
      }
    }
    open.oneDone();
  }

  private void ask(TopicImage topic, OffsetForLeaderPartition p, Consumer<EpochAnswer> back) {
    replicas.with(
        new TopicPartition(topic.name(), p.partition()),
        topic.id(),
        partition ->
            back.accept(
                partition == null
                    ? EpochAnswer.failed(Errors.NOT_LEADER_OR_FOLLOWER)
                    : partition.endOffsetForEpoch(p.currentLeaderEpoch(), p.leaderEpoch())));
  }

  private static void tell(EpochEndOffset slot, EpochAnswer found, OpenAnswers open) {
    slot.errorCode(found.error().code())
        .leaderEpoch(found.end().leaderEpoch())
        .endOffset(found.end().endOffset());
    open.oneDone();
  }
}
