package dev.vitrine.broker.group;

import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import dev.vitrine.metadata.MetadataImage;
import dev.vitrine.metadata.TopicImage;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Matches patterns against the names of all topics. RE2, as in Kafka: its time is bounded whatever
 * the pattern. A disk worker runs it; it touches nothing else.
 */
final class RegexResolution {
  private static final Logger LOG = LoggerFactory.getLogger(RegexResolution.class);

  private RegexResolution() {}

  /**
   * @param now milliseconds since 1970
   * @return what each pattern matches; nothing if it is none
   */
  static SortedMap<String, ResolvedRegex> resolve(
      Collection<String> regexes, MetadataImage cluster, long now) {
    List<Pattern> patterns = new ArrayList<>();
    SortedMap<String, TreeSet<String>> found = new TreeMap<>();
    for (String regex : regexes) {
      found.put(regex, new TreeSet<>());
      try {
        patterns.add(Pattern.compile(regex));
      } catch (PatternSyntaxException e) {
        LOG.warn("Not a regular expression, it matches nothing: {}", regex, e);
      }
    }
    for (TopicImage topic : cluster.topics().all()) {
      for (Pattern p : patterns) {
        if (p.matches(topic.name())) {
          found.get(p.pattern()).add(topic.name());
        }
      }
    }
    SortedMap<String, ResolvedRegex> resolved = new TreeMap<>();
    found.forEach(
        (regex, topics) -> resolved.put(regex, new ResolvedRegex(topics, cluster.offset(), now)));
    return resolved;
  }
}
