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

/** Who enters and leaves the eligible leader replicas, and who is elected from them (KIP-966). */
class EligibleLeaderReplicasTest {
  private final ControllerFixture f = new ControllerFixture();
  private Uuid topic;

  /** A partition on brokers 1, 2 and 3. */
  private void start(int minInSync) {
    f.startWithElr(minInSync).up(1, 2, 3);
    topic = f.createOn("t", 1, 2, 3);
  }

  private PartitionImage now() {
    return f.partition("t", 0);
  }

  private void is(int leader, List<Integer> isr, List<Integer> elr, List<Integer> lastKnown) {
    PartitionImage p = now();
    assertEquals(
        List.of(leader, isr, elr, lastKnown),
        List.of(p.leader(), p.isr(), p.elr(), p.lastKnownElr()));
  }

  /** They are known to be dead: nobody waits for their sessions. */
  private void fence(int... brokers) {
    for (int b : brokers) {
      f.shard.run(() -> f.controller.fence(b, f.epochs.get(b)));
      f.commit();
    }
  }

  private void unfence(int... brokers) {
    for (int b : brokers) {
      f.ask(f.beat(b));
    }
  }

  /** A new process: it knows the epoch of the one before if that ended well. */
  private void restart(int broker, boolean clean) {
    BrokerRegistrationRequest r = f.registration(broker);
    f.register(clean ? r.previousBrokerEpoch(f.epochs.get(broker)) : r);
  }

  private void leaderSets(int... isr) {
    PartitionImage p = now();
    List<AlterPartitionRequest.BrokerState> states = new ArrayList<>();
    for (int id : isr) {
      states.add(
          new AlterPartitionRequest.BrokerState().brokerId(id).brokerEpoch(f.epochs.get(id)));
    }
    AlterPartitionResponse r =
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
    assertEquals(0, r.topics().get(0).partitions().get(0).errorCode());
  }

  @Test
  void whoLeavesASmallInSyncSetStaysEligible() {
    start(2);
    leaderSets(1, 2);
    is(1, List.of(1, 2), List.of(), List.of());
    leaderSets(1);
    is(1, List.of(1), List.of(2), List.of());
    fence(1);
    is(2, List.of(2), List.of(1), List.of());
    fence(2);
    is(-1, List.of(), List.of(1, 2), List.of(2));
    unfence(3);
    is(-1, List.of(), List.of(1, 2), List.of(2));
  }

  @Test
  void theLastOfMinOneStaysEligibleAlone() {
    start(1);
    fence(1, 2);
    is(3, List.of(3), List.of(), List.of());
    fence(3);
    is(-1, List.of(), List.of(3), List.of(3));
    unfence(1);
    is(-1, List.of(), List.of(3), List.of(3));
    unfence(3);
    is(3, List.of(3), List.of(), List.of());
    assertFalse(now().recovering());
  }

  @Test
  void theFirstOfTheEligibleThatComesBackLeads() {
    start(2);
    leaderSets(1, 2);
    fence(1, 2);
    is(-1, List.of(), List.of(1, 2), List.of(2));
    int epoch = now().leaderEpoch();
    unfence(1);
    is(1, List.of(1), List.of(2), List.of());
    assertEquals(epoch + 1, now().leaderEpoch());
    assertFalse(now().recovering());
    unfence(2);
    leaderSets(1, 2);
    is(1, List.of(1, 2), List.of(), List.of());
  }

  @Test
  void aCleanRestartKeepsEligibilityAndAnUncleanOneTakesIt() {
    start(2);
    fence(3, 2, 1);
    is(-1, List.of(), List.of(1, 2), List.of(1));
    restart(1, true);
    is(-1, List.of(), List.of(1, 2), List.of(1));
    restart(2, false);
    is(-1, List.of(), List.of(1), List.of(1));
    unfence(2);
    is(-1, List.of(), List.of(1), List.of(1));
    unfence(1);
    is(1, List.of(1), List.of(), List.of());
  }

  @Test
  void aPreviousEpochOfAnOtherIncarnationIsNone() {
    start(2);
    fence(3, 2);
    is(1, List.of(1), List.of(2), List.of());
    f.register(f.registration(2).previousBrokerEpoch(f.epochs.get(2) - 1));
    is(1, List.of(1), List.of(), List.of());
  }

