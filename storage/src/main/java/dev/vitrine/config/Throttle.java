package dev.vitrine.config;

import java.util.List;

/**
 * Which replicas a topic's throttle holds for: {@code *}, or {@code partition:broker,...} (KIP-73).
 */
final class Throttle {
  private Throttle() {}

  static final ConfigRule RULE =
      (name, value) -> {
        List<?> replicas = (List<?>) value;
        boolean all = replicas.size() == 1 && replicas.get(0).equals("*");
        if (!all
            && !replicas.stream().allMatch(r -> ((String) r).trim().matches("[0-9]+:[0-9]+"))) {
          throw ConfigException.invalidValue(
              name,
              value,
              name
                  + " must be the literal '*' or a list of replicas in the following format:"
                  + " [partitionId]:[brokerId],[partitionId]:[brokerId],...");
        }
      };
}
