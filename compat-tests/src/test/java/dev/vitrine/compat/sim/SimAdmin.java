package dev.vitrine.compat.sim;

import dev.vitrine.metadata.FeaturesImage;
import dev.vitrine.protocol.ApiMessage;
import dev.vitrine.protocol.Errors;
import dev.vitrine.protocol.TopicPartition;
import dev.vitrine.protocol.message.AlterPartitionReassignmentsRequest;
import dev.vitrine.protocol.message.AlterPartitionReassignmentsResponse;
import dev.vitrine.protocol.message.CreatePartitionsRequest;
import dev.vitrine.protocol.message.CreatePartitionsResponse;
import dev.vitrine.protocol.message.CreateTopicsRequest;
import dev.vitrine.protocol.message.CreateTopicsResponse;
import dev.vitrine.protocol.message.DeleteRecordsRequest;
import dev.vitrine.protocol.message.DeleteRecordsResponse;
import dev.vitrine.protocol.message.DeleteTopicsRequest;
import dev.vitrine.protocol.message.DeleteTopicsResponse;
import dev.vitrine.protocol.message.ElectLeadersRequest;
import dev.vitrine.protocol.message.ElectLeadersResponse;
import dev.vitrine.protocol.message.IncrementalAlterConfigsRequest;
import dev.vitrine.protocol.message.IncrementalAlterConfigsResponse;
import dev.vitrine.protocol.message.UpdateFeaturesRequest;
import dev.vitrine.protocol.message.UpdateFeaturesResponse;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Makes the topic, and asks until it is there; then does the chores of the {@link Plan}, one after
 * the other. What may come of them beyond success is here.
 */
final class SimAdmin extends SimClient {
  private static final int MAX_PARTITIONS = 6;
  private static final int PAUSE_MS = 800;

  private static final Set<Errors> NOT_YET =
      Set.of(
          Errors.INVALID_REPLICATION_FACTOR,
          Errors.NOT_CONTROLLER,
          Errors.REQUEST_TIMED_OUT,
          Errors.BROKER_NOT_AVAILABLE);

  /** After a request that was answered too late, or by who is behind. */
  private static final Set<Errors> OVERTAKEN =
      Set.of(
          Errors.TOPIC_ALREADY_EXISTS,
          Errors.UNKNOWN_TOPIC_OR_PARTITION,
          Errors.INVALID_PARTITIONS,
          Errors.ELECTION_NOT_NEEDED,
          Errors.PREFERRED_LEADER_NOT_AVAILABLE,
          Errors.NO_REASSIGNMENT_IN_PROGRESS,
          Errors.INVALID_REPLICA_ASSIGNMENT,
          Errors.OFFSET_OUT_OF_RANGE);

  final Map<Plan.Chore, Integer> counts = new EnumMap<>(Plan.Chore.class);
  private boolean featureIsUp;
  private boolean created;
  private boolean underWay;
  private long lastReassignedMs = Long.MIN_VALUE / 2;
  boolean stopping;

  SimAdmin(ClusterSim sim, String name) {
    super(sim, name);
  }

  /** When a reassignment was asked for last; it may be carried out somewhat later. */
  long lastReassignedMs() {
    return lastReassignedMs;
  }

  boolean isDone() {
    return stopping && !underWay && created;
  }

  @Override
  void begin() {
    if (sim.plan.elr && !featureIsUp) {
      raiseFeature();
      return;
    }
    if (!created) {
      create(ClusterSim.TOPIC);
      return;
    }
    if (!stopping && !sim.plan.chores.isEmpty()) {
      refresh();
      perform(sim.plan.chores.get(shard.random().nextInt(sim.plan.chores.size())));
    }
  }

  private void next() {
    underWay = false;
    shard.schedule(1 + shard.random().nextInt(PAUSE_MS), this::begin);
  }

  private void perform(Plan.Chore chore) {
    counts.merge(chore, 1, Integer::sum);
    switch (chore) {
      case CREATE -> create(anyTransient());
      case DELETE -> delete(anyTransient());
      case GROW -> grow();
      case DELETE_RECORDS -> deleteRecords();
      case CONFIGURE -> configure();
      case ELECT -> elect();
      case REASSIGN -> reassign();
    }
  }