  @Test
  void beforeVersionThreeOfTheRegistrationNoStopIsClean() {
    start(2);
    fence(3, 2);
    BrokerRegistrationRequest request = f.registration(2);
    BrokerRegistrationResponse r = f.ask(request.previousBrokerEpoch(f.epochs.get(2)), 2);
    assertEquals(0, r.errorCode());
    is(1, List.of(1), List.of(), List.of());
  }

  @Test
  void anUncleanRestartTakesALeaderOutOfTheInSyncSet() {
    start(2);
    fence(3);
    f.ask(f.beat(2).wantShutDown(true));
    is(1, List.of(1), List.of(2), List.of());
    f.world.runFor(9_000);
    restart(1, false);
    is(-1, List.of(), List.of(2), List.of(1));
  }

  @Test
  void aLeaderThatShrinksTheSetAtOnceKeepsAllEligible() {
    start(3);
    leaderSets(1);
    is(1, List.of(1), List.of(2, 3), List.of());
    fence(1);
    is(2, List.of(2), List.of(1, 3), List.of());
  }

  @Test
  void theLastKnownLeaderLeadsWhenNobodyIsEligibleAnyMore() {
    start(2);
    fence(3, 2, 1);
    restart(2, false);
    restart(1, false);
    is(-1, List.of(), List.of(), List.of(1));
    unfence(2);
    is(-1, List.of(), List.of(), List.of(1));
    unfence(1);
    is(1, List.of(1), List.of(), List.of());
    assertTrue(now().recovering());
  }

  @Test
  void theLastKnownLeaderWaitsAsLongAsAnotherIsEligible() {
    start(2);
    fence(3, 2, 1);
    restart(1, false);
    unfence(1);
    is(-1, List.of(), List.of(2), List.of(1));
    unfence(2);
    is(2, List.of(2), List.of(), List.of());
    assertFalse(now().recovering());
  }

  @Test
  void anUncleanElectionForgetsTheEligible() {
    start(2);
    fence(3, 2, 1);
    unfence(3);
    is(-1, List.of(), List.of(1, 2), List.of(1));
    ElectLeadersResponse r =
        f.ask(
            new ElectLeadersRequest()
                .electionType((byte) 1)
                .topicPartitions(
                    List.of(
                        new ElectLeadersRequest.TopicPartitions()
                            .topic("t")
                            .partitions(List.of(0)))));
    assertEquals(0, r.replicaElectionResults().get(0).partitionResult().get(0).errorCode());
    is(3, List.of(3), List.of(), List.of());
    assertTrue(now().recovering());
  }

  @Test
  void anUncleanElectionPrefersTheEligible() {
    start(2);
    set((byte) 2, "t", "unclean.leader.election.enable", "true");
    fence(3, 2);
    is(1, List.of(1), List.of(2), List.of());
    unfence(3, 2);
    fence(1);
    is(2, List.of(2), List.of(1), List.of());
    assertFalse(now().recovering());
  }

  @Test
  void minInSyncIsNeverMoreThanThereAreReplicas() {
    f.startWithElr(3).up(1, 2);
    topic = f.createOn("t", 1, 2);
    is(1, List.of(1, 2), List.of(), List.of());
    fence(2);
    is(1, List.of(1), List.of(2), List.of());
    unfence(2);
    leaderSets(1, 2);
    is(1, List.of(1, 2), List.of(), List.of());
  }

  private String set(byte type, String name, String key, String value) {
    IncrementalAlterConfigsResponse r =
        f.ask(
            new IncrementalAlterConfigsRequest()
                .resources(
                    List.of(
                        new IncrementalAlterConfigsRequest.AlterConfigsResource()
                            .resourceType(type)
                            .resourceName(name)
                            .configs(
                                List.of(
                                    new IncrementalAlterConfigsRequest.AlterableConfig()
                                        .name(key)
                                        .configOperation((byte) (value == null ? 1 : 0))
                                        .value(value))))));
    IncrementalAlterConfigsResponse.AlterConfigsResourceResponse one = r.responses().get(0);
    return one.errorCode() == 0 ? "" : Errors.forCode(one.errorCode()) + " " + one.errorMessage();
  }

