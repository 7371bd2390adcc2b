package dev.vitrine.quorum;

/**
 * How a replica of the quorum stands, for those who watch. A value.
 *
 * @param state such as {@code leader}, as Kafka calls it
 * @param leaderId -1 if none is known
 * @param votedId in this epoch; -1 for nobody
 * @param highWatermark -1 if it is not known
 * @param commitLatencyAvgMs over the last minute; not a number if nothing was committed by this
 *     leader
 */
public record QuorumView(
    String state,
    int leaderId,
    int epoch,
    int votedId,
    long highWatermark,
    long logEndOffset,
    int logEndEpoch,
    int voters,
    double commitLatencyAvgMs,
    double commitLatencyMaxMs) {}
