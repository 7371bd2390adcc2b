package dev.vitrine.compat.chaos;

import java.util.List;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListTopicsOptions;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartitionInfo;

/** The cluster as a stock admin client sees it; each question is asked once until forgotten. */
final class ClusterView implements FaultRules.View {
  private final Admin admin;
  private final List<Integer> nodes;
  private Boolean ready;
  private Boolean inSync;

  ClusterView(Admin admin, List<Integer> nodes) {
    this.admin = admin;
    this.nodes = nodes;
  }

  /** The next questions are asked anew. */
  void forget() {
    ready = null;
    inSync = null;
  }

  @Override
  public boolean isReady() throws InterruptedException {
    if (ready == null) {
      ready = findReady();
    }
    return ready;
  }

  private boolean findReady() throws InterruptedException {
    try {
      return admin.describeCluster().nodes().get().stream()
          .map(Node::id)
          .toList()
          .containsAll(nodes);
    } catch (ExecutionException e) {
      return false;
    }
  }

  @Override
  public boolean isInSync() throws InterruptedException {
    if (inSync == null) {
      inSync = isReady() && findInSync();
    }
    return inSync;
  }

  private boolean findInSync() throws InterruptedException {
    try {
      List<String> topics =
          List.copyOf(admin.listTopics(new ListTopicsOptions().listInternal(true)).names().get());
      return admin.describeTopics(topics).allTopicNames().get().values().stream()
          .map(TopicDescription::partitions)
          .flatMap(List::stream)
          .allMatch(ClusterView::isInSync);
    } catch (ExecutionException e) {
      return false;
    }
  }

  private static boolean isInSync(TopicPartitionInfo partition) {
    return partition.leader() != null
        && !partition.leader().isEmpty()
        && partition.isr().size() == partition.replicas().size();
  }
}
