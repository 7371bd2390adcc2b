package dev.vitrine.broker.api;

import dev.vitrine.broker.partition.AppendOutcome;
import dev.vitrine.broker.replication.Replicas;
import dev.vitrine.metadata.MetadataImage;
import dev.vitrine.metadata.PartitionImage;
import dev.vitrine.metadata.TopicImage;
import dev.vitrine.protocol.ApiMessage;
import dev.vitrine.protocol.Errors;
import dev.vitrine.protocol.TopicPartition;
import dev.vitrine.protocol.Uuid;
import dev.vitrine.protocol.message.ProduceRequest;
import dev.vitrine.protocol.message.ProduceRequest.PartitionProduceData;
import dev.vitrine.protocol.message.ProduceRequest.TopicProduceData;
import dev.vitrine.protocol.message.ProduceResponse;
import dev.vitrine.protocol.message.ProduceResponse.BatchIndexAndErrorMessage;
import dev.vitrine.protocol.message.ProduceResponse.PartitionProduceResponse;
import dev.vitrine.protocol.message.ProduceResponse.TopicProduceResponse;
import dev.vitrine.protocol.record.BatchHeader;
import dev.vitrine.protocol.record.MemoryRecords;
import dev.vitrine.protocol.record.RecordBatch;
import io.netty.buffer.ByteBuf;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Produce, versions 3 to 13. Splits a request by partition and puts the answers together; every
 * rule about records is the partition's. As in Kafka, a failed {@code acks=0} closes the
 * connection, the only way to make the client look again.
 */
public final class ProduceHandler implements ApiHandler {
  private static final Logger LOG = LoggerFactory.getLogger(ProduceHandler.class);
  private static final short FIRST_WITH_TOPIC_IDS = 13;
  private static final short FIRST_WITH_LEADERS = 10;

  private final Replicas replicas;
  private final Supplier<MetadataImage> metadata;

  public ProduceHandler(Replicas replicas, Supplier<MetadataImage> metadata) {
    this.replicas = replicas;
    this.metadata = metadata;
  }

  @Override
  public void handle(RequestContext context, ApiMessage message, Responder responder) {
    ProduceRequest request = (ProduceRequest) message;
    Gathering gathering = new Gathering(context, request, responder);
    MetadataImage image = metadata.get();
    for (TopicProduceData topic : request.topicData()) {
      if (topic.partitionData().isEmpty()) {
        continue; // Kafka does not name it
      }
      TopicProduceResponse answer =
          new TopicProduceResponse().name(topic.name()).topicId(topic.topicId());
      gathering.response.responses().add(answer);
      for (PartitionProduceData p : topic.partitionData()) {
        PartitionProduceResponse slot = new PartitionProduceResponse().index(p.index());
        answer.partitionResponses().add(slot);
        gathering.outstanding++;
        produce(gathering, image, topic, p, slot);
      }
    }
    gathering.oneDone();
  }

  private void produce(
      Gathering gathering,
      MetadataImage image,
      TopicProduceData data,
      PartitionProduceData p,
      PartitionProduceResponse slot) {
    short version = gathering.context.version();
    boolean byId = version >= FIRST_WITH_TOPIC_IDS;
    TopicImage topic = byId ? image.topic(data.topicId()) : image.topic(data.name());
    Errors refused = refusal(gathering, topic, p, byId);
    if (refused != Errors.NONE) {
      gathering.answered(slot, AppendOutcome.failed(refused));
      return;
    }
    Uuid id = topic.id();
    ByteBuf records = p.records() instanceof MemoryRecords m ? m.buffer() : null;
    Consumer<AppendOutcome> back =
        Replicas.reply(
            gathering.context.shard(),
            outcome -> {
              if (outcome.error() == Errors.NOT_LEADER_OR_FOLLOWER) {
                gathering.nameLeader(slot, id);
              }
              gathering.answered(slot, outcome);
            });
    replicas.with(
        new TopicPartition(topic.name(), p.index()),
        id,
        partition -> {
          if (partition == null) {
            back.accept(AppendOutcome.failed(Errors.NOT_LEADER_OR_FOLLOWER));
          } else {
            partition.append(records, version, gathering.acks, gathering.deadline, back);
          }
        });
  }

