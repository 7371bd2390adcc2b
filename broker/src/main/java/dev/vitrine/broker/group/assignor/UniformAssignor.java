package dev.vitrine.broker.group.assignor;

import dev.vitrine.protocol.Uuid;
import java.util.Map;
import java.util.Set;

/**
 * {@code uniform}: all members have as many partitions as the others, as far as subscriptions allow
 * it, and otherwise keep what they had.
 *
 * <ol>
 *   <li>{@link Subscriptions}: what of the targets still stands is kept for now.
 *   <li>{@link Balance}: how many partitions of which topics each member is to have. Nobody could
 *       have one less for another, who has at least two less, to have one more.
 *   <li>{@link HandOut}: which ones. Who gives some away keeps the rest.
 * </ol>
 *
 * <p>The time it takes grows with the subscriptions and the partitions, not with their product.
 */
final class UniformAssignor implements ServerAssignor {
  @Override
  public String name() {
    return "uniform";
  }

  @Override
  public Map<String, Map<Uuid, Set<Integer>>> assign(AssignmentInput input) {
    Subscriptions subscriptions = Subscriptions.of(input);
    new Balance(subscriptions).compute();
    return HandOut.of(subscriptions);
  }
}
