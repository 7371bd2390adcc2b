package dev.vitrine.controller;

import dev.vitrine.metadata.MetadataImage;
import dev.vitrine.protocol.ApiMessage;
import dev.vitrine.protocol.Errors;
import dev.vitrine.quota.MutationQuota;
import java.util.ArrayList;
import java.util.List;

/**
 * The records that one request comes to, and the image as it will be after them. Each concern adds
 * to it and looks at {@link #image}, so that a later part of a request sees the earlier ones.
 * Confined to the quorum loop; nothing is appended before the whole draft is done.
 */
final class Draft {
  private final long baseOffset;
  private final MutationQuota quota;
  private final List<ApiMessage> records = new ArrayList<>();
  private MetadataImage image;
  private short kraftVersion;

  /**
   * @param tip the image of all that was appended
   * @param baseOffset where the first record will land
   */
  Draft(MetadataImage tip, long baseOffset) {
    this(tip, baseOffset, MutationQuota.UNLIMITED);
  }

  /**
   * @param quota what the client may change
   */
  Draft(MetadataImage tip, long baseOffset, MutationQuota quota) {
    this.image = tip;
    this.baseOffset = baseOffset;
    this.quota = quota;
  }

  MetadataImage image() {
    return image;
  }

  List<ApiMessage> records() {
    return records;
  }

  boolean isEmpty() {
    return records.isEmpty();
  }

  /** The offset of the next record. */
  long nextOffset() {
    return baseOffset + records.size();
  }

  void add(ApiMessage record) {
    image = image.apply(record);
    records.add(record);
  }

  /**
   * So many partitions are about to be made or deleted. They count even if the request is only to
   * be validated.
   *
   * @throws ControllerException if the client's quota is used up
   */
  void takeFromQuota(int partitions) {
    if (!quota.take(partitions)) {
      throw new ControllerException(Errors.THROTTLING_QUOTA_EXCEEDED, null);
    }
  }

  /** What kraft.version is to become before the records; 0 if it stays. */
  short kraftVersion() {
    return kraftVersion;
  }

  void kraftVersion(short version) {
    kraftVersion = version;
  }

  Mark mark() {
    return new Mark(image, records.size());
  }

  /** Takes back everything since the mark: a part that failed, or that was only to be checked. */
  void reset(Mark mark) {
    image = mark.image;
    kraftVersion = 0;
    records.subList(mark.size, records.size()).clear();
  }

  record Mark(MetadataImage image, int size) {}
}
