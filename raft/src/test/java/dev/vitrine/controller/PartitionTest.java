package dev.vitrine.controller;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.vitrine.metadata.PartitionImage;
import dev.vitrine.protocol.Errors;
import dev.vitrine.protocol.Uuid;
import dev.vitrine.protocol.message.*;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** AlterPartition, ElectLeaders, and leaders without anybody in sync. */
class PartitionTest {
  private final ControllerFixture f = new ControllerFixture().start();

  private AlterPartitionRequest alter(
      int broker, Uuid topic, int leaderEpoch, int partitionEpoch, int... isr) {
    List<AlterPartitionRequest.BrokerState> states = new ArrayList<>();
    for (int id : isr) {
      states.add(
          new AlterPartitionRequest.BrokerState().brokerId(id).brokerEpoch(f.epochs.get(id)));
    }
    return new AlterPartitionRequest()
        .brokerId(broker)
        .brokerEpoch(f.epochs.get(broker))
        .topics(
            List.of(
                new AlterPartitionRequest.TopicData()
                    .topicId(topic)
                    .partitions(
                        List.of(
                            new AlterPartitionRequest.PartitionData()
                                .leaderEpoch(leaderEpoch)
                                .partitionEpoch(partitionEpoch)
                                .newIsrWithEpochs(states)))));
  }

  private AlterPartitionResponse.PartitionData ask(AlterPartitionRequest r) {
    AlterPartitionResponse response = f.ask(r);
    assertEquals(0, response.errorCode());
    return response.topics().get(0).partitions().get(0);
  }

  private static AlterPartitionRequest.PartitionData only(AlterPartitionRequest r) {
    return r.topics().get(0).partitions().get(0);
  }

  private void assertRefused(Errors error, AlterPartitionRequest r) {
    assertEquals(error.code(), ask(r).errorCode());
  }

  @Test
  void leaderShrinksAndExpandsItsIsr() {
    f.up(1, 2, 3);
    Uuid t = f.createOn("t", 1, 2, 3);
    AlterPartitionResponse.PartitionData r = ask(alter(1, t, 0, 0, 1, 3));
    assertEquals(0, r.errorCode());
    assertEquals(List.of(1, 3), r.isr());
    assertEquals(1, r.leaderId());
    assertEquals(0, r.leaderEpoch());
    assertEquals(1, r.partitionEpoch());
    r = ask(alter(1, t, 0, 1, 1, 2, 3));
    assertEquals(2, r.partitionEpoch());
    assertEquals(List.of(1, 2, 3), f.partition("t", 0).isr());
    r = ask(alter(1, t, 0, 2, 1, 2, 3));
    assertEquals(0, r.errorCode());
    assertEquals(2, r.partitionEpoch());
  }

  @Test
  void oneThatAsksForNothingMayBeAnyone() {
    f.up(1);
    AlterPartitionResponse r = f.ask(new AlterPartitionRequest().brokerId(9).brokerEpoch(5));
    assertEquals(0, r.errorCode());
    AlterPartitionRequest stale =
        new AlterPartitionRequest()
            .brokerId(9)
            .topics(List.of(new AlterPartitionRequest.TopicData()));
    r = f.ask(stale);
    assertEquals(Errors.STALE_BROKER_EPOCH.code(), r.errorCode());
  }

