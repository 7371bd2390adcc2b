package dev.vitrine.controller;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.vitrine.metadata.BrokerRegistration;
import dev.vitrine.metadata.PartitionImage;
import dev.vitrine.protocol.Errors;
import dev.vitrine.protocol.Uuid;
import dev.vitrine.protocol.message.*;
import java.util.List;
import org.junit.jupiter.api.Test;

class BrokerControlTest {
  private final ControllerFixture f = new ControllerFixture().start();

  private short register(BrokerRegistrationRequest r) {
    BrokerRegistrationResponse response = f.ask(r);
    return response.errorCode();
  }

  @Test
  void epochIsTheOffsetOfTheRegistrationRecord() {
    f.register(1);
    assertEquals(f.image().offset(), f.epochs.get(1));
    BrokerRegistration b = f.image().broker(1);
    assertTrue(b.fenced());
    assertEquals("host1", b.endpoint("PLAINTEXT").host());
    assertEquals(List.of(new Uuid(50, 1)), b.logDirs());
    assertTrue(f.image().aliveBrokers("PLAINTEXT").isEmpty());
  }

  @Test
  void refusesWhatDoesNotBelongHere() {
    assertEquals(
        Errors.INCONSISTENT_CLUSTER_ID.code(), register(f.registration(1).clusterId("other")));
    assertEquals(
        Errors.INVALID_REGISTRATION.code(), register(f.registration(1).features(List.of())));
    BrokerRegistrationRequest old = f.registration(1);
    old.features().get(0).maxSupportedVersion((short) 32);
    assertEquals(Errors.UNSUPPORTED_VERSION.code(), register(old));
    // Directories are looked at first.
    assertEquals(Errors.INVALID_REGISTRATION.code(), register(old.logDirs(List.of())));
    assertEquals(
        Errors.INVALID_REGISTRATION.code(), register(f.registration(1).logDirs(List.of())));
    Uuid d = new Uuid(5, 5);
    assertEquals(
        Errors.INVALID_REGISTRATION.code(), register(f.registration(1).logDirs(List.of(d, d))));
    assertEquals(
        Errors.INVALID_REGISTRATION.code(),
        register(f.registration(1).logDirs(List.of(new Uuid(0, 1)))));
    f.register(1);
    assertEquals(
        Errors.INVALID_REGISTRATION.code(),
        register(f.registration(2).logDirs(List.of(new Uuid(50, 1)))));
    assertEquals(1, f.image().cluster().brokers().size());
  }

  @Test
  void aLivingBrokerKeepsItsId() {
    BrokerRegistrationRequest first = f.registration(1);
    f.register(first);
    long epoch = f.epochs.get(1);
    f.ask(f.beat(1));
    assertEquals(Errors.DUPLICATE_BROKER_REGISTRATION.code(), register(f.registration(1)));
    f.register(first);
    assertEquals(epoch, f.epochs.get(1));
    assertFalse(f.image().broker(1).fenced());
    f.world.runFor(9_100);
    f.commit();
    assertTrue(f.image().broker(1).fenced());
    f.register(1);
    assertTrue(f.epochs.get(1) > epoch);
  }

  @Test
  void heartbeatsOfAnOldEpochAreStale() {
    f.register(1);
    BrokerHeartbeatResponse r = f.ask(f.beat(1).brokerEpoch(1));
    assertEquals(Errors.STALE_BROKER_EPOCH.code(), r.errorCode());
    assertTrue(r.isFenced());
    f.epochs.put(7, 1L);
    r = f.ask(f.beat(7));
    assertEquals(Errors.STALE_BROKER_EPOCH.code(), r.errorCode());
  }

  @Test
  void unfencesOnceTheBrokerHasReadItsRegistration() {
    f.register(1);
    BrokerHeartbeatResponse r = f.ask(f.beat(1).currentMetadataOffset(f.epochs.get(1) - 1));
    assertFalse(r.isCaughtUp());
    assertTrue(r.isFenced());
    r = f.ask(f.beat(1).wantFence(true));
    assertTrue(r.isCaughtUp());
    assertTrue(r.isFenced());
    r = f.ask(f.beat(1));
    assertFalse(r.isFenced());
    assertFalse(f.image().broker(1).fenced());
    r = f.ask(f.beat(1).wantFence(true));
    assertTrue(r.isFenced());
    assertTrue(f.image().broker(1).fenced());
  }

  @Test
  void silenceFencesAndLeadershipMoves() {
    f.up(1, 2);
    f.createOn("t", 1, 2);
    f.createOn("alone", 1);
    for (int i = 0; i < 10; i++) {
      f.world.runFor(1_000);
      f.ask(f.beat(2));
    }
    PartitionImage p = f.partition("t", 0);
    assertEquals(2, p.leader());
    assertEquals(List.of(2), p.isr());
    assertEquals(1, p.leaderEpoch());
    assertEquals(1, p.partitionEpoch());
    p = f.partition("alone", 0);
    assertEquals(PartitionImage.NO_LEADER, p.leader());
    assertEquals(List.of(1), p.isr());
    assertEquals(1, p.leaderEpoch());
    f.ask(f.beat(1));
    p = f.partition("alone", 0);
    assertEquals(1, p.leader());
    assertEquals(2, p.leaderEpoch());
    assertEquals(2, f.partition("t", 0).leader());
  }

  @Test
  void knownDeadIsFencedAtOnceUnlessItCameBack() {
    f.up(1, 2);
    f.createOn("t", 1, 2);
    long epoch = f.epochs.get(1);
    f.shard.run(() -> f.controller.fence(1, epoch - 1));
    f.commit();
    assertFalse(f.image().broker(1).fenced());
    f.shard.run(() -> f.controller.fence(1, epoch));
    f.commit();
    assertTrue(f.image().broker(1).fenced());
    assertEquals(2, f.partition("t", 0).leader());
    // Its session went with it: it need not wait for the time-out.
    f.register(1);
  }

