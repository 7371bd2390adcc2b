package dev.vitrine.controller;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.vitrine.protocol.ApiMessage;
import dev.vitrine.protocol.Errors;
import dev.vitrine.protocol.MessageWriter;
import dev.vitrine.protocol.Uuid;
import dev.vitrine.protocol.message.*;
import dev.vitrine.quorum.ApiMessageAndVersion;
import dev.vitrine.quorum.OffsetAndEpoch;
import dev.vitrine.quorum.Snapshot;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The life of the controller itself, and the small concerns: features, configs, producer ids. */
class ControllerTest {
  private final ControllerFixture f = new ControllerFixture();

  private static Snapshot formatted(String feature, int level) {
    List<ApiMessageAndVersion> records = new ArrayList<>();
    records.add(level("metadata.version", 33));
    if (feature != null) {
      records.add(level(feature, level));
    }
    return new Snapshot(OffsetAndEpoch.BOOTSTRAP, 0, records);
  }

  private static ApiMessageAndVersion level(String feature, int level) {
    return new ApiMessageAndVersion(
        new FeatureLevelRecord().name(feature).featureLevel((short) level), (short) 0);
  }

  @Test
  void firstLeaderWritesWhatFormatLeft() {
    f.quorum.formatted(formatted(null, 0));
    f.start();
    assertEquals(
        List.of(
            new BeginTransactionRecord().name("Bootstrap records"),
            new FeatureLevelRecord().name("metadata.version").featureLevel((short) 33),
            new EndTransactionRecord()),
        f.quorum.records());
    assertEquals(33, f.image().features().metadataVersion());
    f.shard.run(() -> f.quorum.loseLeader(0));
    f.shard.run(() -> f.quorum.elect(100));
    assertEquals(3, f.quorum.records().size());
  }

  @Test
  void refusesToFollowAClusterThatIsAboveIt() {
    f.quorum.formatted(formatted("transaction.version", 1));
    IllegalStateException e = assertThrows(IllegalStateException.class, f::start);
    assertTrue(e.getMessage().contains("transaction.version at level 1"), e.getMessage());
  }

  @Test
  void answersOnlyWhatIsCommitted() {
    f.start().up(1);
    List<ApiMessage> answers = new ArrayList<>();
    RequestContext context = RequestContext.internal("X");
    CreateTopicsRequest create =
        new CreateTopicsRequest()
            .topics(
                List.of(
                    new CreateTopicsRequest.CreatableTopic()
                        .name("t")
                        .numPartitions(1)
                        .replicationFactor((short) 1)));
    f.shard.run(() -> f.controller.handle(create, (short) 7, context, answers::add));
    // The second decides on the tip, so it must not be answered before the first either.
    f.shard.run(() -> f.controller.handle(create, (short) 7, context, answers::add));
    assertTrue(answers.isEmpty());
    assertNull(f.image().topic("t"));
    f.commit();
    assertEquals(2, answers.size());
    assertEquals(0, ((CreateTopicsResponse) answers.get(0)).topics().get(0).errorCode());
    assertEquals(
        Errors.TOPIC_ALREADY_EXISTS.code(),
        ((CreateTopicsResponse) answers.get(1)).topics().get(0).errorCode());
  }

  @Test
  void lostLeadershipFailsWhatWaitsAndDropsTheTip() {
    f.start().up(1);
    List<ApiMessage> answers = new ArrayList<>();
    UnregisterBrokerRequest request = new UnregisterBrokerRequest().brokerId(1);
    RequestContext context = RequestContext.internal("X");
    f.shard.run(() -> f.controller.handle(request, (short) 0, context, answers::add));
    f.shard.run(() -> f.quorum.loseLeader(0));
    assertEquals(1, answers.size());
    assertEquals(
        Errors.NOT_CONTROLLER.code(), ((UnregisterBrokerResponse) answers.get(0)).errorCode());
    assertFalse(f.controller.isActive());
    f.shard.run(() -> f.controller.handle(request, (short) 0, context, answers::add));
    assertEquals(
        "No controller appears to be active.",
        ((UnregisterBrokerResponse) answers.get(1)).errorMessage());
    f.shard.run(() -> f.quorum.elect(100));
    assertTrue(f.controller.isActive());
    assertFalse(f.image().broker(1).fenced());
    // One whole session from now, whatever was before.
    f.world.runFor(8_000);
    f.commit();
    assertFalse(f.image().broker(1).fenced());
    f.world.runFor(1_100);
    f.commit();
    assertTrue(f.image().broker(1).fenced());
  }

