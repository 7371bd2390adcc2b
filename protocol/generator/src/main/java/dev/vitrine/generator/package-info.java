/** Build-time only: turns Kafka's message schemas into Java. {@link Main} has the walk. */
package dev.vitrine.generator;
