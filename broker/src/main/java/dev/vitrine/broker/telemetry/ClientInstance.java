package dev.vitrine.broker.telemetry;

import dev.vitrine.protocol.Errors;
import dev.vitrine.protocol.Uuid;
import dev.vitrine.seam.Timer;
import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32C;

/**
 * One client as its broker knows it since its first request or the last change of the
 * subscriptions: what it is asked for, and when it may come again. Belongs to the shard of its id.
 */
final class ClientInstance {
  private static final long NEVER = -(1L << 60);

  final Client client;
  final Subscriptions.Wanted wanted;
  final int version;
  final int subscriptionId;

  /** When nobody has heard of it for long. */
  Timer expiry;

  boolean terminating;
  Errors lastError = Errors.NONE;
  private long lastGet = NEVER;
  private long lastPush = NEVER;

  ClientInstance(Client client, Subscriptions.Wanted wanted, int version) {
    this.client = client;
    this.wanted = wanted;
    this.version = version;
    this.subscriptionId = subscriptionId(client.instanceId(), wanted);
  }

  private static int subscriptionId(Uuid id, Subscriptions.Wanted wanted) {
    CRC32C crc = new CRC32C();
    String text = wanted.metrics() + "" + wanted.intervalMs();
    crc.update(text.getBytes(StandardCharsets.UTF_8));
    return (int) crc.getValue() ^ id.hashCode();
  }

  /** Whether it may ask for its subscription now. */
  boolean mayGet(long ticks) {
    if (ticks - Math.max(lastGet, lastPush) < wanted.intervalMs()) {
      return false;
    }
    lastGet = ticks;
    return true;
  }

  /**
   * Whether it may push now: after the interval or, at any time, as the first thing after it has
   * asked for its subscription, since clients begin at a random time within the first interval.
   */
  boolean mayPush(long ticks) {
    if (lastGet <= lastPush && ticks - lastPush < wanted.intervalMs()) {
      return false;
    }
    lastPush = ticks;
    return true;
  }
}
