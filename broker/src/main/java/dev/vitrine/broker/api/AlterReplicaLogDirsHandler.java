package dev.vitrine.broker.api;

import dev.vitrine.broker.replication.LocalReplicas;
import dev.vitrine.broker.replication.LogStore;
import dev.vitrine.broker.replication.Replicas;
import dev.vitrine.metadata.MetadataImage;
import dev.vitrine.metadata.TopicImage;
import dev.vitrine.protocol.ApiMessage;
import dev.vitrine.protocol.Errors;
import dev.vitrine.protocol.TopicPartition;
import dev.vitrine.protocol.Uuid;
import dev.vitrine.protocol.message.AlterReplicaLogDirsRequest;
import dev.vitrine.protocol.message.AlterReplicaLogDirsRequest.AlterReplicaLogDir;
import dev.vitrine.protocol.message.AlterReplicaLogDirsRequest.AlterReplicaLogDirTopic;
import dev.vitrine.protocol.message.AlterReplicaLogDirsResponse;
import dev.vitrine.protocol.message.AlterReplicaLogDirsResponse.AlterReplicaLogDirPartitionResult;
import dev.vitrine.protocol.message.AlterReplicaLogDirsResponse.AlterReplicaLogDirTopicResult;
import dev.vitrine.storage.FutureLogs;
import dev.vitrine.storage.LogDirectory;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * AlterReplicaLogDirs, versions 1 and 2 (KIP-113): in which of {@code log.dirs} this broker's
 * replicas are to lie. The answer says that a move has begun, not that it is done.
 *
 * <ul>
 *   <li>A directory that is not one of {@code log.dirs}, written as an absolute path, is
 *       LOG_DIR_NOT_FOUND; one that is out of use, or a replica in one, KAFKA_STORAGE_ERROR.
 *   <li>A replica that is not here is REPLICA_NOT_AVAILABLE, a partition that nobody has
 *       UNKNOWN_TOPIC_OR_PARTITION: when it comes, it is made in that directory all the same.
 *   <li>The directory where it is ends a move to another one.
 *   <li>A name that leaves no room for that of the folder on its way is INVALID_TOPIC_EXCEPTION.
 * </ul>
 */
public final class AlterReplicaLogDirsHandler implements ApiHandler {
  private final Replicas replicas;
  private final LogStore logs;
  private final Supplier<MetadataImage> metadata;

  public AlterReplicaLogDirsHandler(
      Replicas replicas, LogStore logs, Supplier<MetadataImage> metadata) {
    this.replicas = replicas;
    this.logs = logs;
    this.metadata = metadata;
  }

  @Override
  public void handle(RequestContext context, ApiMessage message, Responder responder) {
    Map<TopicPartition, String> wanted = new LinkedHashMap<>();
    for (AlterReplicaLogDir dir : ((AlterReplicaLogDirsRequest) message).dirs()) {
      for (AlterReplicaLogDirTopic topic : dir.topics()) {
        topic
            .partitions()
            .forEach(p -> wanted.put(new TopicPartition(topic.name(), p), dir.path()));
      }
    }
    Map<TopicPartition, Errors> results = new TreeMap<>();
    OpenAnswers open = new OpenAnswers(() -> responder.respond(response(results)));
    wanted.forEach(
        (name, path) -> {
          open.expectOne();
          move(
              name,
              path,
              Replicas.reply(
                  context.shard(),
                  error -> {
                    results.put(name, error);
                    open.oneDone();
                  }));
        });
    open.oneDone();
  }

  private void move(TopicPartition name, String path, Consumer<Errors> done) {
    if (FutureLogs.isNameTooLong(name)) {
      done.accept(Errors.INVALID_TOPIC_EXCEPTION);
      return;
    }
    LogDirectory to = logs.directory(path);
    if (to == null || to.failure() != null) {
      boolean ours =
          to != null || logs.offline().stream().map(Path::toString).anyMatch(path::equals);
      done.accept(ours ? Errors.KAFKA_STORAGE_ERROR : Errors.LOG_DIR_NOT_FOUND);
      return;
    }
    TopicImage topic = metadata.get().topic(name.topic());
    if (topic == null || topic.partition(name.partition()) == null) {
      logs.prefer(name, to);
      done.accept(Errors.UNKNOWN_TOPIC_OR_PARTITION);
      return;
    }
    Uuid id = topic.id();
    LocalReplicas owner = replicas.ownerOf(name);
    replicas.with(
        name,
        id,
        partition -> {
          if (partition == null) {
            logs.prefer(name, to);
            done.accept(Errors.REPLICA_NOT_AVAILABLE);
          } else {
            done.accept(owner.moves().move(partition, to));
          }
        });
  }

  private static AlterReplicaLogDirsResponse response(Map<TopicPartition, Errors> results) {
    Map<String, AlterReplicaLogDirTopicResult> topics = new TreeMap<>();
    results.forEach(
        (name, error) ->
            topics
                .computeIfAbsent(
                    name.topic(), t -> new AlterReplicaLogDirTopicResult().topicName(t))
                .partitions()
                .add(
                    new AlterReplicaLogDirPartitionResult()
                        .partitionIndex(name.partition())
                        .errorCode(error.code())));
    AlterReplicaLogDirsResponse response = new AlterReplicaLogDirsResponse();
    topics.values().forEach(response.results()::add);
    return response;
  }
}
