package dev.vitrine.quorum;

import dev.vitrine.protocol.ApiMessage;
import dev.vitrine.protocol.FrameWriter;
import dev.vitrine.protocol.message.ApiKeys;
import dev.vitrine.protocol.message.ApiVersionsResponse;
import dev.vitrine.protocol.message.RequestHeader;
import dev.vitrine.protocol.message.ResponseHeader;
import dev.vitrine.seam.Connection;
import dev.vitrine.seam.ConnectionListener;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.util.ArrayDeque;
import java.util.List;

/**
 * The controller listener of a simulated node: frames to messages, one at a time per connection.
 */
final class SimQuorumServer implements ConnectionListener {
  /** What answers; given one request at a time. */
  interface Handler {
    void handle(ApiMessage request, short version, Answer answer);
  }

  interface Answer {
    void send(ApiMessage response);
  }

  private static final List<ApiKeys> SERVED =
      List.of(
          ApiKeys.FETCH,
          ApiKeys.API_VERSIONS,
          ApiKeys.VOTE,
          ApiKeys.BEGIN_QUORUM_EPOCH,
          ApiKeys.END_QUORUM_EPOCH,
          ApiKeys.DESCRIBE_QUORUM,
          ApiKeys.FETCH_SNAPSHOT,
          ApiKeys.ADD_RAFT_VOTER,
          ApiKeys.REMOVE_RAFT_VOTER,
          ApiKeys.UPDATE_RAFT_VOTER);

  private final Handler handler;
  private final ArrayDeque<ByteBuf> waiting = new ArrayDeque<>();
  private boolean busy;

  SimQuorumServer(Handler handler) {
    this.handler = handler;
  }

  @Override
  public void received(Connection connection, ByteBuf frame) {
    waiting.add(frame);
    next(connection);
  }

  private void next(Connection connection) {
    while (!busy && !waiting.isEmpty()) {
      ByteBuf frame = waiting.poll();
      ApiKeys api = ApiKeys.forId(frame.getShort(frame.readerIndex()));
      short version = frame.getShort(frame.readerIndex() + 2);
      RequestHeader header = new RequestHeader();
      header.read(frame, api.requestHeaderVersion(version));
      ApiMessage request = api.newRequest();
      request.read(frame, version);
      busy = true;
      Answer answer =
          response -> {
            connection.send(
                FrameWriter.frame(
                    UnpooledByteBufAllocator.DEFAULT,
                    new ResponseHeader().correlationId(header.correlationId()),
                    api.responseHeaderVersion(version),
                    response,
                    version));
            busy = false;
            next(connection);
          };
      if (api == ApiKeys.API_VERSIONS) {
        answer.send(versions());
      } else {
        handler.handle(request, version, answer);
      }
    }
  }

  private static ApiVersionsResponse versions() {
    ApiVersionsResponse r = new ApiVersionsResponse();
    r.supportedFeatures()
        .add(
            new ApiVersionsResponse.SupportedFeatureKey()
                .name(QuorumConfig.KRAFT_VERSION)
                .minVersion((short) 0)
                .maxVersion((short) 1));
    for (ApiKeys api : SERVED) {
      r.apiKeys()
          .add(
              new ApiVersionsResponse.ApiVersion()
                  .apiKey(api.id())
                  .minVersion(api.lowestVersion())
                  .maxVersion(api.highestVersion()));
    }
    return r;
  }

  @Override
  public void closed(Connection connection, Throwable cause) {
    waiting.clear();
  }
}
