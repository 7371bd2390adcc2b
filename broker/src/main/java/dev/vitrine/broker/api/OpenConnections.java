package dev.vitrine.broker.api;

import dev.vitrine.broker.quota.ConnectionLimits;
import dev.vitrine.seam.Shard;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

/**
 * The connections of a node's clients, so that the one can be found that has been idle longest.
 * Each shard keeps its own; they are compared on the first.
 */
public final class OpenConnections implements ConnectionLimits.Excess {
  private final List<Shard> shards;
  private final Map<Shard, Set<ApiConnection>> byShard = new HashMap<>();

  /**
   * @param shards that have connections; the first is the one that asks
   */
  public OpenConnections(List<Shard> shards) {
    this.shards = shards;
    shards.forEach(shard -> byShard.put(shard, new LinkedHashSet<>()));
  }

  void opened(ApiConnection connection) {
    byShard.get(connection.shard()).add(connection);
  }

  void closed(ApiConnection connection) {
    byShard.get(connection.shard()).remove(connection);
  }

  @Override
  public void closeOne(Predicate<String> isSpared, Runnable none) {
    Gathering gathering = new Gathering(none);
    for (Shard shard : shards) {
      shard.execute(
          () -> {
            ApiConnection idlest = idlest(byShard.get(shard), isSpared);
            long since = idlest == null ? Long.MAX_VALUE : idlest.lastActive();
            shards.get(0).execute(() -> gathering.add(idlest, since));
          });
    }
  }

  private static ApiConnection idlest(Set<ApiConnection> of, Predicate<String> isSpared) {
    ApiConnection idlest = null;
    for (ApiConnection c : of) {
      boolean candidate = !isSpared.test(c.listener().name());
      if (candidate && (idlest == null || c.lastActive() < idlest.lastActive())) {
        idlest = c;
      }
    }
    return idlest;
  }

  /** What the shards have found; belongs to the first. */
  private final class Gathering {
    private final Runnable none;
    private int left = shards.size();
    private ApiConnection idlest;
    private long since = Long.MAX_VALUE;

    Gathering(Runnable none) {
      this.none = none;
    }

    void add(ApiConnection candidate, long candidateSince) {
      if (candidateSince < since) {
        since = candidateSince;
        idlest = candidate;
      }
      if (--left > 0) {
        return;
      }
      if (idlest == null) {
        none.run();
      } else {
        idlest.shard().execute(idlest::closeAsExcess);
      }
    }
  }
}
