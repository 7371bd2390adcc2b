package dev.vitrine.quota;

/**
 * Tokens that come in at a steady rate and are taken for what is done, as Kafka counts the
 * mutations of a controller (KIP-599). A bucket holds what comes in within all windows together,
 * begins full, and may be overdrawn: who has overdrawn it waits. Confined to one thread.
 */
final class TokenBucket {
  private final double windowsSeconds;
  private double tokens;
  private long lastMs;
  private boolean begun;

  /**
   * @param windows {@code controller.quota.window.num}
   * @param windowMs {@code controller.quota.window.size.seconds}, in milliseconds
   */
  TokenBucket(int windows, long windowMs) {
    windowsSeconds = windows * windowMs / 1000.0;
  }

  /**
   * @param rate tokens a second; may differ from one call to the next
   */
  void take(double amount, double rate, long nowMs) {
    double capacity = windowsSeconds * rate;
    tokens = Math.min(capacity, left(rate, nowMs) - amount);
  }

  /** Negative if it is overdrawn. */
  double left(double rate, long nowMs) {
    double capacity = windowsSeconds * rate;
    tokens = begun ? Math.min(capacity, tokens + rate * (nowMs - lastMs) / 1000) : capacity;
    lastMs = nowMs;
    begun = true;
    return tokens;
  }

  /** How long until it is not overdrawn any more; 0 if it is not. */
  long throttleMs(double rate, long nowMs) {
    double left = left(rate, nowMs);
    return left < 0 ? Math.round(-left / rate * 1000) : 0;
  }

  long lastMs() {
    return lastMs;
  }
}
