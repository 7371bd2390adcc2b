package dev.vitrine.broker.control;

import dev.vitrine.metadata.BrokerRegistration;
import dev.vitrine.metadata.ImageChange;
import dev.vitrine.metadata.MetadataImage;
import dev.vitrine.protocol.Uuid;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Holds the metadata back until it knows of this very start of the broker, then tells everything at
 * once, and from then on each change. Changed on the quorum loop.
 *
 * <p>What the log says before is about an earlier process. Acted upon, it would make this one lead
 * what others lead by now, and acknowledge alone what nobody else will ever have.
 */
public final class SinceRegistration implements Consumer<ImageChange>, Supplier<MetadataImage> {
  private final int brokerId;
  private final Uuid incarnation;
  private final Consumer<ImageChange> next;
  private volatile MetadataImage shown = MetadataImage.EMPTY;
  private boolean registered;

  public SinceRegistration(int brokerId, Uuid incarnation, Consumer<ImageChange> next) {
    this.brokerId = brokerId;
    this.incarnation = incarnation;
    this.next = next;
  }

  @Override
  public void accept(ImageChange change) {
    if (registered) {
      shown = change.after();
      next.accept(change);
      return;
    }
    BrokerRegistration own = change.after().broker(brokerId);
    if (own != null && own.incarnationId().equals(incarnation)) {
      registered = true;
      shown = change.after();
      next.accept(ImageChange.between(MetadataImage.EMPTY, change.after()));
    }
  }

  /** What clients may be told: nothing before the registration. Any thread. */
  @Override
  public MetadataImage get() {
    return shown;
  }
}
