/** A small, strict JSON reader and writer: some of Kafka's small files are JSON. */
package dev.vitrine.protocol.json;
