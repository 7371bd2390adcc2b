package dev.vitrine.broker.replication;

import dev.vitrine.protocol.ApiMessage;
import dev.vitrine.protocol.Errors;
import dev.vitrine.protocol.message.ListOffsetsRequest;
import dev.vitrine.protocol.message.ListOffsetsRequest.ListOffsetsPartition;
import dev.vitrine.protocol.message.ListOffsetsRequest.ListOffsetsTopic;
import dev.vitrine.protocol.message.ListOffsetsResponse;
import dev.vitrine.protocol.message.ListOffsetsResponse.ListOffsetsPartitionResponse;
import dev.vitrine.rpc.RpcCallback;
import dev.vitrine.rpc.RpcChannel;
import dev.vitrine.rpc.RpcFailure;
import dev.vitrine.seam.Shard;
import io.netty.buffer.ByteBuf;
import java.util.List;
import java.util.function.LongConsumer;

/**
 * What a follower does when its log end is outside the leader's log. Beyond the leader's end (after
 * an unclean election): cut back to that end. Before the leader's start (away longer than the
 * retention): begin anew at that start. Belongs to a fetcher, whose connection it uses.
 */
final class OutOfRange {
  private static final long LATEST = -1;
  private static final long EARLIEST = -2;

  private final FetcherOptions options;
  private final Shard shard;
  private final RpcChannel channel;
  private final Runnable resume;

  /**
   * @param resume called when a partition may be fetched again
   */
  OutOfRange(FetcherOptions options, Shard shard, RpcChannel channel, Runnable resume) {
    this.options = options;
    this.shard = shard;
    this.channel = channel;
    this.resume = resume;
  }

  void resolve(FollowedPartition f, int partition) {
    f.delayUntil(Long.MAX_VALUE);
    ask(
        f,
        partition,
        LATEST,
        latest -> {
          if (latest < f.partition.logEndOffset()) {
            f.partition.following().truncateTo(latest);
            f.delayUntil(0);
            resume.run();
          } else {
            ask(f, partition, EARLIEST, earliest -> restart(f, earliest));
          }
        });
  }

  private void restart(FollowedPartition f, long earliest) {
    if (earliest > f.partition.logEndOffset()) {
      f.partition.following().truncateFullyAndStartAt(earliest);
    }
    f.delayUntil(0);
    resume.run();
  }

  private void ask(FollowedPartition f, int partition, long timestamp, LongConsumer answered) {
    ListOffsetsPartition p =
        new ListOffsetsPartition()
            .partitionIndex(partition)
            .currentLeaderEpoch(f.leaderEpoch)
            .timestamp(timestamp);
    ListOffsetsRequest request =
        new ListOffsetsRequest()
            .replicaId(options.brokerId())
            .topics(
                List.of(
                    new ListOffsetsTopic()
                        .name(f.partition.name().topic())
                        .partitions(List.of(p))));
    channel.send(
        request,
        options.fetching().socketTimeoutMs(),
        new RpcCallback() {
          @Override
          public void completed(ApiMessage message, short version, ByteBuf frame) {
            ListOffsetsPartitionResponse r =
                ((ListOffsetsResponse) message).topics().get(0).partitions().get(0);
            if (!f.partition.following().isOf(f.leaderEpoch)) {
              return;
            }
            if (r.errorCode() != Errors.NONE.code()) {
              retryLater();
            } else {
              answered.accept(r.offset());
            }
          }

          @Override
          public void failed(RpcFailure failure) {
            retryLater();
          }

          private void retryLater() {
            f.delayUntil(shard.ticks() + options.fetching().backoffMs());
            resume.run();
          }
        });
  }
}
