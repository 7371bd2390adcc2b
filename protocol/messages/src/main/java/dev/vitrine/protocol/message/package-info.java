/**
 * Kafka's messages, one class each, and the enums that find them by number. All generated at build
 * time from the schemas in Kafka's own jars; nothing here is written by hand.
 */
package dev.vitrine.protocol.message;
