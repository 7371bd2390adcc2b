package dev.vitrine.compat.sim;

import dev.vitrine.protocol.Errors;
import dev.vitrine.protocol.message.CreateTopicsRequest;
import dev.vitrine.protocol.message.CreateTopicsResponse;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Makes the topic, and asks until it is there. */
final class SimAdmin extends SimClient {
  private static final Set<Errors> NOT_YET =
      Set.of(
          Errors.INVALID_REPLICATION_FACTOR,
          Errors.NOT_CONTROLLER,
          Errors.REQUEST_TIMED_OUT,
          Errors.BROKER_NOT_AVAILABLE);

  private final Map<String, String> configs;
  private boolean done;

  SimAdmin(ClusterSim sim, String name, Map<String, String> configs) {
    super(sim, name);
    this.configs = configs;
  }

  @Override
  void begin() {
    if (done) {
      return;
    }
    CreateTopicsRequest.CreatableTopic topic =
        new CreateTopicsRequest.CreatableTopic()
            .name(ClusterSim.TOPIC)
            .numPartitions(sim.partitions)
            .replicationFactor((short) sim.nodes.size());
    configs.forEach(
        (k, v) ->
            topic.configs().add(new CreateTopicsRequest.CreatableTopicConfig().name(k).value(v)));
    ask(
        anyNode(),
        new CreateTopicsRequest().timeoutMs(TIMEOUT_MS).topics(List.of(topic)),
        CreateTopicsResponse.class,
        r -> {
          Errors error = Errors.forCode(r.topics().get(0).errorCode());
          done = error == Errors.NONE || error == Errors.TOPIC_ALREADY_EXISTS;
          if (!done) {
            sim.check(NOT_YET.contains(error), null, "no topic: " + r);
            later(this::begin);
          }
        },
        () -> later(this::begin));
  }
}