  @Test
  void everyApiHasARefusalThatCanBeWritten() {
    f.start();
    f.shard.run(() -> f.quorum.loseLeader(0));
    for (ApiKeys api : Controller.APIS) {
      for (int v = api.lowestVersion(); v <= api.highestVersion(); v++) {
        short version = (short) v;
        ApiMessage request = api.newRequest();
        List<ApiMessage> answers = new ArrayList<>();
        RequestContext context = RequestContext.internal("X");
        f.shard.run(() -> f.controller.handle(request, version, context, answers::add));
        answers.get(0).write(new MessageWriter(Unpooled.buffer()), version);
      }
    }
  }

  @Test
  void idleLogGetsNoOps() {
    f.config.maxIdleIntervalMs(500);
    f.start();
    int before = f.quorum.records().size();
    f.world.runFor(2_100);
    List<ApiMessage> since = f.quorum.records().subList(before, f.quorum.records().size());
    assertTrue(since.size() >= 2 && since.size() <= 4, since.toString());
    since.forEach(r -> assertEquals(new NoOpRecord(), r));
  }

  @Test
  void producerIdsAreGivenOutOnce() {
    f.start().up(1);
    AllocateProducerIdsRequest r =
        new AllocateProducerIdsRequest().brokerId(1).brokerEpoch(f.epochs.get(1));
    AllocateProducerIdsResponse first = f.ask(r);
    AllocateProducerIdsResponse second = f.ask(r);
    assertEquals(0, first.producerIdStart());
    assertEquals(1000, first.producerIdLen());
    assertEquals(1000, second.producerIdStart());
    AllocateProducerIdsResponse stale = f.ask(r.brokerEpoch(0));
    assertEquals(Errors.STALE_BROKER_EPOCH.code(), stale.errorCode());
  }

  private IncrementalAlterConfigsResponse.AlterConfigsResourceResponse config(
      int type, String name, Object... changes) {
    IncrementalAlterConfigsRequest.AlterConfigsResource resource =
        new IncrementalAlterConfigsRequest.AlterConfigsResource()
            .resourceType((byte) type)
            .resourceName(name);
    for (int i = 0; i < changes.length; i += 3) {
      resource
          .configs()
          .add(
              new IncrementalAlterConfigsRequest.AlterableConfig()
                  .name((String) changes[i])
                  .configOperation(((Integer) changes[i + 1]).byteValue())
                  .value((String) changes[i + 2]));
    }
    IncrementalAlterConfigsResponse r =
        f.ask(new IncrementalAlterConfigsRequest().resources(List.of(resource)));
    return r.responses().get(0);
  }

  @Test
  void configsAreAlteredOneByOne() {
    f.start().up(1);
    f.createOn("t", 1);
    assertEquals("The topic 'nope' does not exist.", config(2, "nope").errorMessage());
    assertEquals("Default topic resources are not allowed.", config(2, "").errorMessage());
    assertEquals(Errors.INVALID_TOPIC_EXCEPTION.code(), config(2, "a b").errorCode());
    assertEquals("Unknown resource type 99", config(99, "x").errorMessage());
    String ms = "retention.ms";
    assertEquals("Unknown topic config name: foo", config(2, "t", "foo", 0, "1").errorMessage());
    IncrementalAlterConfigsResponse.AlterConfigsResourceResponse bad = config(2, "t", ms, 0, "x");
    assertEquals(Errors.INVALID_CONFIG.code(), bad.errorCode());
    assertEquals(
        "Invalid value x for configuration retention.ms: Not a number of type LONG",
        bad.errorMessage());
    assertEquals(
        "Null value not supported for : retention.ms", config(2, "t", ms, 0, null).errorMessage());
    assertEquals(
        "Error due to duplicate config keys",
        config(2, "t", ms, 0, "1", ms, 0, "2").errorMessage());
    assertEquals(
        "Can't APPEND to key retention.ms because its type is not LIST.",
        config(2, "t", ms, 2, "1").errorMessage());
    assertEquals("Unknown operations type 9", config(2, "t", ms, 9, "1").errorMessage());
    assertEquals(Errors.BROKER_ID_NOT_REGISTERED.code(), config(4, "9").errorCode());
    assertTrue(f.image().configs().resources().isEmpty());
  }

