package dev.vitrine.controller;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.vitrine.metadata.PartitionImage;
import dev.vitrine.protocol.Errors;
import dev.vitrine.protocol.Uuid;
import dev.vitrine.protocol.message.*;
import dev.vitrine.protocol.message.AlterPartitionReassignmentsRequest.ReassignablePartition;
import dev.vitrine.protocol.message.AlterPartitionReassignmentsRequest.ReassignableTopic;
import dev.vitrine.protocol.message.AlterPartitionReassignmentsResponse.ReassignablePartitionResponse;
import dev.vitrine.protocol.message.ListPartitionReassignmentsRequest.ListPartitionReassignmentsTopics;
import dev.vitrine.protocol.message.ListPartitionReassignmentsResponse.OngoingPartitionReassignment;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Reassignments (KIP-455), request by request; the answers are Apache Kafka 4.4.0's. */
class ReassignmentTest {
  private final ControllerFixture f = new ControllerFixture().start();

  private static AlterPartitionReassignmentsRequest request(
      String topic, int partition, List<Integer> replicas) {
    return new AlterPartitionReassignmentsRequest()
        .topics(
            List.of(
                new ReassignableTopic()
                    .name(topic)
                    .partitions(
                        List.of(
                            new ReassignablePartition()
                                .partitionIndex(partition)
                                .replicas(replicas)))));
  }

  private ReassignablePartitionResponse ask(AlterPartitionReassignmentsRequest request) {
    AlterPartitionReassignmentsResponse response = f.ask(request);
    assertEquals(0, response.errorCode());
    return response.responses().get(0).partitions().get(0);
  }

  private void reassign(Integer... target) {
    ReassignablePartitionResponse r = ask(request("t", 0, List.of(target)));
    assertEquals(Errors.NONE.code(), r.errorCode(), r.errorMessage());
  }

  private ReassignablePartitionResponse cancel() {
    return ask(request("t", 0, null));
  }

  private void assertRefused(
      Errors error, String message, AlterPartitionReassignmentsRequest request) {
    ReassignablePartitionResponse r = ask(request);
    assertEquals(error, Errors.forCode(r.errorCode()));
    assertEquals(message, r.errorMessage());
  }

  private void assertIs(
      List<Integer> replicas, List<Integer> adding, List<Integer> removing, List<Integer> isr) {
    PartitionImage p = f.partition("t", 0);
    assertEquals(replicas, p.replicas());
    assertEquals(adding, p.addingReplicas());
    assertEquals(removing, p.removingReplicas());
    assertEquals(isr, p.isr());
    List<Uuid> directories = new ArrayList<>();
    replicas.forEach(b -> directories.add(new Uuid(50, b)));
    assertEquals(directories, p.directories());
  }

  /** The leader says who is in sync now. */
  private AlterPartitionResponse.PartitionData inSync(Integer... isr) {
    Uuid topic = f.image().topic("t").id();
    PartitionImage p = f.partition("t", 0);
    List<AlterPartitionRequest.BrokerState> states = new ArrayList<>();
    for (int id : isr) {
      states.add(
          new AlterPartitionRequest.BrokerState().brokerId(id).brokerEpoch(f.epochs.get(id)));
    }
    AlterPartitionResponse response =
        f.ask(
            new AlterPartitionRequest()
                .brokerId(p.leader())
                .brokerEpoch(f.epochs.get(p.leader()))
                .topics(
                    List.of(
                        new AlterPartitionRequest.TopicData()
                            .topicId(topic)
                            .partitions(
                                List.of(
                                    new AlterPartitionRequest.PartitionData()
                                        .leaderEpoch(p.leaderEpoch())
                                        .partitionEpoch(p.partitionEpoch())
                                        .newIsrWithEpochs(states))))));
    return response.topics().get(0).partitions().get(0);
  }

  private List<OngoingPartitionReassignment> listed() {
    ListPartitionReassignmentsResponse r = f.ask(new ListPartitionReassignmentsRequest());
    assertEquals(0, r.errorCode());
    return r.topics().isEmpty() ? List.of() : r.topics().get(0).partitions();
  }

