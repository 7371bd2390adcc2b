package dev.vitrine.broker.api;

import dev.vitrine.broker.partition.OffsetLookup;
import dev.vitrine.broker.partition.ReadLimit;
import dev.vitrine.broker.replication.Replicas;
import dev.vitrine.metadata.MetadataImage;
import dev.vitrine.metadata.TopicImage;
import dev.vitrine.protocol.ApiMessage;
import dev.vitrine.protocol.Errors;
import dev.vitrine.protocol.TopicPartition;
import dev.vitrine.protocol.message.ListOffsetsRequest;
import dev.vitrine.protocol.message.ListOffsetsRequest.ListOffsetsPartition;
import dev.vitrine.protocol.message.ListOffsetsRequest.ListOffsetsTopic;
import dev.vitrine.protocol.message.ListOffsetsResponse;
import dev.vitrine.protocol.message.ListOffsetsResponse.ListOffsetsPartitionResponse;
import dev.vitrine.protocol.message.ListOffsetsResponse.ListOffsetsTopicResponse;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * ListOffsets, versions 1 to 11: offsets by time, and the special ones. Finding them is the
 * partition's.
 *
 * <ul>
 *   <li>A partition that is named more than once is INVALID_REQUEST, once.
 *   <li>Special timestamps that came later than the version are UNSUPPORTED_VERSION: -3 in 7, -4 in
 *       8, -5 in 9, -6 in 11.
 *   <li>OFFSET_NOT_AVAILABLE came in version 5 (KIP-207): older clients are told
 *       LEADER_NOT_AVAILABLE, which they know how to retry.
 *   <li>Consumers see as far as their isolation allows; all others to the log end. Only a debugging
 *       client (-2) may ask a follower.
 *   <li>An unknown isolation level is INVALID_REQUEST, where Kafka stumbles and answers
 *       UNKNOWN_SERVER_ERROR.
 * </ul>
 *
 * {@code timeoutMs} bounds a wait for tiered storage, of which there is none.
 */
public final class ListOffsetsHandler implements ApiHandler {
  private static final short FIRST_WITH_LEADER_EPOCH = 4;
  private static final short FIRST_WITH_OFFSET_NOT_AVAILABLE = 5;
  private static final int CONSUMER = -1;
  private static final int DEBUGGING = -2;

  private final Replicas replicas;
  private final Supplier<MetadataImage> metadata;

  public ListOffsetsHandler(Replicas replicas, Supplier<MetadataImage> metadata) {
    this.replicas = replicas;
    this.metadata = metadata;
  }

  @Override
  public void handle(RequestContext context, ApiMessage message, Responder responder) {
    new Lookups(context, (ListOffsetsRequest) message, responder).start();
  }

  /** Which version first knows a timestamp; beyond all versions if none does. */
  private static int firstVersionWith(long timestamp) {
    if (timestamp >= OffsetLookup.EARLIEST) {
      return 1;
    }
    return switch ((int) Math.max(timestamp, -100)) {
      case -3 -> 7;
      case -4 -> 8;
      case -5 -> 9;
      case -6 -> 11;
      default -> Integer.MAX_VALUE;
    };
  }

  /** One request; belongs to the connection's shard. */
  private final class Lookups {
    private final RequestContext context;
    private final ListOffsetsRequest request;
    private final ListOffsetsResponse response = new ListOffsetsResponse();
    private final MetadataImage image = metadata.get();
    private final OpenAnswers open;

    Lookups(RequestContext context, ListOffsetsRequest request, Responder responder) {
      this.context = context;
      this.request = request;
      this.open = new OpenAnswers(() -> responder.respond(response));
    }

    void start() {
      Set<TopicPartition> doubled = doubled();
      Map<String, ListOffsetsTopicResponse> answers = new LinkedHashMap<>();
      Set<TopicPartition> told = new HashSet<>();
      for (ListOffsetsTopic topic : request.topics()) {
        if (topic.partitions().isEmpty()) {
          continue; // Kafka does not name it
        }
        ListOffsetsTopicResponse answer =
            answers.computeIfAbsent(
                topic.name(), name -> new ListOffsetsTopicResponse().name(name));
        for (ListOffsetsPartition p : topic.partitions()) {
          TopicPartition name = new TopicPartition(topic.name(), p.partitionIndex());
          if (told.add(name)) {
            ListOffsetsPartitionResponse slot =
                new ListOffsetsPartitionResponse().partitionIndex(p.partitionIndex());
            answer.partitions().add(slot);
            lookUp(name, p, slot, doubled.contains(name));
          }
        }
      }
      response.topics().addAll(answers.values());
      open.oneDone();
    }

    private Set<TopicPartition> doubled() {
      Set<TopicPartition> seen = new HashSet<>();
      Set<TopicPartition> doubled = new HashSet<>();
      for (ListOffsetsTopic topic : request.topics()) {
        for (ListOffsetsPartition p : topic.partitions()) {
          TopicPartition name = new TopicPartition(topic.name(), p.partitionIndex());
          if (!seen.add(name)) {
            doubled.add(name);
          }
        }
      }
      return doubled;
    }

    private void lookUp(
        TopicPartition name,
        ListOffsetsPartition p,
        ListOffsetsPartitionResponse slot,
        boolean doubled) {
      TopicImage topic = image.topic(name.topic());
      Errors refused = refusal(topic, p, doubled);
      if (refused != Errors.NONE) {
        tell(slot, OffsetLookup.failed(refused));
        return;
      }
      ReadLimit limit = limit();
      boolean leaderOnly = request.replicaId() != DEBUGGING;
      open.expectOne();
      Consumer<OffsetLookup> back =
          Replicas.reply(
              context.shard(),
              found -> {
                tell(slot, found);
                open.oneDone();
              });
      replicas.with(
          name,
          topic.id(),
          partition ->
              back.accept(
                  partition == null
                      ? OffsetLookup.failed(Errors.NOT_LEADER_OR_FOLLOWER)
                      : partition.lookUp(
                          p.currentLeaderEpoch(), leaderOnly, limit, p.timestamp())));
    }

    private Errors refusal(TopicImage topic, ListOffsetsPartition p, boolean doubled) {
      if (doubled || request.isolationLevel() < 0 || request.isolationLevel() > 1) {
        return Errors.INVALID_REQUEST;
      }
      if (context.version() < firstVersionWith(p.timestamp())) {
        return Errors.UNSUPPORTED_VERSION;
      }
      return topic == null || topic.partition(p.partitionIndex()) == null
          ? Errors.UNKNOWN_TOPIC_OR_PARTITION
          : Errors.NONE;
    }

    private ReadLimit limit() {
      if (request.replicaId() != CONSUMER) {
        return ReadLimit.LOG_END;
      }
      return request.isolationLevel() == 1
          ? ReadLimit.LAST_STABLE_OFFSET
          : ReadLimit.HIGH_WATERMARK;
    }

    private void tell(ListOffsetsPartitionResponse slot, OffsetLookup found) {
      Errors error = found.error();
      if (error == Errors.OFFSET_NOT_AVAILABLE
          && context.version() < FIRST_WITH_OFFSET_NOT_AVAILABLE) {
        error = Errors.LEADER_NOT_AVAILABLE;
      }
      slot.errorCode(error.code()).timestamp(found.timestamp()).offset(found.offset());
      if (context.version() >= FIRST_WITH_LEADER_EPOCH) {
        slot.leaderEpoch(found.leaderEpoch());
      }
    }
  }
}
