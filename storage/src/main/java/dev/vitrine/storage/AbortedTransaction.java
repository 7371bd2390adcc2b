package dev.vitrine.storage;

/**
 * An aborted transaction: a consumer that reads only what was committed drops this producer's
 * records from the first offset up to the abort marker at the last one.
 *
 * @param lastStableOffset where the last stable offset stood after the transaction had ended
 */
public record AbortedTransaction(
    long producerId, long firstOffset, long lastOffset, long lastStableOffset) {}