  @Test
  void addsWaitsAndRemoves() {
    f.up(1, 2, 3, 4);
    f.createOn("t", 1, 2);
    reassign(3, 4);
    assertIs(List.of(3, 4, 1, 2), List.of(3, 4), List.of(1, 2), List.of(1, 2));
    assertEquals(0, f.partition("t", 0).leaderEpoch());
    assertEquals(
        List.of(
            new OngoingPartitionReassignment()
                .replicas(List.of(3, 4, 1, 2))
                .addingReplicas(List.of(3, 4))
                .removingReplicas(List.of(1, 2))),
        listed());
    assertEquals(Errors.NONE.code(), inSync(1, 2, 4).errorCode());
    assertIs(List.of(3, 4, 1, 2), List.of(3, 4), List.of(1, 2), List.of(1, 2, 4));
    // The leader goes with the old replicas: it is told so by an error although all was done.
    assertEquals(Errors.NEW_LEADER_ELECTED.code(), inSync(1, 2, 4, 3).errorCode());
    assertIs(List.of(3, 4), List.of(), List.of(), List.of(4, 3));
    assertEquals(3, f.partition("t", 0).leader());
    assertEquals(1, f.partition("t", 0).leaderEpoch());
    assertTrue(listed().isEmpty());
  }

  @Test
  void leaderThatStaysLeadsInANewEpoch() {
    f.up(1, 2, 3);
    f.createOn("t", 1, 2);
    reassign(3, 1);
    AlterPartitionResponse.PartitionData r = inSync(1, 2, 3);
    assertEquals(Errors.NONE.code(), r.errorCode());
    assertEquals(1, r.leaderId());
    assertEquals(1, r.leaderEpoch());
    assertEquals(List.of(1, 3), r.isr());
    assertIs(List.of(3, 1), List.of(), List.of(), List.of(1, 3));
  }

  @Test
  void anotherOrderOrFewerReplicasAreDoneAtOnce() {
    f.up(1, 2, 3);
    f.createOn("t", 1, 2, 3);
    reassign(3, 2, 1);
    assertIs(List.of(3, 2, 1), List.of(), List.of(), List.of(1, 2, 3));
    assertEquals(0, f.partition("t", 0).leaderEpoch());
    reassign(2);
    assertIs(List.of(2), List.of(), List.of(), List.of(2));
    assertEquals(2, f.partition("t", 0).leader());
    int epoch = f.partition("t", 0).partitionEpoch();
    reassign(2);
    assertEquals(epoch, f.partition("t", 0).partitionEpoch());
  }

  @Test
  void fewerReplicasWaitUntilAllThatStayAreInSync() {
    f.up(1, 2, 3);
    f.createOn("t", 1, 2, 3);
    inSync(1, 3);
    reassign(1, 2);
    assertIs(List.of(1, 2, 3), List.of(), List.of(3), List.of(1, 3));
    inSync(1, 2, 3);
    assertIs(List.of(1, 2), List.of(), List.of(), List.of(1, 2));
  }

  @Test
  void anOldReplicaThatLagsHoldsUpNobody() {
    f.up(1, 2, 3);
    f.createOn("t", 1, 2);
    inSync(1);
    reassign(3, 2);
    inSync(1, 3);
    assertIs(List.of(3, 2), List.of(), List.of(), List.of(3));
  }

  @Test
  void cancelGoesBack() {
    f.up(1, 2, 3, 4);
    f.createOn("t", 1, 2);
    ReassignablePartitionResponse none = cancel();
    assertEquals(Errors.NO_REASSIGNMENT_IN_PROGRESS.code(), none.errorCode());
    assertNull(none.errorMessage(), "the error says it already");
    reassign(3, 4);
    inSync(1, 2, 3);
    assertEquals(0, cancel().errorCode());
    assertIs(List.of(1, 2), List.of(), List.of(), List.of(1, 2));
    assertEquals(1, f.partition("t", 0).leader());
    assertEquals(1, f.partition("t", 0).leaderEpoch());
  }

  @Test
  void cancelThatWouldLoseRecordsNeedsTheLeaveTo() {
    f.up(1, 2, 3, 4);
    f.createOn("t", 1);
    reassign(3, 4);
    // The old one and the leader goes: only a new one has everything.
    inSync(1, 3);
    f.ask(f.beat(1).wantFence(true));
    assertEquals(3, f.partition("t", 0).leader());
    ReassignablePartitionResponse r = cancel();
    assertEquals(Errors.INVALID_REPLICA_ASSIGNMENT.code(), r.errorCode());
    assertEquals(
        "Unable to revert partition assignment for t:0 because it would require an unclean leader"
            + " election.",
        r.errorMessage());
    assertTrue(f.partition("t", 0).isReassigning());
    f.ask(
        new IncrementalAlterConfigsRequest()
            .resources(
                List.of(
                    new IncrementalAlterConfigsRequest.AlterConfigsResource()
                        .resourceType((byte) 2)
                        .resourceName("t")
                        .configs(
                            List.of(
                                new IncrementalAlterConfigsRequest.AlterableConfig()
                                    .name("unclean.leader.election.enable")
                                    .value("true"))))));
    f.ask(f.beat(1));
    assertEquals(0, cancel().errorCode());
    assertIs(List.of(1), List.of(), List.of(), List.of(1));
    assertEquals(1, f.partition("t", 0).leader());
    assertTrue(f.partition("t", 0).recovering());
  }

