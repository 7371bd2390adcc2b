package dev.vitrine.rpc;

import dev.vitrine.protocol.message.ApiKeys;
import dev.vitrine.protocol.message.ApiVersionsResponse;
import java.util.HashMap;
import java.util.Map;

/** The version ranges that one node has told; immutable. */
final class PeerVersions {
  private record Range(short min, short max) {}

  private final Map<Short, Range> ranges = new HashMap<>();

  PeerVersions(ApiVersionsResponse told) {
    for (ApiVersionsResponse.ApiVersion v : told.apiKeys()) {
      ranges.put(v.apiKey(), new Range(v.minVersion(), v.maxVersion()));
    }
  }

  /** The highest version that both sides know, at most {@code maxVersion}; -1 if there is none. */
  short choose(ApiKeys api, short maxVersion) {
    Range range = ranges.get(api.id());
    if (range == null) {
      return -1;
    }
    int high = Math.min(Math.min(api.highestVersion(), maxVersion), range.max);
    return high >= Math.max(api.lowestVersion(), range.min) ? (short) high : -1;
  }

  /** Such as {@code 4 to 17}, or {@code none}. */
  String describe(ApiKeys api) {
    Range range = ranges.get(api.id());
    return range == null ? "none" : range.min + " to " + range.max;
  }
}
