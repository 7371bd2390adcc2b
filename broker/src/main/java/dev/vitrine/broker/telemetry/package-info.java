/**
 * The metrics that clients push (KIP-714): who is asked for which, and what they have said last.
 * Only there if {@code vitrine.client.telemetry} is set.
 */
package dev.vitrine.broker.telemetry;
