package dev.vitrine.metadata;

import dev.vitrine.protocol.ApiMessage;
import dev.vitrine.protocol.Uuid;
import dev.vitrine.protocol.message.*;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/** Records that can be applied to an image, of every type, from a seed. Not all make sense. */
final class RandomRecords {
  private final SplittableRandom random;

  RandomRecords(long seed) {
    random = new SplittableRandom(seed);
  }

  int upTo(int bound) {
    return random.nextInt(bound);
  }

  /** One record that fits the image; a no-op if the chance fell on something that is not there. */
  ApiMessage next(MetadataImage image) {
    MetadataRecordType[] types = MetadataRecordType.values();
    // Topics and partitions more often than the rest, or they would stay few.
    MetadataRecordType type =
        switch (upTo(4)) {
          case 0 -> MetadataRecordType.PARTITION_RECORD;
          case 1 -> MetadataRecordType.PARTITION_CHANGE_RECORD;
          default -> types[upTo(types.length)];
        };
    ApiMessage record = of(type, image);
    return record == null ? new NoOpRecord() : record;
  }

  private ApiMessage of(MetadataRecordType type, MetadataImage image) {
    return switch (type) {
      case TOPIC_RECORD -> new TopicRecord().name("t" + upTo(6)).topicId(uuid());
      case PARTITION_RECORD -> partition(any(new ArrayList<>(image.topics().all())));
      case PARTITION_CHANGE_RECORD -> change(any(new ArrayList<>(image.topics().all())));
      case REMOVE_TOPIC_RECORD -> {
        TopicImage t = any(new ArrayList<>(image.topics().all()));
        yield t == null || upTo(2) == 0 ? null : new RemoveTopicRecord().topicId(t.id());
      }
      case CLEAR_ELR_RECORD -> {
        TopicImage t = any(new ArrayList<>(image.topics().all()));
        yield t == null ? null : new ClearElrRecord().topicName(upTo(2) == 0 ? "" : t.name());
      }
      case REGISTER_BROKER_RECORD -> broker();
      case BROKER_REGISTRATION_CHANGE_RECORD -> {
        BrokerRegistration b = any(new ArrayList<>(image.cluster().brokers().values()));
        yield b == null
            ? null
            : new BrokerRegistrationChangeRecord()
                .brokerId(b.id())
                .brokerEpoch(b.epoch())
                .fenced((byte) (upTo(3) - 1))
                .inControlledShutdown((byte) upTo(2))
                .logDirs(uuids(upTo(3)))
                .cordonedLogDirs(upTo(2) == 0 ? null : uuids(upTo(2)));
      }
      case FENCE_BROKER_RECORD -> {
        BrokerRegistration b = any(new ArrayList<>(image.cluster().brokers().values()));
        yield b == null ? null : new FenceBrokerRecord().id(b.id()).epoch(b.epoch());
      }
      case UNFENCE_BROKER_RECORD -> {
        BrokerRegistration b = any(new ArrayList<>(image.cluster().brokers().values()));
        yield b == null ? null : new UnfenceBrokerRecord().id(b.id()).epoch(b.epoch());
      }
      case UNREGISTER_BROKER_RECORD -> {
        BrokerRegistration b = any(new ArrayList<>(image.cluster().brokers().values()));
        yield b == null
            ? null
            : new UnregisterBrokerRecord().brokerId(b.id()).brokerEpoch(b.epoch());
      }
      case REGISTER_CONTROLLER_RECORD ->
          new RegisterControllerRecord()
              .controllerId(upTo(3))
              .incarnationId(uuid())
              .zkMigrationReady(upTo(2) == 0)
              .endPoints(
                  List.of(
                      new RegisterControllerRecord.ControllerEndpoint()
                          .name("CONTROLLER")
                          .host("h")
                          .port(upTo(65536))))
              .features(
                  List.of(
                      new RegisterControllerRecord.ControllerFeature()
                          .name("f")
                          .maxSupportedVersion((short) upTo(5))));
      case UNREGISTER_CONTROLLER_RECORD -> {
        ControllerRegistration c = any(new ArrayList<>(image.cluster().controllers().values()));
        yield c == null ? null : new UnregisterControllerRecord().controllerId(c.id());
      }
      case CONFIG_RECORD ->
          new ConfigRecord()
              .resourceType((byte) (upTo(2) == 0 ? 2 : 4))
              .resourceName(upTo(3) == 0 ? "" : "t" + upTo(6))
              .name("k" + upTo(4))
              .value(upTo(3) == 0 ? null : "v" + upTo(10));
      case FEATURE_LEVEL_RECORD ->
          new FeatureLevelRecord()
              .name(upTo(2) == 0 ? FeaturesImage.METADATA_VERSION : "f" + upTo(3))
              .featureLevel((short) upTo(4));
      case PRODUCER_IDS_RECORD ->
          new ProducerIdsRecord()
              .brokerId(upTo(4))
              .brokerEpoch(upTo(9))
              .nextProducerId(1000L * upTo(50));
      case ACCESS_CONTROL_ENTRY_RECORD ->
          new AccessControlEntryRecord()
              .id(new Uuid(7, upTo(4)))
              .resourceName("r" + upTo(9))
              .principal("User:a")
              .host("*");
      case REMOVE_ACCESS_CONTROL_ENTRY_RECORD ->
          new RemoveAccessControlEntryRecord().id(new Uuid(7, upTo(4)));
      case USER_SCRAM_CREDENTIAL_RECORD ->
          new UserScramCredentialRecord()
              .name("u" + upTo(3))
              .mechanism((byte) (1 + upTo(2)))
              .salt(new byte[] {(byte) upTo(100)})
              .storedKey(new byte[] {1})
              .serverKey(new byte[0])
              .iterations(4096);
      case REMOVE_USER_SCRAM_CREDENTIAL_RECORD ->
          new RemoveUserScramCredentialRecord().name("u" + upTo(3)).mechanism((byte) (1 + upTo(2)));
      case DELEGATION_TOKEN_RECORD ->
          new DelegationTokenRecord()
              .tokenId("d" + upTo(3))
              .owner("User:o")
              .requester("User:r")
              .expirationTimestamp(upTo(1000));
      case REMOVE_DELEGATION_TOKEN_RECORD ->
          new RemoveDelegationTokenRecord().tokenId("d" + upTo(3));
      case CLIENT_QUOTA_RECORD ->
          new ClientQuotaRecord()
              .entity(
                  List.of(
                      new ClientQuotaRecord.EntityData()
                          .entityType(upTo(2) == 0 ? "user" : "client-id")
                          .entityName(upTo(3) == 0 ? null : "n" + upTo(2))))
              .key("producer_byte_rate")
              .value(upTo(100))
              .remove(upTo(3) == 0);
      case BEGIN_TRANSACTION_RECORD ->
          image.transactionStart() == null ? new BeginTransactionRecord() : null;
      case END_TRANSACTION_RECORD ->
          image.transactionStart() == null ? null : new EndTransactionRecord();
      case ABORT_TRANSACTION_RECORD ->
          image.transactionStart() == null ? null : new AbortTransactionRecord();
      case NO_OP_RECORD -> new NoOpRecord();
      case ZK_MIGRATION_STATE_RECORD -> new ZkMigrationStateRecord();
    };
  }

