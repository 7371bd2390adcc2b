package dev.vitrine.broker.partition;

import java.util.ArrayList;
import java.util.List;

/**
 * The in-sync set as its leader must see it while a change of it is on its way to the controller.
 * Immutable.
 *
 * <p>A replica that is being added already counts for the high watermark: the controller may have
 * committed the change, and elect that replica, before the answer is here. A replica that is being
 * removed still counts, for the change may fail.
 *
 * @param committed as of the last metadata record or the controller's last answer
 * @param proposed what has been asked for; null when nothing is
 * @param partitionEpoch the version of {@code committed}, sent along so that a stale change is
 *     refused
 */
public record IsrState(List<Integer> committed, List<Integer> proposed, int partitionEpoch) {
  boolean isPending() {
    return proposed != null;
  }

  /** Everyone who may be in the set. */
  List<Integer> maximal() {
    if (proposed == null) {
      return committed;
    }
    List<Integer> all = new ArrayList<>(committed);
    for (Integer id : proposed) {
      if (!all.contains(id)) {
        all.add(id);
      }
    }
    return all;
  }

  IsrState propose(List<Integer> isr) {
    return new IsrState(committed, List.copyOf(isr), partitionEpoch);
  }

  IsrState withdraw() {
    return new IsrState(committed, null, partitionEpoch);
  }
}
