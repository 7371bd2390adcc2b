package dev.vitrine.compat.chaos;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * The members of a group: now and then the eldest leaves and another joins, or one more or less.
 */
final class GroupChurn implements Load {
  private static final int MOST = 3;

  private final Site site;
  private final String group;
  private final Map<String, Object> config;
  private final SplittableRandom random;
  private final Deque<GroupLoad> members = new ArrayDeque<>();
  private final LoadThread thread;
  private int joined;

  GroupChurn(Site site, String group, Map<String, Object> config, SplittableRandom random) {
    this.site = site;
    this.group = group;
    this.config = config;
    this.random = random;
    join();
    join();
    this.thread = new LoadThread(group, this::step, () -> {});
    thread.start();
  }

  private void join() {
    joined++;
    members.addLast(new GroupLoad(site, group + "-" + joined, group, config));
  }

  private void step() throws InterruptedException {
    for (int i = random.nextInt(30, 120); i > 0 && !thread.isEnded(); i--) {
      Thread.sleep(100);
    }
    if (thread.isEnded()) {
      return;
    }
    boolean leave = members.size() > 1 && random.nextBoolean();
    if (leave) {
      members.removeFirst().close();
    }
    if (members.size() < MOST && (!leave || random.nextBoolean())) {
      join();
    }
  }

  /** Nobody joins or leaves any more; the members go on. */
  void settle() {
    thread.end();
  }

  /** After {@link #settle}. */
  @Override
  public void close() {
    members.forEach(GroupLoad::close);
  }
}
