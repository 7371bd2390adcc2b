package dev.vitrine.compat.chaos;

import dev.vitrine.compat.chaos.Event.Positioned;
import dev.vitrine.compat.chaos.Event.ReaderStarted;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;

/** A consumer in no group that reads every partition from its beginning and follows it. */
final class FollowingLoad implements Load {
  private static final Duration POLL = Duration.ofMillis(200);

  private final Site site;
  private final String name;
  private final KafkaConsumer<String, String> consumer;
  private final Polls polls;
  private final LoadThread thread;
  private List<TopicPartition> assigned = List.of();

  FollowingLoad(Site site, String name, String isolation) {
    this.site = site;
    this.name = name;
    this.consumer =
        site.clients().consumer(Map.of("isolation.level", isolation, "auto.offset.reset", "none"));
    this.polls = new Polls(site.recorder(), name);
    site.recorder().write(new ReaderStarted(name, ""));
    this.thread = new LoadThread(name, this::step, consumer::close);
    thread.start();
  }

  private void step() {
    List<TopicPartition> partitions = site.topics().partitions();
    if (partitions.size() != assigned.size()) {
      List<TopicPartition> fresh = new ArrayList<>(partitions);
      fresh.removeAll(assigned);
      consumer.assign(partitions);
      for (TopicPartition partition : fresh) {
        consumer.seek(partition, 0);
        site.recorder().write(new Positioned(name, partition, 0, "assigned"));
      }
      assigned = partitions;
    }
    polls.poll(consumer, POLL);
  }

  /** Whether it has come to these offsets. */
  boolean hasRead(Map<TopicPartition, Long> ends) {
    return ends.entrySet().stream().allMatch(end -> polls.next(end.getKey()) >= end.getValue());
  }

  @Override
  public void close() {
    thread.end();
  }
}
