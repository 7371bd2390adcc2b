package dev.vitrine.broker.observe;

import dev.vitrine.protocol.ErrorSink;
import java.util.Arrays;

/** What one shard counts of one API. Belongs to the shard. */
final class ApiMeter implements ErrorSink {
  private static final long NANOS_IN_MICRO = 1_000;
  private static final long MICROS_IN_MILLI = 1_000;

  private long[] byVersion = new long[4];

  /** By error code, from -1 on. */
  private long[] errors = new long[4];

  /** In microseconds. */
  private final Histogram total = new Histogram();

  private final Histogram queued = new Histogram();
  private final Histogram local = new Histogram();
  private final Histogram remote = new Histogram();
  private final Histogram waitedToBeSent = new Histogram();
  private final Histogram throttled = new Histogram();
  private final Histogram bytes = new Histogram();

  void done(short version, int requestBytes, RequestTimes times, long sentNanos) {
    if (version >= byVersion.length) {
      byVersion = Arrays.copyOf(byVersion, version + 4);
    }
    byVersion[Math.max(0, version)]++;
    total.record(times.total(sentNanos) / NANOS_IN_MICRO);
    queued.record(times.queued() / NANOS_IN_MICRO);
    local.record(times.local() / NANOS_IN_MICRO);
    remote.record(times.remote() / NANOS_IN_MICRO);
    waitedToBeSent.record(times.waitedToBeSent(sentNanos) / NANOS_IN_MICRO);
    throttled.record(times.throttleMs() * MICROS_IN_MILLI);
    bytes.record(requestBytes);
  }

  @Override
  public void error(short code) {
    int at = Math.max(0, code + 1);
    if (at >= errors.length) {
      errors = Arrays.copyOf(errors, at + 8);
    }
    errors[at]++;
  }

  void tell(String request, Sample into) {
    for (int v = 0; v < byVersion.length; v++) {
      if (byVersion[v] > 0) {
        into.add(Metric.REQUESTS, byVersion[v], request, Integer.toString(v));
      }
    }
    for (int i = 0; i < errors.length; i++) {
      if (errors[i] > 0) {
        String name = dev.vitrine.protocol.Errors.forCode((short) (i - 1)).name();
        into.add(Metric.REQUEST_ERRORS, errors[i], request, name);
      }
    }
    into.add(Metric.TOTAL_TIME, total, request);
    into.add(Metric.REQUEST_QUEUE_TIME, queued, request);
    into.add(Metric.LOCAL_TIME, local, request);
    into.add(Metric.REMOTE_TIME, remote, request);
    into.add(Metric.RESPONSE_QUEUE_TIME, waitedToBeSent, request);
    into.add(Metric.THROTTLE_TIME, throttled, request);
    into.add(Metric.REQUEST_BYTES, bytes, request);
  }
}
