package dev.vitrine.broker.control;

import dev.vitrine.protocol.ApiMessage;
import dev.vitrine.rpc.RpcCallback;
import dev.vitrine.rpc.RpcClient;
import dev.vitrine.rpc.RpcFailure;
import dev.vitrine.rpc.RpcFailure.Kind;
import dev.vitrine.rpc.RpcRequest;
import dev.vitrine.seam.Endpoint;
import dev.vitrine.seam.Shard;
import io.netty.buffer.ByteBuf;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * One shard's way to the active controller, wherever that is by now: sends a request again, to the
 * new one, until it is answered or its time is over. Belongs to the shard. It reads nothing of the
 * answers but whether the controller was one.
 */
public final class ControllerChannel {
  private static final long RETRY_MS = 50;

  private final Shard shard;
  private final RpcClient client;
  private final Supplier<Endpoint> active;
  private final long attemptMs;

  /**
   * @param active where the active controller is believed to be, or null; read on every attempt
   * @param attemptMs how long one attempt may take ({@code controller.quorum.request.timeout.ms})
   */
  public ControllerChannel(
      Shard shard, RpcClient client, Supplier<Endpoint> active, long attemptMs) {
    this.shard = shard;
    this.client = client;
    this.active = active;
    this.attemptMs = attemptMs;
  }

  /**
   * @param notController whether an answer says that its sender is not the active controller: then
   *     another one is asked
   */
  public void send(
      RpcRequest request,
      long timeoutMs,
      Predicate<ApiMessage> notController,
      RpcCallback callback) {
    new Attempt(request, shard.ticks() + timeoutMs, notController, callback).start();
  }

  private final class Attempt implements RpcCallback {
    private final RpcRequest request;
    private final long deadline;
    private final Predicate<ApiMessage> notController;
    private final RpcCallback callback;

    Attempt(
        RpcRequest request,
        long deadline,
        Predicate<ApiMessage> notController,
        RpcCallback callback) {
      this.request = request;
      this.deadline = deadline;
      this.notController = notController;
      this.callback = callback;
    }

    void start() {
      long left = deadline - shard.ticks();
      Endpoint to = active.get();
      if (left <= 0) {
        callback.failed(
            new RpcFailure(Kind.TIMED_OUT, "No active controller answered in time", null));
      } else if (to == null) {
        again();
      } else {
        client.send(to, request, Math.min(left, attemptMs), this);
      }
    }

    private void again() {
      shard.schedule(Math.max(1, Math.min(RETRY_MS, deadline - shard.ticks())), this::start);
    }

    @Override
    public void completed(ApiMessage response, short version, ByteBuf frame) {
      if (notController.test(response)) {
        again();
      } else {
        callback.completed(response, version, frame);
      }
    }

    @Override
    public void failed(RpcFailure failure) {
      if (failure.kind() == Kind.DISCONNECTED || failure.kind() == Kind.TIMED_OUT) {
        again();
      } else {
        callback.failed(failure);
      }
    }
  }
}
