package dev.vitrine.metadata;

import dev.vitrine.protocol.ApiMessage;
import dev.vitrine.protocol.Uuid;
import dev.vitrine.protocol.message.BrokerRegistrationChangeRecord;
import dev.vitrine.protocol.message.ClearElrRecord;
import dev.vitrine.protocol.message.ConfigRecord;
import dev.vitrine.protocol.message.FenceBrokerRecord;
import dev.vitrine.protocol.message.PartitionChangeRecord;
import dev.vitrine.protocol.message.PartitionRecord;
import dev.vitrine.protocol.message.RegisterBrokerRecord;
import dev.vitrine.protocol.message.RemoveTopicRecord;
import dev.vitrine.protocol.message.TopicRecord;
import dev.vitrine.protocol.message.UnfenceBrokerRecord;
import dev.vitrine.protocol.message.UnregisterBrokerRecord;
import dev.vitrine.quorum.ApiMessageAndVersion;
import dev.vitrine.quorum.CommittedBatch;
import dev.vitrine.quorum.OffsetAndEpoch;
import dev.vitrine.quorum.Snapshot;

/**
 * Follows the committed metadata log and says what each step changed. Owned by the thread that
 * reads the log (the quorum loop); the images and changes that it hands out may go anywhere. It
 * holds back what an open metadata transaction does until that ends.
 */
public final class ImageLoader {
  private MetadataImage image;
  private MetadataImage shown;
  private ImageChange.Touched touched = new ImageChange.Touched();

  public ImageLoader() {
    this(MetadataImage.EMPTY);
  }

  public ImageLoader(MetadataImage start) {
    image = start;
    shown = start.visible();
  }

  /** The newest image that may be shown. */
  public MetadataImage image() {
    return shown;
  }

  /**
   * Applies one committed batch.
   *
   * @return the change since {@link #image} was last different; null if there is nothing to show
   *     yet, because a transaction is open
   * @throws InvalidMetadataRecordException naming the record; nothing is applied then
   */
  public ImageChange apply(CommittedBatch batch) {
    MetadataImage next = image;
    for (ApiMessageAndVersion record : batch.records()) {
      touch(record.message(), next);
      next = next.apply(record.message());
    }
    image = next.at(batch.lastOffset(), batch.epoch());
    return image.transactionStart() == null ? show() : null;
  }

  /**
   * Replaces everything by a snapshot. The one that {@code format} wrote changes nothing: its
   * records become true only when a controller has appended them.
   */
  public ImageChange load(Snapshot snapshot) {
    MetadataImage before = shown;
    image = imageOf(snapshot);
    shown = image;
    touched = new ImageChange.Touched();
    return ImageChange.between(before, shown);
  }

  /** The image as of the end of the snapshot. */
  public static MetadataImage imageOf(Snapshot snapshot) {
    MetadataImage next = MetadataImage.EMPTY;
    if (!snapshot.id().equals(OffsetAndEpoch.BOOTSTRAP)) {
      for (ApiMessageAndVersion record : snapshot.records()) {
        next = next.apply(record.message());
      }
    }
    return next.at(snapshot.id().offset() - 1, snapshot.id().epoch());
  }

  private ImageChange show() {
    ImageChange change = touched.change(shown, image);
    shown = image;
    touched = new ImageChange.Touched();
    return change;
  }

  private void touch(ApiMessage record, MetadataImage before) {
    if (record instanceof PartitionChangeRecord r) {
      touched.partition(r.topicId(), r.partitionId());
    } else if (record instanceof PartitionRecord r) {
      touched.partition(r.topicId(), r.partitionId());
    } else if (record instanceof TopicRecord r) {
      touched.topic(r.topicId());
      TopicImage former = before.topic(r.name());
      if (former != null) {
        touched.topic(former.id());
      }
    } else if (record instanceof RemoveTopicRecord r) {
      touchRemoved(r.topicId(), before);
    } else if (record instanceof ClearElrRecord r) {
      before.topics().elrTopics(r).forEach(t -> touched.topic(t.id()));
    } else if (record instanceof ConfigRecord r) {
      touched.configs.add(new ConfigResource(r.resourceType(), r.resourceName()));
    } else {
      touchBroker(record);
    }
  }

  private void touchRemoved(Uuid id, MetadataImage before) {
    touched.topic(id);
    TopicImage topic = before.topic(id);
    if (topic != null) {
      touched.configs.add(ConfigResource.topic(topic.name()));
    }
  }

  private void touchBroker(ApiMessage record) {
    if (record instanceof RegisterBrokerRecord r) {
      touched.brokers.add(r.brokerId());
    } else if (record instanceof UnregisterBrokerRecord r) {
      touched.brokers.add(r.brokerId());
    } else if (record instanceof BrokerRegistrationChangeRecord r) {
      touched.brokers.add(r.brokerId());
    } else if (record instanceof FenceBrokerRecord r) {
      touched.brokers.add(r.id());
    } else if (record instanceof UnfenceBrokerRecord r) {
      touched.brokers.add(r.id());
    }
  }
}
