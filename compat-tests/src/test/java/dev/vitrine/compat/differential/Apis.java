package dev.vitrine.compat.differential;

import dev.vitrine.protocol.message.ApiKeys;
import java.util.ArrayList;
import java.util.List;

/** Names and versions of the APIs, in the words of scripts. Holds no state. */
final class Apis {
  private Apis() {}

  static String name(ApiKeys api) {
    return api.newRequest().getClass().getSimpleName().replaceFirst("Request$", "");
  }

  static ApiKeys named(String name) {
    for (ApiKeys api : ApiKeys.values()) {
      if (name(api).equals(name)) {
        return api;
      }
    }
    throw new IllegalArgumentException("no API " + name);
  }

  /**
   * {@code all}: each that Apache Kafka offers; {@code latest}; {@code v}: that of the script's
   * loop, or the nearest that there is; {@code 0,3-5}.
   */
  static List<Integer> versions(ApiKeys api, String text, int loop) {
    List<Integer> versions = new ArrayList<>();
    for (String part : text.split(",")) {
      switch (part) {
        case "all" -> add(versions, api.lowestVersion(), api.highestVersion());
        case "latest" -> versions.add((int) api.highestVersion());
        case "v" ->
            versions.add(Math.max(api.lowestVersion(), Math.min(api.highestVersion(), loop)));
        default -> {
          if (part.matches("-?\\d+")) {
            versions.add(Integer.parseInt(part));
          } else {
            Schema.Range range = Schema.Range.parse(part);
            add(versions, range.lowest(), Math.min(range.highest(), api.highestVersion()));
          }
        }
      }
    }
    return versions;
  }

  private static void add(List<Integer> versions, int lowest, int highest) {
    for (int v = lowest; v <= highest; v++) {
      versions.add(v);
    }
  }

  /** Of a loop: an API, for all its versions, or the versions. */
  static List<Integer> loop(String text) {
    return Character.isUpperCase(text.charAt(0))
        ? versions(named(text), "all", 0)
        : versions(ApiKeys.PRODUCE, text, 0);
  }
}
