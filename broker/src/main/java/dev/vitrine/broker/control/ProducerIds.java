package dev.vitrine.broker.control;

import dev.vitrine.protocol.ApiMessage;
import dev.vitrine.protocol.Errors;
import dev.vitrine.protocol.message.AllocateProducerIdsRequest;
import dev.vitrine.protocol.message.AllocateProducerIdsResponse;
import dev.vitrine.rpc.RpcCallback;
import dev.vitrine.rpc.RpcFailure;
import dev.vitrine.rpc.RpcRequest;
import dev.vitrine.seam.Shard;
import io.netty.buffer.ByteBuf;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The producer ids of this broker, from blocks that the controller gives out: no id is ever given
 * twice in a cluster, also not after a restart, where the rest of a block is lost. Belongs to the
 * quorum loop; one request to the controller is on its way at a time. The next block is fetched
 * when a tenth of the current one is left, so that producers rarely wait.
 */
public final class ProducerIds {
  private static final Logger LOG = LoggerFactory.getLogger(ProducerIds.class);
  private static final long TIMEOUT_MS = 10_000;
  private static final long RETRY_MS = 100;

  /** What a waiting producer is told when the controller gives no ids. */
  public static final long NONE = -1;

  private record Block(long first, int length) {}

  private final Shard loop;
  private final ControllerChannel controller;
  private final int brokerId;
  private final LongSupplier brokerEpoch;
  private final Queue<LongConsumer> waiting = new ArrayDeque<>();

  private Block next;
  private long id;
  private long end;
  private long prefetchAt;
  private boolean inFlight;

  public ProducerIds(
      Shard loop, ControllerChannel controller, int brokerId, LongSupplier brokerEpoch) {
    this.loop = loop;
    this.controller = controller;
    this.brokerId = brokerId;
    this.brokerEpoch = brokerEpoch;
  }

  /**
   * Takes an id. From any thread.
   *
   * @param taken gets it, or {@link #NONE}, on the quorum loop
   */
  public void take(LongConsumer taken) {
    if (loop.isCurrent()) {
      takeHere(taken);
    } else {
      loop.execute(() -> takeHere(taken));
    }
  }

  private void takeHere(LongConsumer taken) {
    waiting.add(taken);
    serve();
    if (next == null && id >= prefetchAt) {
      fetch();
    }
  }

  private void serve() {
    while (!waiting.isEmpty()) {
      if (id == end) {
        if (next == null) {
          return;
        }
        id = next.first;
        end = next.first + next.length;
        prefetchAt = end - Math.max(1, next.length / 10);
        next = null;
      }
      waiting.poll().accept(id++);
    }
  }

  private void fetch() {
    if (inFlight) {
      return;
    }
    inFlight = true;
    controller.send(
        RpcRequest.of(
            new AllocateProducerIdsRequest()
                .brokerId(brokerId)
                .brokerEpoch(brokerEpoch.getAsLong())),
        TIMEOUT_MS,
        r -> ((AllocateProducerIdsResponse) r).errorCode() == Errors.NOT_CONTROLLER.code(),
        new RpcCallback() {
          @Override
          public void completed(ApiMessage response, short version, ByteBuf frame) {
            AllocateProducerIdsResponse answer = (AllocateProducerIdsResponse) response;
            Errors error = Errors.forCode(answer.errorCode());
            if (error == Errors.NONE && answer.producerIdLen() > 0) {
              inFlight = false;
              next = new Block(answer.producerIdStart(), answer.producerIdLen());
              serve();
            } else {
              refused(error.toString());
            }
          }

          @Override
          public void failed(RpcFailure failure) {
            refused(failure.message());
          }
        });
  }

  /** Those who wait are told, and come again; the controller is not asked at once again. */
  private void refused(String why) {
    LOG.warn("The controller gives no producer ids: {}", why);
    List<LongConsumer> all = new ArrayList<>(waiting);
    waiting.clear();
    all.forEach(w -> w.accept(NONE));
    loop.schedule(
        RETRY_MS,
        () -> {
          inFlight = false;
          if (!waiting.isEmpty()) {
            fetch();
          }
        });
  }
}