  private static String topicOf(List<String> all, int n) {
    return all.get(n);
  }

  private String anyTransient() {
    return topicOf(ClusterSim.TOPICS, 1 + shard.random().nextInt(ClusterSim.TOPICS.size() - 1));
  }

  private TopicPartition anyPartition() {
    if (leaders.isEmpty()) {
      return null;
    }
    List<TopicPartition> all = new ArrayList<>(leaders.keySet());
    return all.get(shard.random().nextInt(all.size()));
  }

  private <T extends ApiMessage> void request(
      ApiMessage request, Class<T> type, java.util.function.Function<T, Short> error) {
    underWay = true;
    sim.say(name + " asks for " + request);
    ask(
        anyNode(),
        request,
        type,
        r -> {
          Errors e = Errors.forCode(error.apply(r));
          sim.check(
              e == Errors.NONE
                  || NOT_YET.contains(e)
                  || OVERTAKEN.contains(e)
                  || RETRIABLE.contains(e),
              null,
              name + " gets " + r + " for " + request);
          next();
        },
        this::next);
  }

  private void raiseFeature() {
    UpdateFeaturesRequest request = new UpdateFeaturesRequest().timeoutMs(sim.plan.patienceMs);
    request
        .featureUpdates()
        .add(
            new UpdateFeaturesRequest.FeatureUpdateKey()
                .feature(FeaturesImage.ELR_VERSION)
                .maxVersionLevel((short) 1)
                .upgradeType((byte) 1));
    request(
        request,
        UpdateFeaturesResponse.class,
        r -> {
          short error =
              r.errorCode() != 0 || r.results().isEmpty()
                  ? r.errorCode()
                  : r.results().get(0).errorCode();
          featureIsUp = error == 0;
          return error;
        });
  }

  private void create(String name) {
    CreateTopicsRequest.CreatableTopic topic =
        new CreateTopicsRequest.CreatableTopic()
            .name(name)
            .numPartitions(sim.plan.partitions)
            .replicationFactor((short) sim.plan.replication);
    sim.plan.topicConfigs.forEach(
        (k, v) ->
            topic.configs().add(new CreateTopicsRequest.CreatableTopicConfig().name(k).value(v)));
    request(
        new CreateTopicsRequest().timeoutMs(sim.plan.patienceMs).topics(List.of(topic)),
        CreateTopicsResponse.class,
        r -> {
          short error = r.topics().get(0).errorCode();
          created |= error == 0 || error == Errors.TOPIC_ALREADY_EXISTS.code();
          return error;
        });
  }

  private void delete(String name) {
    DeleteTopicsRequest request = new DeleteTopicsRequest().timeoutMs(sim.plan.patienceMs);
    request.topics().add(new DeleteTopicsRequest.DeleteTopicState().name(name));
    request(request, DeleteTopicsResponse.class, r -> r.responses().get(0).errorCode());
  }

  private void grow() {
    TopicPartition p = anyPartition();
    if (p == null) {
      next();
      return;
    }
    long has = leaders.keySet().stream().filter(x -> x.topic().equals(p.topic())).count();
    CreatePartitionsRequest request = new CreatePartitionsRequest().timeoutMs(sim.plan.patienceMs);
    request
        .topics()
        .add(
            new CreatePartitionsRequest.CreatePartitionsTopic()
                .name(p.topic())
                .count((int) Math.min(MAX_PARTITIONS, has + 1))
                .assignments(null));
    request(request, CreatePartitionsResponse.class, r -> r.results().get(0).errorCode());
  }

