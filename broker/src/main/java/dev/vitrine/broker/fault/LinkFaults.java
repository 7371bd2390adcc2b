package dev.vitrine.broker.fault;

import dev.vitrine.seam.Endpoint;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * How a node's network is broken now. A value; what changes is which one counts.
 *
 * @param delayMs by how much everything that the node sends or receives is late, in milliseconds
 * @param cuts by the id of the other node
 */
public record LinkFaults(long delayMs, Map<Integer, Cut> cuts) {
  public static final LinkFaults NONE = new LinkFaults(0, Map.of());

  /** The longest delay that can be asked for: a minute. */
  public static final long MAX_DELAY_MS = 60_000;

  /**
   * A cut link, as one of its ends has it.
   *
   * @param sends whether what this node sends gets lost
   * @param receives whether what the other one sends gets lost
   * @param endpoints all listeners of the other node
   */
  public record Cut(boolean sends, boolean receives, List<Endpoint> endpoints) {}

  public LinkFaults withDelay(long ms) {
    return new LinkFaults(ms, cuts);
  }

  public LinkFaults withCuts(Map<Integer, Cut> now) {
    return new LinkFaults(delayMs, new TreeMap<>(now));
  }

  boolean holdsSending(Endpoint to) {
    return to != null && cuts.values().stream().anyMatch(c -> c.sends && c.endpoints.contains(to));
  }

  boolean holdsReceiving(Endpoint from) {
    return from != null
        && cuts.values().stream().anyMatch(c -> c.receives && c.endpoints.contains(from));
  }
}