  @Test
  void refusesAsKafkaDoes() {
    f.up(1, 2, 3);
    Uuid t = f.createOn("t", 1, 2);
    assertRefused(Errors.UNKNOWN_TOPIC_ID, alter(1, new Uuid(8, 8), 0, 0, 1));
    AlterPartitionRequest r = alter(1, t, 0, 0, 1);
    only(r).partitionIndex(4);
    assertRefused(Errors.UNKNOWN_TOPIC_OR_PARTITION, r);
    assertRefused(Errors.NOT_CONTROLLER, alter(1, t, 1, 0, 1));
    assertRefused(Errors.NOT_CONTROLLER, alter(1, t, 0, 1, 1));
    assertRefused(Errors.NOT_CONTROLLER, alter(2, t, 0, 1, 1));
    assertRefused(Errors.INVALID_REQUEST, alter(2, t, 0, 0, 2));
    assertRefused(Errors.INVALID_REQUEST, alter(1, t, 0, 0, 2));
    assertRefused(Errors.INVALID_REQUEST, alter(1, t, 0, 0));
    assertRefused(Errors.INVALID_REQUEST, alter(1, t, 0, 0, 1, 3));
    r = alter(1, t, 0, 0, 1);
    only(r).leaderRecoveryState((byte) 1);
    assertRefused(Errors.INVALID_REQUEST, r);
    r = alter(1, t, 0, 0, 1, 2);
    only(r).newIsrWithEpochs().get(1).brokerEpoch(1);
    assertRefused(Errors.INELIGIBLE_REPLICA, r);
    assertEquals(0, ask(alter(1, t, 0, 0, 1)).errorCode());
    assertRefused(Errors.INVALID_UPDATE_VERSION, alter(1, t, 0, 0, 1, 2));
    f.ask(f.beat(2).wantFence(true));
    assertRefused(Errors.INELIGIBLE_REPLICA, alter(1, t, 0, 1, 1, 2));
    AlterPartitionResponse stale = f.ask(alter(1, t, 0, 1, 1).brokerEpoch(1));
    assertEquals(Errors.STALE_BROKER_EPOCH.code(), stale.errorCode());
    f.ask(f.beat(2));
    f.ask(f.beat(1).wantFence(true));
    assertRefused(Errors.FENCED_LEADER_EPOCH, alter(1, t, 0, 2, 1));
  }

  @Test
  void aReplicaInAFailedDirectoryStaysOut() {
    f.register(f.registration(2).logDirs(List.of(new Uuid(50, 2), new Uuid(51, 2))));
    f.ask(f.beat(2));
    f.up(1);
    Uuid t = f.createOn("t", 1, 2);
    AssignReplicasToDirsResponse assigned =
        f.ask(
            new AssignReplicasToDirsRequest()
                .brokerId(2)
                .brokerEpoch(f.epochs.get(2))
                .directories(
                    List.of(
                        new AssignReplicasToDirsRequest.DirectoryData()
                            .id(new Uuid(51, 2))
                            .topics(
                                List.of(
                                    new AssignReplicasToDirsRequest.TopicData()
                                        .topicId(t)
                                        .partitions(
                                            List.of(
                                                new AssignReplicasToDirsRequest.PartitionData()
                                                    .partitionIndex(0))))))));
    assertEquals(0, assigned.errorCode());
    f.ask(f.beat(2).offlineLogDirs(List.of(new Uuid(51, 2))));
    assertEquals(List.of(1), f.partition("t", 0).isr());
    assertRefused(Errors.INELIGIBLE_REPLICA, alter(1, t, 0, 2, 1, 2));
  }

  @Test
  void versionTwoHasNoEpochs() {
    f.up(1, 2);
    Uuid t = f.createOn("t", 1, 2);
    AlterPartitionRequest r = alter(1, t, 0, 0);
    only(r).newIsr(List.of(1));
    AlterPartitionResponse response = f.ask(r, 2);
    assertEquals(List.of(1), response.topics().get(0).partitions().get(0).isr());
  }

  @Test
  void uncleanElectionOnlyWhenAllowed() {
    f.up(1, 2);
    Uuid t = f.createOn("t", 1, 2);
    ask(alter(1, t, 0, 0, 1));
    f.ask(f.beat(1).wantFence(true));
    assertFalse(f.partition("t", 0).hasLeader());
    ElectLeadersResponse e = f.ask(elect(0, "t"));
    assertEquals(
        Errors.PREFERRED_LEADER_NOT_AVAILABLE.code(),
        e.replicaElectionResults().get(0).partitionResult().get(0).errorCode());
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
    // The broker beats on, or it would be fenced too before the next look.
    for (int i = 0; i < 61; i++) {
      f.world.runFor(5_000);
      f.ask(f.beat(2));
    }
    PartitionImage p = f.partition("t", 0);
    assertEquals(2, p.leader());
    assertEquals(List.of(2), p.isr());
    assertTrue(p.recovering());
    AlterPartitionRequest both = alter(2, t, p.leaderEpoch(), p.partitionEpoch(), 2);
    assertEquals(0, ask(both).errorCode());
    assertFalse(f.partition("t", 0).recovering());
  }

