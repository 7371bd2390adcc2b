package dev.vitrine.compat.chaos;

import dev.vitrine.compat.chaos.Event.Owned;
import dev.vitrine.compat.chaos.Event.Released;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.apache.kafka.common.TopicPartition;

/**
 * A member of a classic group was told that a partition is its own while another had it and was
 * asked only later to give it up. Whoever was told that it has lost the partition had been given up
 * by the group before it knew.
 *
 * <p>Not so in groups of the consumer protocol: to the coordinator a member owns what it has
 * confirmed, and the client confirms a partition only after its listener has heard of it. A
 * partition that is taken away before that goes to another at once, with Apache Kafka too.
 */
final class OverlappingOwners implements Check {
  private record Place(String group, TopicPartition partition) {}

  private static final class Owner {
    final String client;
    String overtakenBy;

    Owner(String client) {
      this.client = client;
    }
  }

  @Override
  public String anomaly() {
    return "overlapping owners";
  }

  @Override
  public void search(RunHistory history, Consumer<String> found) {
    Map<Place, List<Owner>> owners = new HashMap<>();
    for (Timed timed : history.events()) {
      if (timed.event() instanceof Owned owned && owned.protocol().equals("classic")) {
        Place place = new Place(owned.group(), owned.partition());
        take(owners.computeIfAbsent(place, p -> new ArrayList<>()), owned.client());
      } else if (timed.event() instanceof Released released) {
        Place place = new Place(released.group(), released.partition());
        List<Owner> current = owners.getOrDefault(place, new ArrayList<>());
        for (Owner owner : List.copyOf(current)) {
          if (owner.client.equals(released.client())) {
            current.remove(owner);
            if (owner.overtakenBy != null && !released.lost()) {
              found.accept(
                  "%s of group %s was given %s before %s was asked for it"
                      .formatted(
                          owner.overtakenBy, released.group(), released.partition(), owner.client));
            }
          }
        }
      }
    }
  }

  private static void take(List<Owner> current, String client) {
    if (current.stream().noneMatch(owner -> owner.client.equals(client))) {
      current.forEach(owner -> owner.overtakenBy = client);
      current.add(new Owner(client));
    }
  }
}
