package dev.vitrine.compat.clients;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.AdminClient;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.TopicPartitionInfo;
import org.apache.kafka.common.config.ConfigResource;

/** The part of {@link KafkaClientsDriver} that administers. */
final class KafkaClientsAdmin {
  private final Map<String, Object> config;
  private AutoCloseable opened;

  KafkaClientsAdmin(Map<String, Object> config) {
    this.config = config;
  }

  /** One for all commands, since the second command. */
  private AdminClient admin() {
    if (opened == null) {
      Map<String, Object> all = new HashMap<>(config);
      all.put("request.timeout.ms", 15_000);
      opened = AdminClient.create(all);
    }
    return (AdminClient) opened;
  }

  void close() {
    if (opened != null) {
      admin().close();
    }
  }

  List<String> brokers() throws Exception {
    return admin().describeCluster().nodes().get().stream().map(Node::idString).sorted().toList();
  }

  List<String> createTopic(String topic, String partitions) throws Exception {
    NewTopic wanted = new NewTopic(topic, Integer.parseInt(partitions), (short) 3);
    wanted.configs(Map.of("retention.ms", "123456789"));
    admin().createTopics(List.of(wanted)).all().get();
    return List.of();
  }

  List<String> topics() throws Exception {
    return admin().listTopics().names().get().stream().sorted().toList();
  }

  List<String> describeTopic(String topic) throws Exception {
    Object future = Reflected.call(admin().describeTopics(List.of(topic)), "allTopicNames", "all");
    TopicDescription description =
        (TopicDescription) ((Map<?, ?>) ((KafkaFuture<?>) future).get()).get(topic);
    return description.partitions().stream()
        .sorted(Comparator.comparingInt(TopicPartitionInfo::partition))
        .map(info -> info.partition() + " " + replicas(info))
        .toList();
  }

  private static String replicas(TopicPartitionInfo info) {
    return info.replicas().stream().map(Node::idString).sorted().collect(Collectors.joining(","));
  }

  List<String> describeConfigs(String topic) throws Exception {
    ConfigResource resource = new ConfigResource(ConfigResource.Type.TOPIC, topic);
    Config found = admin().describeConfigs(List.of(resource)).all().get().get(resource);
    return found.entries().stream()
        .map(entry -> entry.name() + "=" + entry.value())
        .sorted()
        .toList();
  }

  List<String> alterConfig(String topic, String key, String value) throws Exception {
    ConfigResource resource = new ConfigResource(ConfigResource.Type.TOPIC, topic);
    ConfigEntry entry = new ConfigEntry(key, value);
    if (Reflected.exists("org.apache.kafka.clients.admin.AlterConfigOp")) {
      Collection<AlterConfigOp> set = List.of(new AlterConfigOp(entry, AlterConfigOp.OpType.SET));
      admin().incrementalAlterConfigs(Map.of(resource, set)).all().get();
    } else {
      Map<ConfigResource, Config> whole = Map.of(resource, new Config(List.of(entry)));
      Object result = Reflected.call(admin(), "alterConfigs", Map.class, whole);
      ((KafkaFuture<?>) Reflected.call(result, "all")).get();
    }
    return List.of();
  }

  List<String> addPartitions(String topic, int count) throws Exception {
    admin().createPartitions(Map.of(topic, NewPartitions.increaseTo(count))).all().get();
    return List.of();
  }

  List<String> groups() throws Exception {
    Object result = Reflected.call(admin(), "listGroups", "listConsumerGroups");
    Collection<?> groups = (Collection<?>) ((KafkaFuture<?>) Reflected.call(result, "all")).get();
    List<String> names = new ArrayList<>();
    for (Object group : groups) {
      names.add((String) Reflected.call(group, "groupId"));
    }
    return names;
  }

  List<String> describeGroup(String group) throws Exception {
    Object description = admin().describeConsumerGroups(List.of(group)).all().get().get(group);
    Object state = Reflected.call(description, "groupState", "state");
    Collection<?> members = (Collection<?>) Reflected.call(description, "members");
    List<String> lines = new ArrayList<>(List.of(state.toString()));
    for (Object member : members) {
      lines.add((String) Reflected.call(member, "clientId"));
    }
    return lines;
  }

  List<String> committed(String group) throws Exception {
    return admin()
        .listConsumerGroupOffsets(group)
        .partitionsToOffsetAndMetadata()
        .get()
        .entrySet()
        .stream()
        .map(entry -> entry.getKey().partition() + " " + entry.getValue().offset())
        .sorted()
        .toList();
  }

  List<String> deleteRecords(String topic, long before) throws Exception {
    Map<TopicPartition, RecordsToDelete> wanted =
        Map.of(new TopicPartition(topic, 0), RecordsToDelete.beforeOffset(before));
    admin().deleteRecords(wanted).all().get();
    return List.of();
  }

  List<String> deleteGroup(String group) throws Exception {
    admin().deleteConsumerGroups(List.of(group)).all().get();
    return List.of();
  }

  List<String> deleteTopic(String topic) throws Exception {
    admin().deleteTopics(List.of(topic)).all().get();
    return List.of();
  }
}
