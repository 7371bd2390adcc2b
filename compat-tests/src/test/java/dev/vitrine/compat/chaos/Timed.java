package dev.vitrine.compat.chaos;

/**
 * An event and when it was written down.
 *
 * @param atMicros since the start of the run
 */
record Timed(long atMicros, Event event) {}
