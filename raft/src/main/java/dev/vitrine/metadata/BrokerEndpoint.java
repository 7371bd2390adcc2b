package dev.vitrine.metadata;

/**
 * One listener of a node as others reach it.
 *
 * @param listener the listener's name
 * @param securityProtocol Kafka's number: 0 PLAINTEXT, 1 SSL, 2 SASL_PLAINTEXT, 3 SASL_SSL
 */
public record BrokerEndpoint(String listener, String host, int port, short securityProtocol) {}
