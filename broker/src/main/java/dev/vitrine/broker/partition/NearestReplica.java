package dev.vitrine.broker.partition;

import dev.vitrine.broker.partition.Partition.ReplicaView;
import dev.vitrine.metadata.BrokerRegistration;
import dev.vitrine.metadata.MetadataImage;
import java.util.Comparator;

/**
 * Where a consumer should read (KIP-392), as Kafka's {@code RackAwareReplicaSelector} chooses: from
 * the leader if that is in the consumer's rack, or nobody is; else from the in-sync replica there
 * that has the most. Only a leader sends anybody away. Immutable, for one fetch; asked on the shard
 * of each partition.
 */
public final class NearestReplica {
  public static final int HERE = -1;

  /** For who is to be served where it asks. */
  public static final NearestReplica NONE = new NearestReplica(MetadataImage.EMPTY, "", "");

  private static final Comparator<ReplicaView> FURTHEST =
      Comparator.comparingLong(ReplicaView::logEndOffset)
          .thenComparingLong(ReplicaView::lastCaughtUpTicks)
          .thenComparingInt(ReplicaView::brokerId);

  private final MetadataImage image;
  private final String rack;
  private final String listener;

  /**
   * @param rack the consumer's; empty if it has not said
   * @param listener by which it came: a replica that has none of this name is out of its reach
   */
  public NearestReplica(MetadataImage image, String rack, String listener) {
    this.image = image;
    this.rack = rack;
    this.listener = listener;
  }

  /** A broker's id, or {@link #HERE}. */
  public int of(Partition p, long fetchOffset) {
    if (rack.isEmpty() || !p.isLeader() || isInRack(p.leaderId())) {
      return HERE;
    }
    return p.readable(fetchOffset).stream()
        .filter(view -> isInRack(view.brokerId()))
        .max(FURTHEST)
        .map(ReplicaView::brokerId)
        .orElse(HERE);
  }

  private boolean isInRack(int brokerId) {
    BrokerRegistration b = image.broker(brokerId);
    return b != null && rack.equals(b.rack()) && image.aliveEndpoint(brokerId, listener) != null;
  }
}
