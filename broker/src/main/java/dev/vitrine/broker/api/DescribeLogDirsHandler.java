package dev.vitrine.broker.api;

import dev.vitrine.broker.partition.Partition;
import dev.vitrine.broker.replication.LocalReplicas;
import dev.vitrine.broker.replication.LogStore;
import dev.vitrine.broker.replication.Replicas;
import dev.vitrine.protocol.ApiMessage;
import dev.vitrine.protocol.Errors;
import dev.vitrine.protocol.TopicPartition;
import dev.vitrine.protocol.message.DescribeLogDirsRequest;
import dev.vitrine.protocol.message.DescribeLogDirsRequest.DescribableLogDirTopic;
import dev.vitrine.protocol.message.DescribeLogDirsResponse;
import dev.vitrine.protocol.message.DescribeLogDirsResponse.DescribeLogDirsPartition;
import dev.vitrine.protocol.message.DescribeLogDirsResponse.DescribeLogDirsResult;
import dev.vitrine.protocol.message.DescribeLogDirsResponse.DescribeLogDirsTopic;
import dev.vitrine.seam.Disk;
import dev.vitrine.storage.Log;
import dev.vitrine.storage.LogDirectory;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * DescribeLogDirs, versions 1 to 5 (KIP-113, KIP-827): what lies where in this broker's {@code
 * log.dirs}, and how full the disks are. Every shard tells of its own logs; the disks are asked on
 * a disk worker. Without topics (null) all partitions are meant; whatever is asked, every directory
 * is named, and of the partitions those that are here.
 *
 * <p>A log on its way to another directory is named in both. No directory is cordoned (KIP-1066),
 * as {@code cordoned.log.dirs} has no effect. The metadata log is not named, as in Kafka.
 */
public final class DescribeLogDirsHandler implements ApiHandler {
  private static final Logger LOG = LoggerFactory.getLogger(DescribeLogDirsHandler.class);

  private final Replicas replicas;
  private final LogStore logs;
  private final Disk disk;

  public DescribeLogDirsHandler(Replicas replicas, LogStore logs, Disk disk) {
    this.replicas = replicas;
    this.logs = logs;
    this.disk = disk;
  }

  /**
   * A replica as its shard saw it.
   *
   * @param log only to tell which directory has it
   * @param lag how far its end is behind the high watermark, or that of one on its way behind the
   *     log that it comes from
   * @param future whether it is on its way
   */
  private record Seen(TopicPartition name, Log log, long size, long lag, boolean future) {
    static Seen of(Partition p) {
      long lag = Math.max(p.highWatermark() - p.logEndOffset(), 0);
      return new Seen(p.name(), p.log(), p.log().size(), lag, false);
    }

    static Seen onItsWay(Log future, Partition p) {
      long lag = Math.max(p.logEndOffset() - future.logEndOffset(), 0);
      return new Seen(p.name(), future, future.size(), lag, true);
    }

    boolean isIn(LogDirectory d) {
      return log == (future ? d.futures().get(name) : d.log(name));
    }
  }

  private record Space(long total, long usable) {}

  @Override
  public void handle(RequestContext context, ApiMessage message, Responder responder) {
    Predicate<TopicPartition> wanted = wanted((DescribeLogDirsRequest) message);
    List<Seen> all = new ArrayList<>();
    OpenAnswers open = new OpenAnswers(() -> describe(context, all, responder));
    for (LocalReplicas shard : replicas.shards()) {
      open.expectOne();
      Consumer<List<Seen>> back =
          Replicas.reply(
              context.shard(),
              seen -> {
                all.addAll(seen);
                open.oneDone();
              });
      if (shard.shard().isCurrent()) {
        back.accept(look(shard, wanted));
      } else {
        shard.shard().execute(() -> back.accept(look(shard, wanted)));
      }
    }
    open.oneDone();
  }

  private static Predicate<TopicPartition> wanted(DescribeLogDirsRequest request) {
    if (request.topics() == null) {
      return name -> true;
    }
    Set<TopicPartition> names = new HashSet<>();
    for (DescribableLogDirTopic topic : request.topics()) {
      topic.partitions().forEach(p -> names.add(new TopicPartition(topic.topic(), p)));
    }
    return names::contains;
  }

  private static List<Seen> look(LocalReplicas shard, Predicate<TopicPartition> wanted) {
    List<Seen> seen = new ArrayList<>();
    for (Partition p : shard.all()) {
      if (wanted.test(p.name())) {
        seen.add(Seen.of(p));
        Log future = shard.moves().future(p.name());
        if (future != null) {
          seen.add(Seen.onItsWay(future, p));
        }
      }
    }
    return seen;
  }

  private void describe(RequestContext context, List<Seen> all, Responder responder) {
    DescribeLogDirsResponse response = new DescribeLogDirsResponse();
    OpenAnswers open = new OpenAnswers(() -> responder.respond(response));
    for (LogDirectory directory : logs.directories()) {
      DescribeLogDirsResult result =
          new DescribeLogDirsResult().logDir(directory.path().toAbsolutePath().toString());
      response.results().add(result);
      if (directory.failure() != null) {
        result.errorCode(Errors.KAFKA_STORAGE_ERROR.code());
        continue;
      }
      open.expectOne();
      context
          .shard()
          .offload(
              () ->
                  new Space(disk.totalSpace(directory.path()), disk.usableSpace(directory.path())),
              (space, problem) -> {
                if (problem == null) {
                  result.totalBytes(space.total).usableBytes(space.usable);
                  result.topics(topics(directory, all));
                } else {
                  LOG.warn("The disk of {} cannot be asked", directory.path(), problem);
                  result.errorCode(Errors.KAFKA_STORAGE_ERROR.code());
                }
                open.oneDone();
              });
    }
    logs.offline()
        .forEach(
            path ->
                response
                    .results()
                    .add(
                        new DescribeLogDirsResult()
                            .logDir(path.toString())
                            .errorCode(Errors.KAFKA_STORAGE_ERROR.code())));
    open.oneDone();
  }

  private static List<DescribeLogDirsTopic> topics(LogDirectory directory, List<Seen> all) {
    TreeMap<String, DescribeLogDirsTopic> topics = new TreeMap<>();
    for (Seen seen : all) {
      if (seen.isIn(directory)) {
        topics
            .computeIfAbsent(seen.name.topic(), name -> new DescribeLogDirsTopic().name(name))
            .partitions()
            .add(
                new DescribeLogDirsPartition()
                    .partitionIndex(seen.name.partition())
                    .partitionSize(seen.size)
                    .offsetLag(seen.lag)
                    .isFutureKey(seen.future));
      }
    }
    return new ArrayList<>(topics.values());
  }
}
