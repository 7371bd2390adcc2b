package dev.vitrine.broker.group;

import dev.vitrine.protocol.message.ConsumerGroupRegularExpressionValue;
import java.util.SortedSet;

/**
 * The topics that a pattern was found to match. Immutable.
 *
 * @param version the metadata offset that was looked at
 * @param timestamp when, milliseconds since 1970
 */
record ResolvedRegex(SortedSet<String> topics, long version, long timestamp) {
  static ResolvedRegex read(ConsumerGroupRegularExpressionValue v) {
    return new ResolvedRegex(ConsumerMember.sorted(v.topics()), v.version(), v.timestamp());
  }
}
