package dev.vitrine.compat.groups;

import dev.vitrine.compat.chaos.GroupLoad;
import dev.vitrine.compat.chaos.Load;
import dev.vitrine.compat.chaos.Site;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.kafka.common.TopicPartition;

/** The members of one group: the eldest go, others come. Of the thread that runs the test. */
final class Crew implements Load {
  private final Site site;
  private final Kind kind;
  private final Deque<GroupLoad> members = new ArrayDeque<>();
  private final List<GroupLoad> gone = new ArrayList<>();
  private int joined;

  Crew(Site site, Kind kind, int size) {
    this.site = site;
    this.kind = kind;
    for (int i = 0; i < size; i++) {
      join();
    }
  }

  Kind kind() {
    return kind;
  }

  void join() {
    joined++;
    String name = kind.group() + "-" + joined;
    members.addLast(new GroupLoad(site, name, kind.group(), kind.memberConfig()));
  }

  /** Nobody waits until it has. */
  void leave() {
    GroupLoad eldest = members.removeFirst();
    eldest.leave();
    gone.add(eldest);
  }

  void crash() {
    GroupLoad eldest = members.removeFirst();
    eldest.crash();
    gone.add(eldest);
  }

  int size() {
    return members.size();
  }

  /** Whether each of these is owned by one member, and nothing is owned by two. */
  boolean ownsOnce(List<TopicPartition> partitions) {
    Set<TopicPartition> owned = new HashSet<>();
    int count = 0;
    for (GroupLoad member : members) {
      Set<TopicPartition> its = member.owned();
      owned.addAll(its);
      count += its.size();
    }
    return count == partitions.size() && owned.containsAll(partitions);
  }

  @Override
  public void close() {
    members.forEach(GroupLoad::leave);
    members.forEach(GroupLoad::close);
    gone.forEach(GroupLoad::close);
  }
}
