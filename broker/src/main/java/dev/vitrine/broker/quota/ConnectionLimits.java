package dev.vitrine.broker.quota;

import dev.vitrine.config.ConnectionSettings;
import dev.vitrine.config.ConnectionSettings.Limit;
import dev.vitrine.config.KafkaConfig;
import dev.vitrine.config.QuotaSettings;
import dev.vitrine.quota.QuotaRate;
import dev.vitrine.seam.Network.Arrival;
import dev.vitrine.seam.Shard;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How many connections a node holds and takes (KIP-402, KIP-612). Belongs to the first shard of its
 * listeners, on which all of them accept: there is one count, and nobody else touches it.
 *
 * <p>Who comes while its listener or the node is full, or too early after the one before, waits at
 * the door, and everybody behind it. Who has too many from one address, or comes too often from it,
 * is turned away. The listener that brokers use among themselves is not held up by the others:
 * where there is another, it takes connections beyond the node's limit, and the others lose for it
 * those that have been idle longest.
 */
public final class ConnectionLimits {
  private static final Logger LOG = LoggerFactory.getLogger(ConnectionLimits.class);
  private static final int UNLIMITED = Integer.MAX_VALUE;
  private static final int MANY_ADDRESSES = 1_000;

  /** Kafka's time after which a sensor that nothing was recorded with is dropped. */
  private static final long KEPT_MS = 3_600_000;

  private final Shard shard;
  private final QuotaSettings.Windows windows;
  private final String interBroker;
  private final Excess excess;
  private final Map<String, Door> doors = new LinkedHashMap<>();

  /** By address; looked up by it only. */
  private final Map<String, Integer> perAddress = new HashMap<>();

  private final Map<String, QuotaRate> addressRates = new HashMap<>();
  private final QuotaRate rate;
  private ConnectionSettings settings;
  private Map<String, Integer> overrides = Map.of();
  private AddressRates addressLimits = AddressRates.NONE;
  private int total;

  /** One is being closed for being too many. */
  private boolean shedding;

  /** Closes the connection that has been idle longest, of the listeners that may lose some. */
  public interface Excess {
    /**
     * @param isSpared whether a listener keeps its connections
     * @param none run on this shard if there is none to close
     */
    void closeOne(Predicate<String> isSpared, Runnable none);
  }

  /**
   * New connections a second for one address (KIP-612).
   *
   * @param byAddress by the text of the address
   * @param others of those that are not in there
   */
  public record AddressRates(Map<String, Integer> byAddress, int others) {
    public static final AddressRates NONE = new AddressRates(Map.of(), UNLIMITED);

    int of(String address) {
      return byAddress.getOrDefault(address, others);
    }
  }

  /** A listener, and who waits before it. */
  private final class Door {
    final String name;
    final ArrayDeque<Arrival> waiting = new ArrayDeque<>();
    final QuotaRate rate = newRate();
    int open;

    /** When the first of those that wait may come in; -1 if it has not been looked at. */
    long notBefore = -1;

    Door(String name) {
      this.name = name;
    }
  }

  /**
   * @param config as it is at the start
   * @param listeners that accept on the shard
   */
  public ConnectionLimits(Shard shard, KafkaConfig config, List<String> listeners, Excess excess) {
    this.shard = shard;
    this.windows = config.quotas().clients();
    this.settings = config.connections();
    this.interBroker = config.listeners().interBroker();
    this.excess = excess;
    this.rate = newRate();
    listeners.forEach(name -> doors.put(name, new Door(name)));
  }

  private QuotaRate newRate() {
    return new QuotaRate(windows.windows(), windows.windowMs());
  }

  /**
   * From now on.
   *
   * @param addresses the limits for single addresses, by the text of the address
   */
  public void set(ConnectionSettings now, Map<String, Integer> addresses) {
    settings = now;
    overrides = addresses;
    again();
    shed();
  }

  public void set(AddressRates now) {
    addressLimits = now;
    addressRates.keySet().removeIf(a -> now.of(a) == UNLIMITED);
  }

  /** Somebody has connected to that listener. */
  public void arrived(String listener, Arrival arrival) {
    Door door = doors.get(listener);
    door.waiting.add(arrival);
    if (door.waiting.size() == 1) {
      admit(door);
    }
  }

  private void again() {
    doors.values().forEach(this::admit);
  }

  private void admit(Door door) {
    while (!door.waiting.isEmpty()) {
      long now = shard.ticks();
      if (door.notBefore < 0) {
        long throttleMs = throttleMs(door, now);
        door.notBefore = now + throttleMs;
        if (throttleMs > 0) {
          shard.schedule(throttleMs, () -> admit(door));
        }
      }
      if (now < door.notBefore || !hasRoom(door)) {
        return;
      }
      door.notBefore = -1;
      decide(door, door.waiting.poll(), now);
    }
  }

  private void decide(Door door, Arrival arrival, long now) {
    String address = arrival.address();
    long throttleMs = addressThrottleMs(address, now);
    if (throttleMs > 0) {
      // It counts for nobody: it does not come in.
      unrecord(door, now);
      arrival.closeAfter(throttleMs);
      return;
    }
    int most = overrides.getOrDefault(address, settings.perAddress());
    int held = perAddress.getOrDefault(address, 0);
    if (held >= most) {
      LOG.info(
          "Rejected connection from /{}, address already has the configured maximum of {}"
              + " connections.",
          address,
          most);
      arrival.closeAfter(0);
      return;
    }
    perAddress.put(address, held + 1);
    door.open++;
    total++;
    arrival.accept(() -> ended(door, address));
    shed();
  }

  private void ended(Door door, String address) {
    perAddress.computeIfPresent(address, (a, n) -> n == 1 ? null : n - 1);
    door.open--;
    total--;
    shedding = false;
    shed();
    again();
  }

  private boolean hasRoom(Door door) {
    return door.open < settings.ofListener(door.name).max()
        && (isSpared(door.name) || total < settings.whole().max());
  }

  private boolean isSpared(String listener) {
    return listener.equals(interBroker) && doors.size() > 1;
  }

  private void shed() {
    if (!shedding && total > settings.whole().max()) {
      shedding = true;
      excess.closeOne(this::isSpared, () -> shedding = false);
    }
  }

  /** Kafka's bound is one window. */
  private long throttleMs(Door door, long now) {
    Limit own = settings.ofListener(door.name);
    long ms = record(door.rate, own.rate(), now);
    return isSpared(door.name) ? ms : Math.max(ms, record(rate, settings.whole().rate(), now));
  }

  private void unrecord(Door door, long now) {
    door.rate.record(-1, now);
    if (!isSpared(door.name)) {
      rate.record(-1, now);
    }
  }

  private long record(QuotaRate of, int limit, long now) {
    of.record(1, now);
    return limit == UNLIMITED ? 0 : Math.min(windows.windowMs(), of.throttleMs(limit, now));
  }

  private long addressThrottleMs(String address, long now) {
    int limit = addressLimits.of(address);
    if (limit == UNLIMITED) {
      return 0;
    }
    if (addressRates.size() > MANY_ADDRESSES) {
      addressRates.values().removeIf(r -> now - r.lastMs() > KEPT_MS);
    }
    QuotaRate of = addressRates.computeIfAbsent(address, a -> newRate());
    long ms = record(of, limit, now);
    if (ms > 0) {
      of.record(-1, now);
    }
    return ms;
  }

  /** Connections that are open. */
  int open() {
    return total;
  }
}
