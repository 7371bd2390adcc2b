package dev.vitrine.broker.api;

import dev.vitrine.broker.quota.BrokerQuotas;
import dev.vitrine.broker.quota.ConnectionLimits;

/**
 * What the clients of a node's listeners may do. Immutable; each part belongs to whom its own
 * comment says.
 *
 * @param quotas null where requests cost nothing, as on the controllers' listener: there the
 *     controller itself says for how long a client is held back
 * @param limits null for as many connections as come
 * @param open null where nobody wants to know of them
 */
public record Allowances(BrokerQuotas quotas, ConnectionLimits limits, OpenConnections open) {
  static final Allowances UNLIMITED = new Allowances(null, null, null);

  /** Whether a request has to be counted: the one branch that quotas cost where there are none. */
  boolean isCounting() {
    return quotas != null && quotas.isActive();
  }
}