  /** Of the leader, of the older half of what is there. */
  private void deleteRecords() {
    TopicPartition p = anyPartition();
    if (p == null || leaders.get(p).id() < 0) {
      next();
      return;
    }
    DeleteRecordsRequest.DeleteRecordsTopic topic =
        new DeleteRecordsRequest.DeleteRecordsTopic().name(p.topic());
    topic
        .partitions()
        .add(
            new DeleteRecordsRequest.DeleteRecordsPartition()
                .partitionIndex(p.partition())
                .offset(shard.random().nextInt(1 + sim.history.size(id(p)) / 2)));
    DeleteRecordsRequest request =
        new DeleteRecordsRequest().timeoutMs(1 + sim.plan.patienceMs / 2);
    request.topics().add(topic);
    underWay = true;
    ask(
        node(leaders.get(p).id()),
        request,
        DeleteRecordsResponse.class,
        r -> {
          Errors e = Errors.forCode(r.topics().get(0).partitions().get(0).errorCode());
          if (e != Errors.NONE && e != Errors.OFFSET_OUT_OF_RANGE) {
            retriable(e, "for the deletion of records of " + p);
          }
          next();
        },
        this::next);
  }

  private void configure() {
    String topic = topicOf(ClusterSim.TOPICS, shard.random().nextInt(ClusterSim.TOPICS.size()));
    IncrementalAlterConfigsRequest.AlterConfigsResource resource =
        new IncrementalAlterConfigsRequest.AlterConfigsResource()
            .resourceType((byte) 2)
            .resourceName(topic);
    String[] change =
        switch (shard.random().nextInt(3)) {
          case 0 -> new String[] {"segment.ms", "" + (1 + shard.random().nextInt(3_000))};
          case 1 -> new String[] {"max.message.bytes", "" + (1 << 20)};
          default -> new String[] {"file.delete.delay.ms", "" + shard.random().nextInt(1_000)};
        };
    resource
        .configs()
        .add(
            new IncrementalAlterConfigsRequest.AlterableConfig()
                .name(change[0])
                .configOperation((byte) 0)
                .value(change[1]));
    IncrementalAlterConfigsRequest request = new IncrementalAlterConfigsRequest();
    request.resources().add(resource);
    request(request, IncrementalAlterConfigsResponse.class, r -> r.responses().get(0).errorCode());
  }

  /** To as many brokers by chance, or back. */
  private void reassign() {
    TopicPartition p = anyPartition();
    // With what a power cut has left, a smaller in-sync set may be one that lacks something.
    if (p == null || sim.plan.elr && sim.faults.isPowerGone()) {
      next();
      return;
    }
    lastReassignedMs = sim.world.elapsedMs();
    AlterPartitionReassignmentsRequest.ReassignablePartition to =
        new AlterPartitionReassignmentsRequest.ReassignablePartition()
            .partitionIndex(p.partition())
            .replicas(null);
    if (shard.random().nextInt(4) > 0) {
      List<Integer> brokers = new ArrayList<>();
      sim.brokers.forEach(b -> brokers.add(shard.random().nextInt(brokers.size() + 1), b.id));
      to.replicas(new ArrayList<>(brokers.subList(0, sim.plan.replication)));
    }
    AlterPartitionReassignmentsRequest.ReassignableTopic topic =
        new AlterPartitionReassignmentsRequest.ReassignableTopic().name(p.topic());
    topic.partitions().add(to);
    AlterPartitionReassignmentsRequest request =
        new AlterPartitionReassignmentsRequest().timeoutMs(sim.plan.patienceMs);
    request.topics().add(topic);
    request(
        request,
        AlterPartitionReassignmentsResponse.class,
        r ->
            r.errorCode() != 0
                ? r.errorCode()
                : r.responses().get(0).partitions().get(0).errorCode());
  }

  private void elect() {
    TopicPartition p = anyPartition();
    if (p == null) {
      next();
      return;
    }
    ElectLeadersRequest.TopicPartitions topic =
        new ElectLeadersRequest.TopicPartitions()
            .topic(p.topic())
            .partitions(new ArrayList<>(List.of(p.partition())));
    ElectLeadersRequest request =
        new ElectLeadersRequest().electionType((byte) 0).timeoutMs(sim.plan.patienceMs);
    request.topicPartitions(new ArrayList<>(List.of(topic)));
    request(
        request,
        ElectLeadersResponse.class,
        r ->
            r.replicaElectionResults().isEmpty()
                ? r.errorCode()
                : r.replicaElectionResults().get(0).partitionResult().get(0).errorCode());
  }
}
