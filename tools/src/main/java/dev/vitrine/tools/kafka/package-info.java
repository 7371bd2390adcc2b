/**
 * Starts Apache Kafka's own command line tools. This package runs on Kafka's class path, beside
 * Kafka's versions of everything, so it may use nothing but the JDK.
 */
package dev.vitrine.tools.kafka;