  @Test
  void newIncarnationLeavesTheIsr() {
    f.up(1, 2);
    f.createOn("t", 1, 2);
    f.shard.run(() -> f.controller.fence(1, f.epochs.get(1)));
    f.commit();
    f.up(1);
    assertEquals(List.of(2), f.partition("t", 0).isr());
    // Registered again while it was believed to be in sync: the session has just ended.
    f.ask(f.beat(1).wantShutDown(true));
    f.up(1);
    assertEquals(List.of(2), f.partition("t", 0).isr());
  }

  @Test
  void controlledShutdownWaitsUntilTheOthersKnow() {
    f.up(1, 2);
    f.createOn("t", 1, 2);
    f.createOn("alone", 1);
    long before = f.image().offset();
    BrokerHeartbeatResponse r = f.ask(f.beat(1).wantShutDown(true));
    assertFalse(r.shouldShutDown());
    assertFalse(r.isFenced());
    assertTrue(f.image().broker(1).inControlledShutdown());
    assertEquals(2, f.partition("t", 0).leader());
    assertEquals(List.of(2), f.partition("t", 0).isr());
    assertEquals(PartitionImage.NO_LEADER, f.partition("alone", 0).leader());
    r = f.ask(f.beat(1).wantShutDown(true));
    assertFalse(r.shouldShutDown());
    f.ask(f.beat(2).currentMetadataOffset(before));
    r = f.ask(f.beat(1).wantShutDown(true));
    assertFalse(r.shouldShutDown());
    f.ask(f.beat(2));
    r = f.ask(f.beat(1).wantShutDown(true));
    assertTrue(r.shouldShutDown());
    assertTrue(f.image().broker(1).fenced());
    // One that has left counts as any fenced one does, though it never leads.
    assertEquals(Errors.NONE.code(), f.create("two", 1, 2).errorCode());
    assertEquals(List.of(2, 1), f.partition("two", 0).replicas());
    f.register(1);
    assertFalse(f.image().broker(1).inControlledShutdown());
  }

  @Test
  void brokerThatLeadsNothingMayStopAtOnce() {
    f.up(1);
    BrokerHeartbeatResponse r = f.ask(f.beat(1).wantShutDown(true));
    assertTrue(r.shouldShutDown());
    f.register(2);
    r = f.ask(f.beat(2).wantFence(true).wantShutDown(true));
    assertTrue(r.shouldShutDown());
  }

  @Test
  void lostDirectoryMovesLeadership() {
    Uuid good = new Uuid(60, 1);
    Uuid bad = new Uuid(60, 2);
    f.register(f.registration(1).logDirs(List.of(good, bad)));
    f.ask(f.beat(1));
    f.up(2);
    Uuid onBad = f.createOn("bad", 1, 2);
    f.createOn("good", 1, 2);
    AssignReplicasToDirsResponse a =
        f.ask(
            new AssignReplicasToDirsRequest()
                .brokerId(1)
                .brokerEpoch(f.epochs.get(1))
                .directories(
                    List.of(
                        new AssignReplicasToDirsRequest.DirectoryData()
                            .id(bad)
                            .topics(
                                List.of(
                                    new AssignReplicasToDirsRequest.TopicData()
                                        .topicId(onBad)
                                        .partitions(
                                            List.of(
                                                new AssignReplicasToDirsRequest.PartitionData(),
                                                new AssignReplicasToDirsRequest.PartitionData()
                                                    .partitionIndex(9))))))));
    List<AssignReplicasToDirsResponse.PartitionData> parts =
        a.directories().get(0).topics().get(0).partitions();
    assertEquals(0, parts.get(0).errorCode());
    assertEquals(Errors.UNKNOWN_TOPIC_OR_PARTITION.code(), parts.get(1).errorCode());
    assertEquals(bad, f.partition("bad", 0).directory(1));
    assertEquals(new Uuid(50, 2), f.partition("bad", 0).directory(2));
    f.ask(f.beat(1).offlineLogDirs(List.of(bad)));
    assertEquals(List.of(good), f.image().broker(1).logDirs());
    assertEquals(2, f.partition("bad", 0).leader());
    assertEquals(List.of(2), f.partition("bad", 0).isr());
    assertEquals(1, f.partition("good", 0).leader());
  }

  @Test
  void cordonedDirectoriesAreRecordedOnce() {
    f.up(1);
    long before = f.image().offset();
    f.ask(f.beat(1).cordonedLogDirs(List.of()));
    assertEquals(List.of(), f.image().broker(1).cordonedLogDirs());
    f.ask(f.beat(1).cordonedLogDirs(List.of()));
    assertEquals(before + 1, f.image().offset());
    f.ask(f.beat(1).cordonedLogDirs(List.of(new Uuid(50, 1))));
    assertEquals(Errors.INVALID_REPLICATION_FACTOR.code(), f.create("t", 1, 1).errorCode());
  }

  @Test
  void unregisteredBrokerIsGone() {
    UnregisterBrokerResponse r = f.ask(new UnregisterBrokerRequest().brokerId(9));
    assertEquals(Errors.BROKER_ID_NOT_REGISTERED.code(), r.errorCode());
    assertEquals("Broker ID 9 is not currently registered", r.errorMessage());
    f.up(1, 2);
    f.createOn("t", 1, 2);
    r = f.ask(new UnregisterBrokerRequest().brokerId(1));
    assertEquals(0, r.errorCode());
    assertNull(f.image().broker(1));
    assertEquals(2, f.partition("t", 0).leader());
  }
}
