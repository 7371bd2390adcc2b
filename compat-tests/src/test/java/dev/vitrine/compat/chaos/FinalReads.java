package dev.vitrine.compat.chaos;

import dev.vitrine.compat.Await;
import dev.vitrine.compat.chaos.Event.Item;
import dev.vitrine.compat.chaos.Event.ReadWhole;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;

/** In the end, each kind of client reads each partition from its beginning to its end. */
final class FinalReads {
  private static final Duration POLL = Duration.ofMillis(200);

  private final Site site;
  private final List<TopicPartition> partitions;

  FinalReads(Site site) {
    this.site = site;
    this.partitions = site.topics().partitions();
  }

  void all() throws Exception {
    for (String isolation : List.of("read_uncommitted", "read_committed")) {
      try (KafkaConsumer<String, String> consumer =
          site.clients().consumer(Map.of("isolation.level", isolation))) {
        consumer.assign(partitions);
        consumer.seekToBeginning(partitions);
        read("java " + isolation, consumer);
      }
    }
    try (KafkaConsumer<String, String> consumer =
        site.clients().consumer(Map.of("group.id", "final", "enable.auto.commit", false))) {
      consumer.subscribe(site.topics().names());
      read("java group", consumer);
    }
    if (hasKcat()) {
      for (TopicPartition partition : partitions) {
        kcat(partition);
      }
    }
  }

  private void read(String client, KafkaConsumer<String, String> consumer) throws Exception {
    Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
    Map<TopicPartition, List<Item>> read = new TreeMap<>((a, b) -> ("" + a).compareTo("" + b));
    partitions.forEach(partition -> read.put(partition, new ArrayList<>()));
    Await.until(
        client + " reads all",
        () -> {
          for (ConsumerRecord<String, String> record : consumer.poll(POLL)) {
            read.get(new TopicPartition(record.topic(), record.partition()))
                .add(new Item(record.offset(), record.value()));
          }
          return consumer.assignment().containsAll(partitions)
              && partitions.stream().allMatch(p -> consumer.position(p) >= ends.get(p));
        });
    read.forEach(
        (partition, items) -> site.recorder().write(new ReadWhole(client, partition, items)));
  }

  private static boolean hasKcat() throws InterruptedException {
    try {
      return new ProcessBuilder("kcat", "-V").start().waitFor() == 0;
    } catch (IOException e) {
      return false;
    }
  }

  private void kcat(TopicPartition partition) throws Exception {
    Process process =
        new ProcessBuilder(
                "kcat",
                "-b",
                site.clients().bootstrap(),
                "-C",
                "-t",
                partition.topic(),
                "-p",
                String.valueOf(partition.partition()),
                "-o",
                "beginning",
                "-e",
                "-q",
                "-f",
                "%o=%s\\n")
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (process.waitFor() != 0) {
      throw new AssertionError("kcat fails on " + partition + ": " + output);
    }
    List<Item> items = output.lines().map(FinalReads::item).toList();
    site.recorder().write(new ReadWhole("kcat", partition, items));
  }

  private static Item item(String line) {
    int sign = line.indexOf('=');
    return new Item(Long.parseLong(line.substring(0, sign)), line.substring(sign + 1));
  }
}
