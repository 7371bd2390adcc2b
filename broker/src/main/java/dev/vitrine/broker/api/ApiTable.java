package dev.vitrine.broker.api;

import dev.vitrine.protocol.message.ApiKeys;
import java.util.ArrayList;
import java.util.List;

/**
 * The APIs that a kind of listener serves: what is not in it, is not offered. Filled before the
 * listener opens, unchanged afterwards, read by all shards.
 */
public final class ApiTable {
  /**
   * One API and the versions that its handler really serves.
   *
   * @param minVersion the lowest that is served
   * @param forwarded whether the controller answers it, and counts it against quotas
   */
  public record Entry(
      ApiKeys api, short minVersion, short maxVersion, ApiHandler handler, boolean forwarded) {
    boolean serves(short version) {
      return version >= minVersion && version <= maxVersion;
    }
  }

  private final ListenerType type;
  private final Wrapper around;
  private final Entry[] byId = new Entry[128];

  /** What stands around each handler. */
  public interface Wrapper {
    ApiHandler around(ApiKeys api, ApiHandler handler);
  }

  public ApiTable(ListenerType type) {
    this(type, (api, handler) -> handler);
  }

  /**
   * @param around puts something before the handlers, as they are added
   */
  public ApiTable(ListenerType type, Wrapper around) {
    this.type = type;
    this.around = around;
  }

  public ListenerType type() {
    return type;
  }

  /** Serves all versions that Apache Kafka does. */
  public ApiTable add(ApiKeys api, ApiHandler handler) {
    return add(api, api.lowestVersion(), api.highestVersion(), handler);
  }

  /** The same, of what is passed on to the controller. */
  public ApiTable addForwarded(ApiKeys api, ApiHandler handler) {
    return add(api, api.lowestVersion(), api.highestVersion(), handler, true);
  }

  /**
   * Serves a part of them.
   *
   * @throws IllegalArgumentException if Apache Kafka does not offer that on such a listener
   */
  public ApiTable add(ApiKeys api, int minVersion, int maxVersion, ApiHandler handler) {
    return add(api, minVersion, maxVersion, handler, false);
  }

  private ApiTable add(
      ApiKeys api, int minVersion, int maxVersion, ApiHandler handler, boolean forwarded) {
    boolean known = type == ListenerType.BROKER ? api.isBrokerApi() : api.isControllerApi();
    if (!known || minVersion < api.lowestVersion() || maxVersion > api.highestVersion()) {
      throw new IllegalArgumentException(
          "Apache Kafka offers no " + api + " " + minVersion + "-" + maxVersion + " to a " + type);
    }
    if (byId[api.id()] != null) {
      throw new IllegalArgumentException("there is a handler of " + api + " already");
    }
    byId[api.id()] =
        new Entry(
            api, (short) minVersion, (short) maxVersion, around.around(api, handler), forwarded);
    return this;
  }

  /** Null if it is not served here. */
  public Entry get(ApiKeys api) {
    return byId[api.id()];
  }

  /** All that is served, in the order of their numbers. */
  public List<Entry> entries() {
    List<Entry> entries = new ArrayList<>();
    for (Entry e : byId) {
      if (e != null) {
        entries.add(e);
      }
    }
    return entries;
  }
}
