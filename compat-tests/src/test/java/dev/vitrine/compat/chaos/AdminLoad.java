package dev.vitrine.compat.chaos;

import dev.vitrine.compat.chaos.Event.Done;
import dev.vitrine.compat.chaos.Event.ElectionAsked;
import dev.vitrine.compat.chaos.Event.Failed;
import dev.vitrine.compat.chaos.Event.TopicAsked;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.ElectionType;
import org.apache.kafka.common.errors.InvalidPartitionsException;

/** An admin client that makes topics, lets one grow that is written to, and calls elections. */
final class AdminLoad implements Load {
  private static final String NAME = "admin";
  private static final int MOST_PARTITIONS = 6;
  private static final int MOST_TOPICS = 15;

  private final Recorder recorder;
  private final Topics topics;
  private final String growing;
  private final SplittableRandom random;
  private final Admin admin;
  private final LoadThread thread;
  private int made;

  /**
   * @param growing the topic that gets more partitions
   */
  AdminLoad(Site site, String growing, SplittableRandom random) {
    this.recorder = site.recorder();
    this.topics = site.topics();
    this.growing = growing;
    this.random = random;
    this.admin = site.clients().admin();
    this.thread = new LoadThread(NAME, this::step, admin::close);
    thread.start();
  }

  private void step() throws InterruptedException {
    for (int i = random.nextInt(10, 40); i > 0 && !thread.isEnded(); i--) {
      Thread.sleep(100);
    }
    switch (random.nextInt(3)) {
      case 0 -> createTopic();
      case 1 -> grow();
      default -> elect();
    }
  }

  private void createTopic() throws InterruptedException {
    if (made == MOST_TOPICS) {
      return;
    }
    String topic = "made-" + made++;
    int count = random.nextInt(1, 4);
    long call = recorder.write(new TopicAsked(NAME, topic, count));
    await(call, admin.createTopics(List.of(new NewTopic(topic, count, (short) 3))).all());
  }

  private void grow() throws InterruptedException {
    int count = topics.count(growing) + 1;
    if (count > MOST_PARTITIONS) {
      return;
    }
    long call = recorder.write(new TopicAsked(NAME, growing, count));
    Map<String, NewPartitions> request = Map.of(growing, NewPartitions.increaseTo(count));
    if (await(call, admin.createPartitions(request).all())) {
      topics.add(growing, count);
    }
  }

  private void elect() throws InterruptedException {
    List<String> names = topics.names();
    String topic = names.get(random.nextInt(names.size()));
    long call = recorder.write(new ElectionAsked(NAME, topic));
    await(
        call,
        admin
            .electLeaders(
                ElectionType.PREFERRED,
                new HashSet<>(
                    topics.partitions().stream().filter(p -> p.topic().equals(topic)).toList()))
            .all());
  }

  private boolean await(long call, Future<Void> answer) throws InterruptedException {
    try {
      answer.get();
      recorder.write(new Done(call));
      return true;
    } catch (ExecutionException e) {
      // A second try may find the work of the first done: nothing can be concluded.
      recorder.write(new Failed(call, false, String.valueOf(e.getCause())));
      return e.getCause() instanceof InvalidPartitionsException; // there are so many already
    }
  }

  @Override
  public void close() {
    thread.end();
  }
}
