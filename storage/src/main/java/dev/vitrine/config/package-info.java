/**
 * Apache Kafka's configuration: every key of Kafka 4.4 with type, default and rule; {@code
 * server.properties} as typed values; the overrides of topics, groups and client metrics; and what
 * DescribeConfigs says of them all.
 *
 * <p>Everything here is an immutable value or a pure function: no thread, file, clock or socket.
 * The tables name Kafka's keys as facts; their sentences are our own.
 */
package dev.vitrine.config;
