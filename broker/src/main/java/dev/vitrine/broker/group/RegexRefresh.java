package dev.vitrine.broker.group;

import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import dev.vitrine.protocol.Errors;
import java.util.Collections;
import java.util.Iterator;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * When the patterns of a group are matched against the topics again. All of a group are matched
 * together, so that there is one rebalance for all. Pure.
 *
 * @param ongoing whether it is being done already
 * @param newTopicsSince the metadata offset at which topics were created last
 * @param intervalMs {@code group.consumer.regex.refresh.interval.ms}
 */
record RegexRefresh(boolean ongoing, long newTopicsSince, int intervalMs) {
  /** A group is not refreshed more often than that. */
  private static final long MIN_INTERVAL_MS = 10_000;

  /**
   * @param before the group as it was
   * @param after with the member's change
   * @param isNew whether the member has brought a pattern that the group did not have
   * @return the patterns to be resolved now; none if that is not to be done
   */
  SortedSet<String> due(
      ConsumerGroupView before, ConsumerGroupView after, boolean isNew, long now) {
    SortedSet<String> none = Collections.emptySortedSet();
    if ((!isNew && before.regexSubscribers().isEmpty()) || ongoing) {
      return none;
    }
    Iterator<ResolvedRegex> resolved = before.image().regexes().values().iterator();
    ResolvedRegex last = resolved.hasNext() ? resolved.next() : null;
    if (last != null && now <= last.timestamp() + MIN_INTERVAL_MS) {
      return none;
    }
    SortedSet<String> wanted = new TreeSet<>(after.regexSubscribers().keySet());
    boolean due =
        isNew
            || wanted.size() != before.image().regexes().size()
            || last == null
            || last.version() < newTopicsSince
            || now > last.timestamp() + intervalMs;
    return due ? wanted : none;
  }

  /**
   * @throws GroupException if it is not a pattern of RE2
   */
  static void check(String regex) {
    try {
      Pattern.compile(regex);
    } catch (PatternSyntaxException e) {
      throw new GroupException(
          Errors.INVALID_REGULAR_EXPRESSION,
          "SubscribedTopicRegex `"
              + regex
              + "` is not a valid regular expression: "
              + e.getDescription()
              + ".");
    }
  }
}
