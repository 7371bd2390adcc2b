package dev.vitrine.compat.chaos;

import dev.vitrine.compat.chaos.Event.Polled;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.apache.kafka.common.TopicPartition;

/** A record of the log was given to no member of a group that reads its topic. */
final class UndeliveredRecords implements Check {
  @Override
  public String anomaly() {
    return "undelivered records";
  }

  @Override
  public void search(RunHistory history, Consumer<String> found) {
    Map<String, Set<String>> values = new TreeMap<>();
    Map<String, Set<String>> topics = new TreeMap<>();
    for (Polled poll : history.all(Polled.class)) {
      String group = history.group(poll.client());
      if (!group.isEmpty()) {
        topics.computeIfAbsent(group, g -> new HashSet<>()).add(poll.partition().topic());
        Set<String> given = values.computeIfAbsent(group, g -> new HashSet<>());
        poll.items().forEach(item -> given.add(item.value()));
      }
    }
    topics.forEach(
        (group, read) -> {
          for (TopicPartition partition : history.partitions()) {
            if (read.contains(partition.topic())) {
              history
                  .log(partition)
                  .forEach(
                      (offset, value) -> {
                        if (!values.get(group).contains(value)) {
                          found.accept(
                              "group %s was not given %s at %s offset %d"
                                  .formatted(group, value, partition, offset));
                        }
                      });
            }
          }
        });
  }
}
