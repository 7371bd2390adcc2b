package dev.vitrine.broker.control;

import dev.vitrine.broker.observe.Metric;
import dev.vitrine.broker.observe.Sample;
import dev.vitrine.quorum.QuorumView;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** What this node's replica of the quorum has to tell. On the quorum loop. */
public final class QuorumMetrics implements Consumer<Sample> {
  private final Supplier<QuorumView> quorum;

  public QuorumMetrics(Supplier<QuorumView> quorum) {
    this.quorum = quorum;
  }

  @Override
  public void accept(Sample into) {
    QuorumView v = quorum.get();
    into.add(Metric.CURRENT_LEADER, v.leaderId());
    into.add(Metric.CURRENT_EPOCH, v.epoch());
    into.add(Metric.CURRENT_VOTE, v.votedId());
    into.add(Metric.CURRENT_STATE, 1, v.state());
    into.add(Metric.QUORUM_HIGH_WATERMARK, v.highWatermark());
    into.add(Metric.QUORUM_LOG_END, v.logEndOffset());
    into.add(Metric.QUORUM_LOG_END_EPOCH, v.logEndEpoch());
    into.add(Metric.QUORUM_VOTERS, v.voters());
    if (!Double.isNaN(v.commitLatencyAvgMs())) {
      into.add(Metric.COMMIT_LATENCY_AVG, v.commitLatencyAvgMs());
      into.add(Metric.COMMIT_LATENCY_MAX, v.commitLatencyMaxMs());
    }
  }
}
