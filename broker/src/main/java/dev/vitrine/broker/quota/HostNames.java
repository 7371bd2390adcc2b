package dev.vitrine.broker.quota;

import dev.vitrine.seam.Network;
import dev.vitrine.seam.Shard;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The addresses of hosts that quotas are set for. Asking a name server may take seconds, so it is
 * done on a disk worker before the answer is needed. Confined to one shard.
 */
public final class HostNames {
  /** More names than that are forgotten, lest a client fills the memory with inventions. */
  private static final int MOST = 10_000;

  private final Shard shard;
  private final Network network;

  /** By name; what has none is not in here. Looked up by name only. */
  private final Map<String, String> addresses = new HashMap<>();

  public HostNames(Shard shard, Network network) {
    this.shard = shard;
    this.network = network;
  }

  /** Asks for all of them, and then goes on; at once if there is none. */
  public void resolve(List<String> names, Runnable then) {
    if (names.isEmpty()) {
      then.run();
      return;
    }
    shard.offload(
        () -> {
          Map<String, String> found = new LinkedHashMap<>();
          names.forEach(name -> found.put(name, network.resolve(name)));
          return found;
        },
        (found, failure) -> {
          if (failure == null) {
            remember(found);
          }
          then.run();
        });
  }

  private void remember(Map<String, String> found) {
    if (addresses.size() > MOST) {
      addresses.clear();
    }
    found.forEach(
        (name, address) -> {
          if (address == null) {
            addresses.remove(name);
          } else {
            addresses.put(name, address);
          }
        });
  }

  /** As connections tell their peers', without the slash; null if it is not known to have one. */
  public String addressOf(String name) {
    return addresses.get(name);
  }
}
