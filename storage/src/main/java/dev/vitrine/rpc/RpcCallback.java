package dev.vitrine.rpc;

import dev.vitrine.protocol.ApiMessage;
import io.netty.buffer.ByteBuf;

/**
 * Hears the end of one request: exactly one of the two calls, on the client's shard, never from
 * within {@code send}.
 */
public interface RpcCallback {
  /**
   * The answer.
   *
   * @param version what it was read in
   * @param frame what it was read from. Records of the response are slices of it: they live until
   *     this method returns, or until the frame is released where the method has retained it
   */
  void completed(ApiMessage response, short version, ByteBuf frame);

  /** There will be no answer. The other side may or may not have done what was asked. */
  void failed(RpcFailure failure);
}
