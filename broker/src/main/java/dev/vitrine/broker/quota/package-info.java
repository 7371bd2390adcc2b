/**
 * What a node allows its clients: quotas (KIP-13, KIP-124), which hold a client back by an answer
 * that says so and a connection that is not read (KIP-219), and the number and rate of connections
 * (KIP-402, KIP-612).
 */
package dev.vitrine.broker.quota;
