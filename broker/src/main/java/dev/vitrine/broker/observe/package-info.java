/**
 * What a node counts, and how it tells: counters that belong to a shard and cost it an addition,
 * and the page at {@code /metrics} that asks every shard for them. Nothing here is on the way of a
 * record but those additions.
 */
package dev.vitrine.broker.observe;
