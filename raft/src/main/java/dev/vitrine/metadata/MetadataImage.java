package dev.vitrine.metadata;

import dev.vitrine.protocol.ApiMessage;
import dev.vitrine.protocol.Uuid;
import dev.vitrine.protocol.message.AbortTransactionRecord;
import dev.vitrine.protocol.message.AccessControlEntryRecord;
import dev.vitrine.protocol.message.BeginTransactionRecord;
import dev.vitrine.protocol.message.BrokerRegistrationChangeRecord;
import dev.vitrine.protocol.message.ClearElrRecord;
import dev.vitrine.protocol.message.ClientQuotaRecord;
import dev.vitrine.protocol.message.ConfigRecord;
import dev.vitrine.protocol.message.DelegationTokenRecord;
import dev.vitrine.protocol.message.EndTransactionRecord;
import dev.vitrine.protocol.message.FeatureLevelRecord;
import dev.vitrine.protocol.message.FenceBrokerRecord;
import dev.vitrine.protocol.message.MetadataRecordType;
import dev.vitrine.protocol.message.PartitionChangeRecord;
import dev.vitrine.protocol.message.PartitionRecord;
import dev.vitrine.protocol.message.ProducerIdsRecord;
import dev.vitrine.protocol.message.RegisterBrokerRecord;
import dev.vitrine.protocol.message.RegisterControllerRecord;
import dev.vitrine.protocol.message.RemoveAccessControlEntryRecord;
import dev.vitrine.protocol.message.RemoveDelegationTokenRecord;
import dev.vitrine.protocol.message.RemoveTopicRecord;
import dev.vitrine.protocol.message.RemoveUserScramCredentialRecord;
import dev.vitrine.protocol.message.TopicRecord;
import dev.vitrine.protocol.message.UnfenceBrokerRecord;
import dev.vitrine.protocol.message.UnregisterBrokerRecord;
import dev.vitrine.protocol.message.UnregisterControllerRecord;
import dev.vitrine.protocol.message.UserScramCredentialRecord;
import java.util.ArrayList;
import java.util.List;

/**
 * The whole cluster at one offset of the metadata log. Immutable and safe to share between all
 * threads: a record makes a new image that shares with the old one what did not change, in the time
 * of a few tree steps. It never reads or writes anything, and it is the only place that knows what
 * each record means.
 *
 * @param offset of the last record in it, -1 for none
 * @param epoch of that record, -1 for none
 * @param nextProducerId the first producer id that has not been given out
 * @param transactionStart the image before an open metadata transaction (KIP-868), null if none is
 *     open; what such a transaction did so far is in this image, but must not be shown to anybody
 */