  @Test
  void anotherMinInSyncMakesNobodyEligible() {
    start(2);
    f.createOn("u", 2, 3);
    fence(3, 2);
    assertEquals(List.of(2), f.partition("u", 0).lastKnownElr());
    assertEquals("", set((byte) 2, "t", "min.insync.replicas", "3"));
    is(1, List.of(1), List.of(), List.of());
    assertEquals(List.of(2, 3), f.partition("u", 0).elr());
    assertEquals("", set((byte) 4, "", "min.insync.replicas", "1"));
    assertEquals(List.of(), f.partition("u", 0).elr());
    assertEquals(List.of(), f.partition("u", 0).lastKnownElr());
  }

  @Test
  void minInSyncIsOneValueForAllBrokers() {
    start(2);
    assertEquals("{min.insync.replicas=2}", f.image().configs().broker(1).toString());
    assertEquals(
        "INVALID_CONFIG Broker-level min.insync.replicas cannot be altered while ELR is enabled.",
        set((byte) 4, "1", "min.insync.replicas", "1"));
    assertEquals(
        "INVALID_CONFIG Cluster-level min.insync.replicas cannot be removed while ELR is enabled.",
        set((byte) 4, "", "min.insync.replicas", null));
    assertEquals("", set((byte) 4, "", "min.insync.replicas", "3"));
    assertEquals("{min.insync.replicas=3}", f.image().configs().broker(1).toString());
  }

  private void elrVersion(int level, boolean validateOnly) {
    UpdateFeaturesResponse r =
        f.ask(
            new UpdateFeaturesRequest()
                .validateOnly(validateOnly)
                .featureUpdates(
                    List.of(
                        new UpdateFeaturesRequest.FeatureUpdateKey()
                            .feature("eligible.leader.replicas.version")
                            .maxVersionLevel((short) level)
                            .upgradeType((byte) (level == 0 ? 2 : 1)))));
    assertEquals(0, r.errorCode(), r.errorMessage());
  }

  @Test
  void theFeatureBringsOneMinInSyncAndTakesThoseOfBrokers() {
    f.config.minInSyncReplicas(2);
    f.start().up(1, 2, 3);
    topic = f.createOn("t", 1, 2, 3);
    assertEquals("", set((byte) 4, "1", "min.insync.replicas", "3"));
    fence(3, 2, 1);
    is(-1, List.of(1), List.of(), List.of());
    elrVersion(1, true);
    assertFalse(f.image().features().hasElr());
    elrVersion(1, false);
    assertTrue(f.image().features().hasElr());
    assertEquals("{min.insync.replicas=2}", f.image().configs().broker(1).toString());
    unfence(1);
    is(1, List.of(1), List.of(), List.of());
  }

  @Test
  void withoutTheFeatureNobodyIsEligibleAndNobodyIsLost() {
    start(2);
    Uuid u = f.createOn("u", 3, 2);
    assertFalse(u.isReserved());
    fence(3, 2);
    is(1, List.of(1), List.of(2), List.of());
    assertEquals(List.of(2, 3), f.partition("u", 0).elr());
    elrVersion(0, true);
    is(1, List.of(1), List.of(2), List.of());
    elrVersion(0, false);
    is(1, List.of(1), List.of(), List.of());
    PartitionImage p = f.partition("u", 0);
    assertEquals(List.of(), p.elr());
    assertEquals(List.of(2, 3), p.isr());
    assertEquals(List.of(), p.lastKnownElr());
    unfence(2);
    assertEquals(2, f.partition("u", 0).leader());
    fence(1);
    is(-1, List.of(1), List.of(), List.of());
  }

  @Test
  void controlledShutdownLeavesTheBrokerEligible() {
    start(3);
    f.ask(f.beat(1).wantShutDown(true));
    is(2, List.of(2, 3), List.of(1), List.of());
    unfence(2, 3);
    BrokerHeartbeatResponse r = f.ask(f.beat(1).wantShutDown(true));
    assertTrue(r.shouldShutDown());
    restart(1, true);
    is(2, List.of(2, 3), List.of(1), List.of());
  }

  @Test
  void anUnregisteredBrokerIsNotInSync() {
    start(2);
    fence(3);
    f.ask(new UnregisterBrokerRequest().brokerId(2));
    is(1, List.of(1), List.of(2), List.of());
    // Whoever registers under this id is somebody else.
    restart(2, false);
    is(1, List.of(1), List.of(), List.of());
  }
}