  private static Errors refusal(
      Gathering gathering, TopicImage topic, PartitionProduceData p, boolean byId) {
    if (topic == null) {
      return byId ? Errors.UNKNOWN_TOPIC_ID : Errors.UNKNOWN_TOPIC_OR_PARTITION;
    }
    if (topic.partition(p.index()) == null) {
      return Errors.UNKNOWN_TOPIC_OR_PARTITION;
    }
    if (gathering.acks < -1 || gathering.acks > 1) {
      return Errors.INVALID_REQUIRED_ACKS;
    }
    if (InternalTopics.contains(topic.name())
        && !"__admin_client".equals(gathering.context.clientId())) {
      return Errors.INVALID_TOPIC_EXCEPTION;
    }
    // Nobody can have a transactional id: transactions are not offered.
    return isTransactional(p) ? Errors.TRANSACTIONAL_ID_AUTHORIZATION_FAILED : Errors.NONE;
  }

  private static boolean isTransactional(PartitionProduceData p) {
    return p.records() instanceof MemoryRecords m
        && m.sizeInBytes() >= BatchHeader.SIZE
        && new RecordBatch(m.buffer(), m.buffer().readerIndex()).isTransactional();
  }

  /** The answers of one request as they come in; belongs to the connection's shard. */
  private final class Gathering {
    final RequestContext context;
    final short acks;
    final long deadline;
    final Responder responder;
    final ProduceResponse response = new ProduceResponse();
    final NodeEndpoints nodes;
    int outstanding = 1;
    private Errors firstError = Errors.NONE;

    Gathering(RequestContext context, ProduceRequest request, Responder responder) {
      this.context = context;
      this.acks = request.acks();
      this.deadline = context.shard().ticks() + Math.max(0, request.timeoutMs());
      this.responder = responder;
      this.nodes = new NodeEndpoints(metadata.get(), context.listenerName());
    }

    void nameLeader(PartitionProduceResponse slot, Uuid topicId) {
      PartitionImage now = metadata.get().partition(topicId, slot.index());
      if (now != null && context.version() >= FIRST_WITH_LEADERS) {
        slot.currentLeader().leaderId(now.leader()).leaderEpoch(now.leaderEpoch());
        nodes.add(now.leader());
      }
    }

    void answered(PartitionProduceResponse slot, AppendOutcome outcome) {
      if (outcome.error() != Errors.NONE && firstError == Errors.NONE) {
        firstError = outcome.error();
      }
      slot.errorCode(outcome.error().code())
          .baseOffset(outcome.baseOffset())
          .logAppendTimeMs(outcome.logAppendTime())
          .logStartOffset(outcome.logStartOffset())
          .recordErrors(
              List.copyOf(
                  outcome.recordErrors().stream()
                      .map(
                          e ->
                              new BatchIndexAndErrorMessage()
                                  .batchIndex(e.batchIndex())
                                  .batchIndexErrorMessage(e.message()))
                      .toList()))
          .errorMessage(outcome.message());
      oneDone();
    }

    void oneDone() {
      if (--outstanding > 0) {
        return;
      }
      if (acks != 0) {
        if (context.version() >= FIRST_WITH_LEADERS) {
          nodes
              .found()
              .forEach(
                  n ->
                      response
                          .nodeEndpoints()
                          .add(
                              new ProduceResponse.NodeEndpoint()
                                  .nodeId(n.id())
                                  .host(n.host())
                                  .port(n.port())
                                  .rack(n.rack())));
        }
        responder.respond(response);
      } else if (firstError == Errors.NONE) {
        responder.respondNothing();
      } else {
        LOG.info(
            "Closing connection {} of client {}: its Produce with acks=0 failed with {}",
            context.connectionId(),
            context.clientId(),
            firstError);
        responder.close();
      }
    }
  }
}