public record MetadataImage(
    long offset,
    int epoch,
    FeaturesImage features,
    ClusterImage cluster,
    TopicsImage topics,
    ConfigsImage configs,
    SecurityImage security,
    long nextProducerId,
    MetadataImage transactionStart) {
  public static final MetadataImage EMPTY =
      new MetadataImage(
          -1,
          -1,
          FeaturesImage.EMPTY,
          ClusterImage.EMPTY,
          TopicsImage.EMPTY,
          ConfigsImage.EMPTY,
          SecurityImage.EMPTY,
          0,
          null);

  /**
   * The image after this record. Offset and epoch stay: see {@link #at}.
   *
   * @throws InvalidMetadataRecordException naming the record, if it cannot be applied
   */
  public MetadataImage apply(ApiMessage record) {
    MetadataRecordType type = MetadataRecordType.forId(record.apiKey());
    if (type == null) {
      throw new InvalidMetadataRecordException(record, "unknown metadata record");
    }
    return switch (type) {
      case TOPIC_RECORD -> with(topics.with((TopicRecord) record));
      case PARTITION_RECORD -> with(topics.with((PartitionRecord) record));
      case PARTITION_CHANGE_RECORD -> with(topics.with((PartitionChangeRecord) record));
      case REMOVE_TOPIC_RECORD -> without((RemoveTopicRecord) record);
      case CLEAR_ELR_RECORD -> with(topics.with((ClearElrRecord) record));
      case REGISTER_BROKER_RECORD -> with(cluster.with((RegisterBrokerRecord) record));
      case UNREGISTER_BROKER_RECORD -> with(cluster.without((UnregisterBrokerRecord) record));
      case BROKER_REGISTRATION_CHANGE_RECORD ->
          with(cluster.with((BrokerRegistrationChangeRecord) record));
      case FENCE_BROKER_RECORD -> with(cluster.with((FenceBrokerRecord) record));
      case UNFENCE_BROKER_RECORD -> with(cluster.with((UnfenceBrokerRecord) record));
      case REGISTER_CONTROLLER_RECORD -> with(cluster.with((RegisterControllerRecord) record));
      case UNREGISTER_CONTROLLER_RECORD ->
          with(cluster.without((UnregisterControllerRecord) record));
      case CONFIG_RECORD -> with(configs.with((ConfigRecord) record));
      case FEATURE_LEVEL_RECORD -> with(features.with((FeatureLevelRecord) record));
      case PRODUCER_IDS_RECORD -> with(((ProducerIdsRecord) record).nextProducerId());
      case ACCESS_CONTROL_ENTRY_RECORD -> with(security.with((AccessControlEntryRecord) record));
      case REMOVE_ACCESS_CONTROL_ENTRY_RECORD ->
          with(security.withoutAcl(((RemoveAccessControlEntryRecord) record).id()));
      case USER_SCRAM_CREDENTIAL_RECORD -> with(security.with((UserScramCredentialRecord) record));
      case REMOVE_USER_SCRAM_CREDENTIAL_RECORD ->
          with(security.without((RemoveUserScramCredentialRecord) record));
      case DELEGATION_TOKEN_RECORD -> with(security.with((DelegationTokenRecord) record));
      case REMOVE_DELEGATION_TOKEN_RECORD ->
          with(security.withoutToken(((RemoveDelegationTokenRecord) record).tokenId()));
      case CLIENT_QUOTA_RECORD -> with(security.with((ClientQuotaRecord) record));
      case BEGIN_TRANSACTION_RECORD -> begin((BeginTransactionRecord) record);
      case END_TRANSACTION_RECORD -> end((EndTransactionRecord) record);
      case ABORT_TRANSACTION_RECORD -> abort((AbortTransactionRecord) record);
      // The first only moves the offset; the second is left from Kafka's way out of ZooKeeper.
      case NO_OP_RECORD, ZK_MIGRATION_STATE_RECORD -> this;
    };
  }

  /** The same at the offset and epoch of the last record that was applied. */
  public MetadataImage at(long lastOffset, int lastEpoch) {
    return new MetadataImage(
        lastOffset,
        lastEpoch,
        features,
        cluster,
        topics,
        configs,
        security,
        nextProducerId,
        transactionStart);
  }

  /** What may be shown: this image, or the one before the transaction that is open. */
  public MetadataImage visible() {
    return transactionStart == null ? this : transactionStart;
  }

  /**
   * The records that, applied to {@link #EMPTY}, make an equal image: the body of a snapshot. An
   * open transaction is left out.
   */
  public List<ApiMessage> records() {
    MetadataImage image = visible();
    List<ApiMessage> records = new ArrayList<>();
    image.features.addRecords(records);
    image.cluster.addRecords(records);
    image.topics.addRecords(records);
    image.configs.addRecords(records);
    image.security.addRecords(records);
    if (image.nextProducerId > 0) {
      records.add(
          new ProducerIdsRecord()
              .brokerId(-1)
              .brokerEpoch(-1)
              .nextProducerId(image.nextProducerId));
    }
    return records;
  }

  /** The broker's registration, or null. */
  public BrokerRegistration broker(int id) {
    return cluster.broker(id);
  }

  /** The topic of this name, or null. */
  public TopicImage topic(String name) {
    return topics.topic(name);
  }

  /** The topic of this id, or null. */
  public TopicImage topic(Uuid id) {
    return topics.topic(id);
  }

  /** The partition, or null if the topic or the partition is not there. */
  public PartitionImage partition(String topic, int partition) {
    TopicImage t = topics.topic(topic);
    return t == null ? null : t.partition(partition);
  }

  /** The partition, or null if the topic or the partition is not there. */
  public PartitionImage partition(Uuid topicId, int partition) {
    TopicImage t = topics.topic(topicId);
    return t == null ? null : t.partition(partition);
  }

  /** Brokers that clients may see: not fenced, with an endpoint on this listener; by id. */
  public List<BrokerRegistration> aliveBrokers(String listener) {
    List<BrokerRegistration> alive = new ArrayList<>();
    for (BrokerRegistration b : cluster.brokers().values()) {
      if (!b.fenced() && b.endpoint(listener) != null) {
        alive.add(b);
      }
    }
    return alive;
  }

  /**
   * Where clients of this listener reach the broker; null if it is fenced, unknown or not there.
   */
  public BrokerEndpoint aliveEndpoint(int brokerId, String listener) {
    BrokerRegistration b = cluster.broker(brokerId);
    return b == null || b.fenced() ? null : b.endpoint(listener);
  }

  private MetadataImage without(RemoveTopicRecord r) {
    TopicImage topic = topics.topic(r.topicId());
    TopicsImage remaining = topics.without(r);
    return with(remaining).with(configs.without(ConfigResource.topic(topic.name())));
  }

  private MetadataImage begin(BeginTransactionRecord r) {
    if (transactionStart != null) {
      throw new InvalidMetadataRecordException(r, "a transaction is open already");
    }
    return new MetadataImage(
        offset, epoch, features, cluster, topics, configs, security, nextProducerId, this);
  }

  private MetadataImage end(EndTransactionRecord r) {
    if (transactionStart == null) {
      throw new InvalidMetadataRecordException(r, "no transaction is open");
    }
    return new MetadataImage(
        offset, epoch, features, cluster, topics, configs, security, nextProducerId, null);
  }

  private MetadataImage abort(AbortTransactionRecord r) {
    if (transactionStart == null) {
      throw new InvalidMetadataRecordException(r, "no transaction is open");
    }
    return transactionStart.at(offset, epoch);
  }

  private MetadataImage with(FeaturesImage now) {
    return new MetadataImage(
        offset, epoch, now, cluster, topics, configs, security, nextProducerId, transactionStart);
  }

  private MetadataImage with(ClusterImage now) {
    return new MetadataImage(
        offset, epoch, features, now, topics, configs, security, nextProducerId, transactionStart);
  }

  private MetadataImage with(TopicsImage now) {
    return new MetadataImage(
        offset, epoch, features, cluster, now, configs, security, nextProducerId, transactionStart);
  }

  private MetadataImage with(ConfigsImage now) {
    return new MetadataImage(
        offset, epoch, features, cluster, topics, now, security, nextProducerId, transactionStart);
  }

  private MetadataImage with(SecurityImage now) {
    return new MetadataImage(
        offset, epoch, features, cluster, topics, configs, now, nextProducerId, transactionStart);
  }

  private MetadataImage with(long producerId) {
    return new MetadataImage(
        offset, epoch, features, cluster, topics, configs, security, producerId, transactionStart);
  }

  /** Only where it stands: the whole would fill a log file. */
  @Override
  public String toString() {
    return "MetadataImage(offset=" + offset + ", epoch=" + epoch + ")";
  }
}