  private RegisterBrokerRecord broker() {
    return new RegisterBrokerRecord()
        .brokerId(upTo(4))
        .brokerEpoch(upTo(1000))
        .incarnationId(uuid())
        .rack(upTo(2) == 0 ? null : "rack" + upTo(3))
        .fenced(upTo(2) == 0)
        .inControlledShutdown(upTo(4) == 0)
        .logDirs(uuids(upTo(3)))
        .cordonedLogDirs(upTo(2) == 0 ? null : uuids(upTo(3)))
        .endPoints(
            List.of(
                new RegisterBrokerRecord.BrokerEndpoint()
                    .name("PLAINTEXT")
                    .host("h" + upTo(5))
                    .port(upTo(65536)),
                new RegisterBrokerRecord.BrokerEndpoint()
                    .name("SSL")
                    .securityProtocol((short) 1)
                    .host("h")
                    .port(1)))
        .features(
            List.of(
                new RegisterBrokerRecord.BrokerFeature()
                    .name(FeaturesImage.METADATA_VERSION)
                    .minSupportedVersion((short) 7)
                    .maxSupportedVersion((short) 33)));
  }

  private PartitionRecord partition(TopicImage topic) {
    if (topic == null) {
      return null;
    }
    List<Integer> replicas = brokers(1 + upTo(4));
    return new PartitionRecord()
        .topicId(topic.id())
        .partitionId(upTo(5))
        .replicas(replicas)
        .isr(replicas.subList(0, 1 + upTo(replicas.size())))
        .removingReplicas(brokers(upTo(2)))
        .addingReplicas(brokers(upTo(2)))
        .leader(upTo(5) - 1)
        .leaderRecoveryState((byte) upTo(2))
        .leaderEpoch(upTo(10))
        .partitionEpoch(upTo(10))
        .directories(upTo(2) == 0 ? List.of() : uuids(replicas.size()))
        .eligibleLeaderReplicas(upTo(2) == 0 ? null : brokers(upTo(3)))
        .lastKnownElr(upTo(2) == 0 ? null : brokers(upTo(2)));
  }

  private PartitionChangeRecord change(TopicImage topic) {
    if (topic == null || topic.partitions().isEmpty()) {
      return null;
    }
    Map.Entry<Integer, PartitionImage> p = any(new ArrayList<>(topic.partitions().entrySet()));
    PartitionChangeRecord r =
        new PartitionChangeRecord().topicId(topic.id()).partitionId(p.getKey());
    if (upTo(2) == 0) {
      r.leader(upTo(5) - 1);
    }
    if (upTo(2) == 0) {
      r.isr(brokers(1 + upTo(3)));
    }
    if (upTo(4) == 0) {
      r.replicas(brokers(1 + upTo(4)));
    }
    if (upTo(4) == 0) {
      r.removingReplicas(brokers(upTo(2))).addingReplicas(brokers(upTo(2)));
    }
    if (upTo(4) == 0) {
      r.eligibleLeaderReplicas(brokers(upTo(2))).lastKnownElr(brokers(upTo(2)));
    }
    if (r.replicas() != null || upTo(4) == 0) {
      int size = r.replicas() == null ? p.getValue().replicas().size() : r.replicas().size();
      r.directories(uuids(size));
    }
    return r.leaderRecoveryState((byte) (upTo(3) - 1));
  }

  private List<Integer> brokers(int count) {
    List<Integer> ids = new ArrayList<>();
    for (int id = 0; id < 6; id++) {
      ids.add(id);
    }
    for (int i = ids.size() - 1; i > 0; i--) {
      Collections.swap(ids, i, upTo(i + 1));
    }
    return new ArrayList<>(ids.subList(0, count));
  }

  private List<Uuid> uuids(int count) {
    List<Uuid> ids = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      ids.add(uuid());
    }
    return ids;
  }

  Uuid uuid() {
    return new Uuid(random.nextLong(), random.nextLong());
  }

  private <T> T any(List<T> of) {
    return of.isEmpty() ? null : of.get(upTo(of.size()));
  }
}
