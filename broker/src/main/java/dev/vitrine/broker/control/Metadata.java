package dev.vitrine.broker.control;

import dev.vitrine.metadata.ImageChange;
import dev.vitrine.metadata.ImageLoader;
import dev.vitrine.metadata.MetadataImage;
import dev.vitrine.quorum.CommittedBatch;
import dev.vitrine.quorum.LeaderAndEpoch;
import dev.vitrine.quorum.OffsetAndEpoch;
import dev.vitrine.quorum.RaftListener;
import dev.vitrine.quorum.Snapshot;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * The newest committed image of the cluster, for everyone on this node. Written on the quorum loop
 * alone; read by any thread through one volatile reference. Who must act on changes hears of them
 * on the quorum loop, after the new image is there.
 */
public final class Metadata implements RaftListener, Supplier<MetadataImage> {
  private final ImageLoader loader = new ImageLoader();
  private final List<Consumer<ImageChange>> subscribers = new ArrayList<>();
  private SnapshotTrigger snapshots;
  private volatile MetadataImage image = MetadataImage.EMPTY;
  private volatile LeaderAndEpoch controller = LeaderAndEpoch.UNKNOWN;
  private Runnable onControllerChange = () -> {};

  @Override
  public MetadataImage get() {
    return image;
  }

  /** Who leads the quorum, and so is the active controller. */
  public LeaderAndEpoch controller() {
    return controller;
  }

  /** On the quorum loop: runs with each change of the leader or its epoch. */
  public void onControllerChange(Runnable task) {
    onControllerChange = task;
  }

  /** Before this listens to the quorum. */
  public void subscribe(Consumer<ImageChange> subscriber) {
    subscribers.add(subscriber);
  }

  /** Whom to tell when a snapshot may be due. Before this listens to the quorum. */
  public void snapshots(SnapshotTrigger trigger) {
    snapshots = trigger;
  }

  @Override
  public void handleCommit(List<CommittedBatch> batches) {
    boolean whole = false;
    for (CommittedBatch batch : batches) {
      ImageChange change = loader.apply(batch);
      publish(change);
      snapshots.read(batch.sizeInBytes(), batch.appendTimestamp());
      whole = change != null;
    }
    if (whole) {
      snapshots.applied(image);
    }
  }

  @Override
  public void handleLoadSnapshot(Snapshot snapshot) {
    if (!snapshot.id().equals(OffsetAndEpoch.BOOTSTRAP)) {
      publish(loader.load(snapshot));
      snapshots.startOver();
    }
  }

  private void publish(ImageChange change) {
    if (change == null) {
      return; // a transaction is open: nothing of it may be seen yet
    }
    image = change.after();
    if (!change.isEmpty()) {
      subscribers.forEach(s -> s.accept(change));
    }
  }

  @Override
  public void handleLeaderChange(LeaderAndEpoch leader) {
    controller = leader;
    onControllerChange.run();
  }
}
