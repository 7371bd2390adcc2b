package dev.vitrine.compat.chaos;

import dev.vitrine.compat.chaos.Event.Owned;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;
import org.apache.kafka.common.TopicPartition;

/**
 * Two members of a group were told in the same generation, or with the same member epoch, that a
 * partition is theirs. Never excused: even a member that the group has given up belongs to an
 * earlier one.
 */
final class TwoOwners implements Check {
  private record Place(String group, int generation, TopicPartition partition) {}

  @Override
  public String anomaly() {
    return "two owners";
  }

  @Override
  public void search(RunHistory history, Consumer<String> found) {
    Map<Place, Owned> owners = new HashMap<>();
    for (Owned owned : history.all(Owned.class)) {
      Place place = new Place(owned.group(), owned.generation(), owned.partition());
      Owned other = owners.putIfAbsent(place, owned);
      if (other != null && !other.memberId().equals(owned.memberId())) {
        found.accept(
            "%s and %s of group %s own %s in generation %d"
                .formatted(
                    other.client(),
                    owned.client(),
                    owned.group(),
                    owned.partition(),
                    owned.generation()));
      }
    }
  }
}
