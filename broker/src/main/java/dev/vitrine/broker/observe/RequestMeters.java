package dev.vitrine.broker.observe;

import dev.vitrine.protocol.ApiMessage;
import dev.vitrine.protocol.message.ApiKeys;
import dev.vitrine.protocol.message.FetchRequest;
import java.util.Locale;

/**
 * What one shard counts of the requests that it answers. Belongs to the shard. Fetches are counted
 * apart for consumers and followers, and told together, too, as in Kafka.
 */
public final class RequestMeters {
  private static final short FIRST_WITH_REPLICA_STATE = 15;

  private final ApiMeter[] byApi = new ApiMeter[128];
  private ApiMeter followerFetch;
  private long waiting;

  /** A request has been read and must wait for those before it. */
  public void waits() {
    waiting++;
  }

  /** Its turn has come, or its connection has ended. */
  public void waitsNoLonger() {
    waiting--;
  }

  /**
   * An answer has been handed to the connection, or there is none.
   *
   * @param answer null for none
   */
  public void done(
      ApiKeys api,
      short version,
      ApiMessage request,
      ApiMessage answer,
      int requestBytes,
      RequestTimes times,
      long sentNanos) {
    ApiMeter meter = meter(api, version, request);
    meter.done(version, requestBytes, times, sentNanos);
    if (answer != null) {
      answer.forEachError(meter);
    }
  }

  private ApiMeter meter(ApiKeys api, short version, ApiMessage request) {
    if (request instanceof FetchRequest f && isFollower(f, version)) {
      if (followerFetch == null) {
        followerFetch = new ApiMeter();
      }
      return followerFetch;
    }
    ApiMeter meter = byApi[api.id()];
    if (meter == null) {
      meter = new ApiMeter();
      byApi[api.id()] = meter;
    }
    return meter;
  }

  private static boolean isFollower(FetchRequest request, short version) {
    return (version >= FIRST_WITH_REPLICA_STATE
            ? request.replicaState().replicaId()
            : request.replicaId())
        >= 0;
  }

  void tell(Sample into) {
    into.add(Metric.REQUEST_QUEUE_SIZE, waiting);
    for (ApiKeys api : ApiKeys.values()) {
      ApiMeter meter = byApi[api.id()];
      if (meter != null) {
        meter.tell(nameOf(api), into);
        if (api == ApiKeys.FETCH) {
          meter.tell("FetchConsumer", into);
        }
      }
    }
    if (followerFetch != null) {
      followerFetch.tell(nameOf(ApiKeys.FETCH), into);
      followerFetch.tell("FetchFollower", into);
    }
  }

  /** As in Kafka's schemas, such as {@code OffsetCommit}. */
  static String nameOf(ApiKeys api) {
    StringBuilder name = new StringBuilder();
    for (String word : api.name().split("_")) {
      name.append(word.charAt(0)).append(word.substring(1).toLowerCase(Locale.ROOT));
    }
    return name.toString();
  }
}
