package dev.vitrine.config;

import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * Which of a topic's replicas on one broker are throttled: {@code *} is all, else they are named as
 * {@code partition:broker,...} (KIP-73). Immutable.
 *
 * @param all whether every partition is
 * @param partitions those that are, unless all are
 */
public record ThrottledReplicas(boolean all, Set<Integer> partitions) {
  public static final ThrottledReplicas NONE = new ThrottledReplicas(false, Set.of());

  static final ConfigRule RULE =
      (name, value) -> {
        List<?> replicas = (List<?>) value;
        if (!isAll(replicas)
            && !replicas.stream().allMatch(r -> ((String) r).trim().matches("[0-9]+:[0-9]+"))) {
          throw ConfigException.invalidValue(
              name,
              value,
              name
                  + " must be the literal '*' or a list of replicas in the following format:"
                  + " [partitionId]:[brokerId],[partitionId]:[brokerId],...");
        }
      };

  static ThrottledReplicas of(List<String> replicas, int brokerId) {
    if (isAll(replicas)) {
      return new ThrottledReplicas(true, Set.of());
    }
    Set<Integer> partitions = new TreeSet<>();
    for (String replica : replicas) {
      String[] parts = replica.trim().split(":");
      if (Integer.parseInt(parts[1]) == brokerId) {
        partitions.add(Integer.parseInt(parts[0]));
      }
    }
    return partitions.isEmpty() ? NONE : new ThrottledReplicas(false, partitions);
  }

  private static boolean isAll(List<?> replicas) {
    return replicas.size() == 1 && replicas.get(0).equals("*");
  }

  public boolean contains(int partition) {
    return all || partitions.contains(partition);
  }
}
