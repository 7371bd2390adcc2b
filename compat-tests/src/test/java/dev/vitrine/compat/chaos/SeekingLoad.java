package dev.vitrine.compat.chaos;

import dev.vitrine.compat.chaos.Event.EndAsked;
import dev.vitrine.compat.chaos.Event.EndTold;
import dev.vitrine.compat.chaos.Event.Failed;
import dev.vitrine.compat.chaos.Event.Positioned;
import dev.vitrine.compat.chaos.Event.ReaderStarted;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;

/**
 * A consumer that asks where a partition ends, goes there or to some place before, and reads a
 * little: what was read once must be the same at any later time, from any leader.
 */
final class SeekingLoad implements Load {
  private static final Duration PATIENCE = Duration.ofSeconds(10);
  private static final Duration POLL = Duration.ofMillis(150);
  private static final int POLLS = 4;

  private final Site site;
  private final String name;
  private final SplittableRandom random;
  private final KafkaConsumer<String, String> consumer;
  private final Polls polls;
  private final LoadThread thread;

  SeekingLoad(Site site, String name, SplittableRandom random) {
    this.site = site;
    this.name = name;
    this.random = random;
    this.consumer =
        site.clients().consumer(Map.of("auto.offset.reset", "none", "max.poll.records", 50));
    this.polls = new Polls(site.recorder(), name);
    site.recorder().write(new ReaderStarted(name, ""));
    this.thread = new LoadThread(name, this::step, consumer::close);
    thread.start();
  }

  private void step() throws InterruptedException {
    List<TopicPartition> partitions = site.topics().partitions();
    TopicPartition partition = partitions.get(random.nextInt(partitions.size()));
    consumer.assign(List.of(partition));
    long call = site.recorder().write(new EndAsked(name, partition));
    try {
      boolean toEnd = random.nextInt(3) == 0;
      long end =
          toEnd
              ? seekToEnd(partition)
              : consumer.endOffsets(List.of(partition), PATIENCE).get(partition);
      site.recorder().write(new EndTold(call, end));
      long place = toEnd || end == 0 ? end : random.nextLong(end);
      consumer.seek(partition, place);
      site.recorder().write(new Positioned(name, partition, place, "sought"));
    } catch (KafkaException e) {
      site.recorder().write(new Failed(call, false, e.toString()));
      Thread.sleep(POLL.toMillis());
      return;
    }
    for (int i = 0; i < POLLS; i++) {
      polls.poll(consumer, POLL);
    }
  }

  private long seekToEnd(TopicPartition partition) {
    consumer.seekToEnd(List.of(partition));
    return consumer.position(partition, PATIENCE);
  }

  @Override
  public void close() {
    thread.end();
  }
}
