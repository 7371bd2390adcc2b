/**
 * Quotas of clients: what is set for whom (KIP-257), and the arithmetic of rates and throttle times
 * (KIP-13, KIP-124, KIP-219, KIP-599), which is Kafka's to the millisecond. Nothing here knows a
 * connection: it is used by brokers and controllers alike, each for its own.
 */
package dev.vitrine.quota;