  @Test
  void listsGrowAndShrink() {
    f.start().up(1);
    f.createOn("t", 1);
    String policy = "cleanup.policy";
    assertEquals(0, config(2, "t", policy, 2, "compact").errorCode());
    assertEquals("delete,compact", f.image().configs().topic("t").get(policy));
    config(2, "t", policy, 2, "delete,compact");
    assertEquals("delete,compact", f.image().configs().topic("t").get(policy));
    config(2, "t", policy, 3, "delete");
    assertEquals("compact", f.image().configs().topic("t").get(policy));
    config(2, "t", policy, 1, null, "retention.ms", 0, "5");
    assertEquals("{retention.ms=5}", f.image().configs().topic("t").toString());
    long before = f.image().offset();
    config(2, "t", "retention.ms", 0, "5");
    assertEquals(before, f.image().offset());
  }

  @Test
  void brokersHaveTheirOwnConfigsOverThoseOfAll() {
    f.start().up(1);
    String threads = "log.cleaner.threads";
    IncrementalAlterConfigsResponse.AlterConfigsResourceResponse bad =
        config(4, "", threads, 0, "x");
    assertEquals(Errors.INVALID_REQUEST.code(), bad.errorCode());
    assertEquals(
        "Invalid value x for configuration log.cleaner.threads: Not a number of type INT",
        bad.errorMessage());
    assertEquals(
        "Cannot update these configs dynamically: [node.id]",
        config(4, "", "node.id", 0, "7").errorMessage());
    assertEquals(0, config(4, "", threads, 0, "2").errorCode());
    assertEquals(0, config(4, "1", threads, 0, "3").errorCode());
    assertEquals("3", f.image().configs().broker(1).get(threads));
    assertEquals("2", f.image().configs().broker(2).get(threads));
    long before = f.image().offset();
    config(4, "1", threads, 0, "3");
    assertEquals(before + 1, f.image().offset());
  }

  @Test
  void olderAlterConfigsReplacesAll() {
    f.start().up(1);
    f.createOn("t", 1);
    config(2, "t", "retention.ms", 0, "5");
    AlterConfigsResponse r =
        f.ask(
            new AlterConfigsRequest()
                .resources(
                    List.of(
                        new AlterConfigsRequest.AlterConfigsResource()
                            .resourceType((byte) 2)
                            .resourceName("t")
                            .configs(
                                List.of(
                                    new AlterConfigsRequest.AlterableConfig()
                                        .name("segment.ms")
                                        .value("3"))))));
    assertEquals(0, r.responses().get(0).errorCode());
    assertEquals("{segment.ms=3}", f.image().configs().topic("t").toString());
  }

  private UpdateFeaturesResponse update(String feature, int level, int type) {
    return f.ask(
        new UpdateFeaturesRequest()
            .validateOnly(true)
            .featureUpdates(
                List.of(
                    new UpdateFeaturesRequest.FeatureUpdateKey()
                        .feature(feature)
                        .maxVersionLevel((short) level)
                        .upgradeType((byte) type))));
  }

  @Test
  void featuresAreRefusedWithKafkasWords() {
    f.start().up(1);
    String start = "The update failed for all features since the following feature had an error: ";
    assertEquals(0, update("metadata.version", 33, 1).errorCode());
    UpdateFeaturesResponse r = update("metadata.version", 34, 1);
    assertEquals(Errors.INVALID_UPDATE_VERSION.code(), r.errorCode());
    assertEquals(
        start
            + "Invalid update version 34 for feature metadata.version. Local controller 100 only"
            + " supports versions 7-33",
        r.errorMessage());
    assertEquals(
        start
            + "Invalid update version 1 for feature foo. Local controller 100 does not support"
            + " this feature.",
        update("foo", 1, 1).errorMessage());
    assertEquals(
        start + "Invalid update version 0 for feature foo. Feature foo not found.",
        update("foo", 0, 2).errorMessage());
    assertEquals(
        start
            + "Unsupported metadata.version downgrade from 33 to 20. Refusing to perform the"
            + " requested downgrade because it might delete metadata information.",
        update("metadata.version", 20, 2).errorMessage());
    assertEquals(
        start
            + "Invalid update version 20 for feature metadata.version. Can't downgrade the version"
            + " of this feature without setting the upgrade type to either safe or unsafe"
            + " downgrade.",
        update("metadata.version", 20, 1).errorMessage());
  }

