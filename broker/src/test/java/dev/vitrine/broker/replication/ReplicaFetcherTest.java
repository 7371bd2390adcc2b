package dev.vitrine.broker.replication;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.vitrine.broker.partition.Assignment;
import dev.vitrine.broker.partition.BatchAppender;
import dev.vitrine.broker.partition.Partition;
import dev.vitrine.broker.partition.PartitionContext;
import dev.vitrine.broker.partition.TopicSettings;
import dev.vitrine.config.ReplicationSettings;
import dev.vitrine.protocol.ApiMessage;
import dev.vitrine.protocol.Errors;
import dev.vitrine.protocol.FrameWriter;
import dev.vitrine.protocol.TopicPartition;
import dev.vitrine.protocol.Uuid;
import dev.vitrine.protocol.message.ApiKeys;
import dev.vitrine.protocol.message.ApiVersionsResponse;
import dev.vitrine.protocol.message.FetchRequest;
import dev.vitrine.protocol.message.FetchResponse;
import dev.vitrine.protocol.message.RequestHeader;
import dev.vitrine.protocol.message.ResponseHeader;
import dev.vitrine.protocol.record.AppendRules;
import dev.vitrine.protocol.record.Records;
import dev.vitrine.rpc.RpcClient;
import dev.vitrine.rpc.RpcOptions;
import dev.vitrine.seam.Connection;
import dev.vitrine.seam.ConnectionListener;
import dev.vitrine.seam.Endpoint;
import dev.vitrine.sim.SimNetwork;
import dev.vitrine.sim.SimShard;
import dev.vitrine.sim.SimWorld;
import dev.vitrine.storage.Log;
import dev.vitrine.storage.LogConfig;
import dev.vitrine.storage.LogDirectory;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** When a follower asks its leader, on simulated time; the leader here answers by hand. */
class ReplicaFetcherTest {
  private static final Endpoint AT = new Endpoint("leader", 9092);
  private static final int LEADER = 1;
  private static final int FOLLOWER = 2;
  private static final short FETCH_VERSION = 17;
  private static final LogConfig CONFIG = LogConfig.builder().build();

  private final SimWorld world = new SimWorld(1);
  private final SimNetwork wires = new SimNetwork(world);
  private final SimShard shard = world.newShard("follower");
  private final SimShard leadersShard = world.newShard("leader");
  private final LogDirectory directory = LogDirectory.open(world.newDisk(), Path.of("/data"));
  private final ReplicaFetcher fetcher;

  /** What the leader has got: "ApiVersions", or the partitions that a Fetch names. */
  private final List<String> asked = new ArrayList<>();

  private final List<Consumer<FetchResponse>> answers = new ArrayList<>();

  ReplicaFetcherTest() {
    wires.host("leader").listen(AT, List.of(leadersShard), 1 << 20, (c, s) -> new Leader());
    fetcher =
        new ReplicaFetcher(
            new FetcherOptions(
                FOLLOWER,
                () -> 5,
                new ReplicationSettings.Fetching(1 << 20, 1, 30_000, 1 << 20, 1_000, 60_000),
                false,
                false),
            shard,
            new RpcClient(shard, wires.host("follower"), RpcOptions.of("follower")).channel(AT),
            LEADER);
  }

  private final class Leader implements ConnectionListener {
    @Override
    public void received(Connection c, ByteBuf frame) {
      ApiKeys api = ApiKeys.forId(frame.getShort(frame.readerIndex()));
      RequestHeader header = new RequestHeader();
      header.read(frame, api.requestHeaderVersion(frame.getShort(frame.readerIndex() + 2)));
      if (api == ApiKeys.FETCH) {
        FetchRequest request = new FetchRequest();
        request.read(frame, header.requestApiVersion());
        asked.add(names(request));
        answers.add(response -> answer(c, header, api, response));
      } else if (!answers.isEmpty()) {
        asked.add("ApiVersions"); // its turn would come after that of the fetch
      } else {
        ApiVersionsResponse versions = new ApiVersionsResponse();
        for (ApiKeys known : List.of(ApiKeys.FETCH, ApiKeys.API_VERSIONS)) {
          versions
              .apiKeys()
              .add(
                  new ApiVersionsResponse.ApiVersion()
                      .apiKey(known.id())
                      .maxVersion(known == ApiKeys.FETCH ? FETCH_VERSION : 4));
        }
        answer(c, header, api, versions);
      }
      frame.release();
    }

    private String names(FetchRequest request) {
      List<Integer> partitions = new ArrayList<>();
      request.topics().forEach(t -> t.partitions().forEach(p -> partitions.add(p.partition())));
      return partitions.toString();
    }

    @Override
    public void closed(Connection c, Throwable cause) {}
  }

  private static void answer(Connection c, RequestHeader header, ApiKeys api, ApiMessage answer) {
    c.send(
        FrameWriter.frame(
            ByteBufAllocator.DEFAULT,
            new ResponseHeader().correlationId(header.correlationId()),
            api.responseHeaderVersion(header.requestApiVersion()),
            answer,
            header.requestApiVersion()));
  }

  private void follow(int index) {
    TopicPartition name = new TopicPartition("t", index);
    Uuid id = new Uuid(7, 8);
    shard.run(
        () -> {
          Log log = directory.openOrCreate(name, id, CONFIG, shard);
          PartitionContext context =
              new PartitionContext(
                  shard,
                  FOLLOWER,
                  () -> 5,
                  10_000,
                  null,
                  null,
                  new BatchAppender(shard, UnpooledByteBufAllocator.DEFAULT),
                  l -> Uuid.ZERO,
                  p -> {});
          TopicSettings settings = new TopicSettings(CONFIG, AppendRules.DEFAULTS, 1);
          Partition p = new Partition(context, id, name, log, settings, 0);
          p.apply(new Assignment(List.of(1, 2), List.of(1, 2), LEADER, 3, 3));
          fetcher.add(p, 3);
        });
  }

  @Test
  void whoIsNewEndsTheWaitOfTheOthers() {
    follow(0);
    world.runFor(1_000);
    assertEquals(List.of("[0]"), asked);
    follow(1);
    follow(2);
    world.runFor(1_000);
    assertEquals(List.of("[0]", "ApiVersions"), asked, "one is enough");
  }

  @Test
  void aLeaderThatDoesNotKnowYetIsAskedAgainSoon() {
    follow(0);
    world.runFor(100);
    assertEquals(List.of("[0]"), asked);
    for (int round = 0; round < 3; round++) {
      refuse(round);
      world.runFor(60); // far less than replica.fetch.backoff.ms
      assertEquals(round + 2, asked.size());
    }
    for (int round = 3; round < 12; round++) {
      refuse(round);
      world.runFor(1_100);
    }
    int before = asked.size();
    refuse(before - 1);
    world.runFor(800);
    assertEquals(before, asked.size(), "less and less often");
  }

  private void refuse(int request) {
    FetchResponse.PartitionData data =
        new FetchResponse.PartitionData()
            .partitionIndex(0)
            .errorCode(Errors.UNKNOWN_LEADER_EPOCH.code())
            .records(Records.EMPTY);
    FetchResponse response = new FetchResponse().sessionId(77);
    response
        .responses()
        .add(
            new FetchResponse.FetchableTopicResponse()
                .topicId(new Uuid(7, 8))
                .partitions(List.of(data)));
    leadersShard.run(() -> answers.get(request).accept(response));
  }
}