  private static ElectLeadersRequest elect(int type, String topic) {
    return new ElectLeadersRequest()
        .electionType((byte) type)
        .topicPartitions(
            List.of(new ElectLeadersRequest.TopicPartitions().topic(topic).partitions(List.of(0))));
  }

  private ElectLeadersResponse.PartitionResult elected(int type, String topic) {
    ElectLeadersResponse r = f.ask(elect(type, topic));
    return r.replicaElectionResults().get(0).partitionResult().get(0);
  }

  @Test
  void balancesMoreThanOneStepAtATime() {
    f.up(1, 2);
    int many = 1_500;
    List<CreateTopicsRequest.CreatableReplicaAssignment> all = new ArrayList<>();
    for (int i = 0; i < many; i++) {
      all.add(
          new CreateTopicsRequest.CreatableReplicaAssignment()
              .partitionIndex(i)
              .brokerIds(List.of(1, 2)));
    }
    f.ask(f.beat(1).wantFence(true));
    CreateTopicsResponse.CreatableTopicResult t =
        f.create(
            new CreateTopicsRequest.CreatableTopic()
                .name("t")
                .numPartitions(-1)
                .replicationFactor((short) -1)
                .assignments(all));
    f.ask(f.beat(1));
    AlterPartitionRequest join = new AlterPartitionRequest();
    join.brokerId(2).brokerEpoch(f.epochs.get(2));
    AlterPartitionRequest.TopicData partitions =
        new AlterPartitionRequest.TopicData().topicId(t.topicId());
    join.topics(List.of(partitions));
    for (int i = 0; i < many; i++) {
      AlterPartitionRequest one = alter(2, t.topicId(), 0, 0, 2, 1);
      partitions.partitions().add(only(one).partitionIndex(i));
    }
    f.ask(join);
    for (int i = 0; i < 60; i++) {
      f.world.runFor(5_000);
      f.ask(f.beat(1));
      f.ask(f.beat(2));
    }
    f.world.runFor(1_000);
    f.commit();
    long moved =
        f.image().topic("t").partitions().values().stream().filter(p -> p.leader() == 1).count();
    assertEquals(many, moved);
  }

  @Test
  void electsThePreferredReplicaOnDemandAndInTime() {
    f.up(1, 2);
    Uuid t = f.createOn("t", 1, 2);
    assertEquals("No such topic as nope", elected(0, "nope").errorMessage());
    assertEquals(Errors.ELECTION_NOT_NEEDED.code(), elected(0, "t").errorCode());
    assertEquals(Errors.ELECTION_NOT_NEEDED.code(), elected(1, "t").errorCode());
    f.ask(f.beat(1).wantFence(true));
    f.ask(f.beat(1));
    assertEquals(2, f.partition("t", 0).leader());
    assertEquals(Errors.PREFERRED_LEADER_NOT_AVAILABLE.code(), elected(0, "t").errorCode());
    PartitionImage p = f.partition("t", 0);
    ask(alter(2, t, p.leaderEpoch(), p.partitionEpoch(), 2, 1));
    ElectLeadersResponse all = f.ask(new ElectLeadersRequest().topicPartitions(null));
    assertEquals(1, all.replicaElectionResults().size());
    assertEquals(1, f.partition("t", 0).leader());
    all = f.ask(new ElectLeadersRequest().topicPartitions(null));
    assertTrue(all.replicaElectionResults().get(0).partitionResult().isEmpty());

    f.ask(f.beat(1).wantFence(true));
    f.ask(f.beat(1));
    p = f.partition("t", 0);
    ask(alter(2, t, p.leaderEpoch(), p.partitionEpoch(), 2, 1));
    for (int i = 0; i < 61; i++) {
      f.world.runFor(5_000);
      f.ask(f.beat(1));
      f.ask(f.beat(2));
    }
    assertEquals(1, f.partition("t", 0).leader());
  }
}