  @Test
  void anotherTargetReplacesTheOneBefore() {
    f.up(1, 2, 3, 4);
    f.createOn("t", 1, 2);
    reassign(3, 1);
    reassign(4, 1);
    assertIs(List.of(4, 1, 2, 3), List.of(4), List.of(2, 3), List.of(1, 2));
    inSync(1, 2, 4);
    assertIs(List.of(4, 1), List.of(), List.of(), List.of(1, 4));
  }

  /** Apache Kafka 4.4.0 waits for ever for the replica that it is to remove. */
  @Test
  void askingForTheFormerReplicasEndsIt() {
    f.up(1, 2, 3);
    f.createOn("t", 1, 2);
    reassign(3, 1);
    reassign(1, 2);
    assertIs(List.of(1, 2), List.of(), List.of(), List.of(1, 2));
  }

  @Test
  void refusesAsKafkaDoes() {
    f.up(1, 2, 3);
    f.createOn("t", 1, 2);
    assertRefused(
        Errors.UNKNOWN_TOPIC_OR_PARTITION,
        "Unable to find a topic named nope.",
        request("nope", 0, List.of(1)));
    assertRefused(
        Errors.UNKNOWN_TOPIC_OR_PARTITION,
        "Unable to find partition t:7.",
        request("t", 7, List.of(1)));
    assertRefused(
        Errors.INVALID_REPLICA_ASSIGNMENT,
        "The manual partition assignment includes an empty replica list.",
        request("t", 0, List.of()));
    assertRefused(
        Errors.INVALID_REPLICA_ASSIGNMENT,
        "The manual partition assignment includes the broker 1 more than once.",
        request("t", 0, List.of(1, 1)));
    assertRefused(
        Errors.INVALID_REPLICA_ASSIGNMENT,
        "The manual partition assignment includes broker 9, but no such broker is registered.",
        request("t", 0, List.of(9, 1)));
    assertRefused(
        Errors.INVALID_REPLICATION_FACTOR,
        "The replication factor is changed from 2 to 3",
        request("t", 0, List.of(1, 2, 3)).allowReplicationFactorChange(false));
    reassign(3, 1);
    assertRefused(
        Errors.INVALID_REPLICATION_FACTOR,
        "The replication factor is changed from 2 to 1",
        request("t", 0, List.of(1)).allowReplicationFactorChange(false));
    AlterPartitionReassignmentsResponse late = f.ask(request("t", 0, null).timeoutMs(0));
    assertEquals(Errors.REQUEST_TIMED_OUT.code(), late.errorCode());
  }

  @Test
  void listsWhatIsAskedForAndThere() {
    f.up(1, 2);
    f.createOn("t", 1);
    reassign(2);
    ListPartitionReassignmentsResponse r =
        f.ask(
            new ListPartitionReassignmentsRequest()
                .topics(
                    List.of(
                        new ListPartitionReassignmentsTopics()
                            .name("nope")
                            .partitionIndexes(List.of(0)),
                        new ListPartitionReassignmentsTopics()
                            .name("t")
                            .partitionIndexes(List.of(4, 0)))));
    assertEquals(1, r.topics().size());
    assertEquals(1, r.topics().get(0).partitions().size());
    r = f.ask(new ListPartitionReassignmentsRequest().topics(List.of()));
    assertTrue(r.topics().isEmpty());
  }

  @Test
  void replicasThatAreGoneMayBeAskedForAndWaitedFor() {
    f.up(1, 2);
    f.register(3);
    f.createOn("t", 1);
    reassign(3);
    assertTrue(f.partition("t", 0).isReassigning());
    f.ask(f.beat(3));
    inSync(1, 3);
    assertFalse(f.partition("t", 0).isReassigning());
    assertEquals(3, f.partition("t", 0).leader());
  }
}
