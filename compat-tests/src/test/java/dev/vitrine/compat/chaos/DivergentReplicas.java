package dev.vitrine.compat.chaos;

import dev.vitrine.compat.chaos.Event.OnDisk;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;
import org.apache.kafka.common.TopicPartition;

/** In the end, two replicas of a partition have different batches on their disks. */
final class DivergentReplicas implements Check {
  @Override
  public String anomaly() {
    return "divergent replicas";
  }

  @Override
  public boolean isAlways() {
    return true;
  }

  @Override
  public void search(RunHistory history, Consumer<String> found) {
    Map<TopicPartition, OnDisk> first = new HashMap<>();
    for (OnDisk replica : history.all(OnDisk.class)) {
      OnDisk other = first.putIfAbsent(replica.partition(), replica);
      if (other != null && !other.batches().equals(replica.batches())) {
        int same = 0;
        int shorter = Math.min(other.batches().size(), replica.batches().size());
        while (same < shorter && other.batches().get(same).equals(replica.batches().get(same))) {
          same++;
        }
        found.accept(
            "%s has %d batches on node %d and %d on node %d; the first %d are the same, then %s and %s"
                .formatted(
                    replica.partition(),
                    other.batches().size(),
                    other.node(),
                    replica.batches().size(),
                    replica.node(),
                    same,
                    batch(other, same),
                    batch(replica, same)));
      }
    }
  }

  private static String batch(OnDisk replica, int index) {
    return index < replica.batches().size() ? replica.batches().get(index).toString() : "nothing";
  }
}