  @Test
  void featuresDependOnTheMetadataVersion() {
    f.quorum.formatted(
        new Snapshot(OffsetAndEpoch.BOOTSTRAP, 0, List.of(level("metadata.version", 20))));
    f.start().up(1);
    String elr = "eligible.leader.replicas.version";
    String start =
        "The update failed for all features since the following feature had an error: Invalid"
            + " update version ";
    assertEquals(
        start + "2 for feature " + elr + ". Local controller 100 only supports versions 0-1",
        update(elr, 2, 1).errorMessage());
    assertEquals(
        start + "-1 for feature " + elr + ". A feature version cannot be less than 0.",
        update(elr, -1, 2).errorMessage());
    assertEquals(
        start + "1 for feature " + elr + ". Can't downgrade to a newer version.",
        update(elr, 1, 2).errorMessage());
    assertEquals(
        start
            + "1 for feature "
            + elr
            + ". "
            + elr
            + " could not be set to 1 because it depends on metadata.version level 23",
        update(elr, 1, 1).errorMessage());
    UpdateFeaturesResponse r =
        f.ask(
            new UpdateFeaturesRequest()
                .featureUpdates(
                    List.of(
                        new UpdateFeaturesRequest.FeatureUpdateKey()
                            .feature(elr)
                            .maxVersionLevel((short) 1)
                            .upgradeType((byte) 1),
                        new UpdateFeaturesRequest.FeatureUpdateKey()
                            .feature("metadata.version")
                            .maxVersionLevel((short) 29)
                            .upgradeType((byte) 1))));
    assertEquals(0, r.errorCode(), r.errorMessage());
    assertTrue(f.image().features().hasElr());
    assertEquals(29, f.image().features().metadataVersion());
    // Nothing new is in the log between these two.
    assertEquals(0, update("metadata.version", 24, 2).errorCode());
    assertEquals(
        "The update failed for all features since the following feature had an error: Unsupported"
            + " metadata.version downgrade from 29 to 22. Refusing to perform the requested"
            + " downgrade because it might delete metadata information.",
        update("metadata.version", 22, 2).errorMessage());
  }

  @Test
  void aValueIsNeverLongerThanKafkasLongest() {
    f.start().up(1);
    f.createOn("t", 1);
    IncrementalAlterConfigsResponse r =
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
                                        .name("leader.replication.throttled.replicas")
                                        .value("1:1,".repeat(8192) + "1:1"))))));
    assertEquals(
        "The configuration value cannot be added because it exceeds the maximum value size of"
            + " 32767 bytes.",
        r.responses().get(0).errorMessage());
  }

  private static ControllerRegistrationRequest controller(int id) {
    return new ControllerRegistrationRequest()
        .controllerId(id)
        .incarnationId(new Uuid(1, 2))
        .features(
            List.of(
                new ControllerRegistrationRequest.Feature()
                    .name("metadata.version")
                    .minSupportedVersion((short) 7)
                    .maxSupportedVersion((short) 33)));
  }

  @Test
  void controllersRegister() {
    f.start();
    ControllerRegistrationRequest request = controller(3);
    ControllerRegistrationResponse r = f.ask(request);
    assertEquals(0, r.errorCode());
    assertEquals("", r.errorMessage(), "not null");
    assertEquals(new Uuid(1, 2), f.image().cluster().controllers().get(3).incarnationId());
    request.features().get(0).maxSupportedVersion((short) 30);
    r = f.ask(request);
    assertEquals(0, r.errorCode(), "features are no reason to refuse a controller");
    UnregisterControllerResponse u = f.ask(new UnregisterControllerRequest().controllerId(9));
    assertEquals("Controller ID 9 is not currently registered.", u.errorMessage());
    u = f.ask(new UnregisterControllerRequest().controllerId(3));
    assertEquals(0, u.errorCode());
    assertTrue(f.image().cluster().controllers().isEmpty());
  }

  @Test
  void theActiveControllerIsNotUnregistered() {
    f.start();
    ControllerRegistrationRequest request = controller(100);
    ControllerRegistrationResponse r = f.ask(request);
    assertEquals(0, r.errorCode());
    UnregisterControllerResponse u = f.ask(new UnregisterControllerRequest().controllerId(100));
    assertEquals(Errors.INVALID_REQUEST.code(), u.errorCode());
    assertEquals("Controller cannot unregister itself while it is active.", u.errorMessage());
    assertTrue(f.image().cluster().controllers().containsKey(100));
  }
}
