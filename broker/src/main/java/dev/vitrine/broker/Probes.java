package dev.vitrine.broker;

import dev.vitrine.broker.fault.ApiFaults;
import dev.vitrine.broker.observe.NodeMetrics;

/**
 * What looks into a node, or breaks it.
 *
 * @param faults the fault points of the broker's APIs; null if there are none
 */
public record Probes(ApiFaults faults, NodeMetrics metrics) {}
