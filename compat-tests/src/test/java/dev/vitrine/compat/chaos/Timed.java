package dev.vitrine.compat.chaos;

/**
 * An event and when it was written down.
 *
 * @param atMicros since the start of the run
 */
public record Timed(long atMicros, Event event) {}
