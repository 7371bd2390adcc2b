package dev.vitrine.broker.control;

import dev.vitrine.protocol.ApiMessage;
import dev.vitrine.protocol.Errors;
import dev.vitrine.rpc.RpcCallback;
import dev.vitrine.rpc.RpcFailure;
import dev.vitrine.rpc.RpcRequest;
import dev.vitrine.seam.Shard;
import io.netty.buffer.ByteBuf;
import java.util.LinkedHashMap;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What one shard has to tell the controller and has no answer to yet: by key, the newest each. One
 * request is in flight, with what has gathered meanwhile; without an answer it is sent again, to
 * whoever is the controller by then. Belongs to the shard. What the answers mean is the {@link
 * Form}'s.
 */
final class Untold<K, V> {
  private static final Logger LOG = LoggerFactory.getLogger(Untold.class);
  private static final long TIMEOUT_MS = 10_000;

  /** How it is said. Called on the shard. */
  interface Form<K, V> {
    ApiMessage request(Map<K, V> entries);

    /** The error of the answer as a whole. */
    short errorCode(ApiMessage response);

    /**
     * The controller has answered, not with an error as a whole: {@link Untold#remove} what needs
     * no more telling.
     *
     * @return whether the rest is to wait a moment before it is told again
     */
    boolean answered(ApiMessage response, Map<K, V> sent);
  }

  private final String what;
  private final Shard shard;
  private final ControllerChannel controller;
  private final Form<K, V> form;
  private final long retryMs;
  private final int mostAtOnce;
  private final Map<K, V> entries = new LinkedHashMap<>();
  private boolean inFlight;

  /**
   * @param what for log lines
   */
  Untold(
      String what,
      Shard shard,
      ControllerChannel controller,
      Form<K, V> form,
      long retryMs,
      int mostAtOnce) {
    this.what = what;
    this.shard = shard;
    this.controller = controller;
    this.form = form;
    this.retryMs = retryMs;
    this.mostAtOnce = mostAtOnce;
  }

  /** To be told, in place of what was to be told under this key. */
  void put(K key, V value) {
    entries.put(key, value);
    // Later: what comes together is told together.
    shard.execute(this::send);
  }

  /** Null if nothing is to be told. */
  V get(K key) {
    return entries.get(key);
  }

  /** Not to be told any more, unless there is a newer one. */
  boolean remove(K key, V value) {
    return entries.remove(key, value);
  }

  private void send() {
    if (inFlight || entries.isEmpty()) {
      return;
    }
    inFlight = true;
    Map<K, V> sent = new LinkedHashMap<>();
    for (Map.Entry<K, V> e : entries.entrySet()) {
      if (sent.size() == mostAtOnce) {
        break;
      }
      sent.put(e.getKey(), e.getValue());
    }
    controller.send(
        RpcRequest.of(form.request(sent)),
        TIMEOUT_MS,
        r -> form.errorCode(r) == Errors.NOT_CONTROLLER.code(),
        new RpcCallback() {
          @Override
          public void completed(ApiMessage response, short version, ByteBuf frame) {
            inFlight = false;
            answered(response, sent);
          }

          @Override
          public void failed(RpcFailure failure) {
            inFlight = false;
            LOG.warn("{} of {} partitions are not told: {}", what, sent.size(), failure.message());
            sendLater();
          }
        });
  }

  private void answered(ApiMessage response, Map<K, V> sent) {
    Errors all = Errors.forCode(form.errorCode(response));
    if (all != Errors.NONE) {
      LOG.warn("The controller refuses {} of {} partitions: {}", what, sent.size(), all);
      sendLater();
    } else if (form.answered(response, sent)) {
      sendLater();
    } else {
      send();
    }
  }

  private void sendLater() {
    shard.schedule(retryMs, this::send);
  }
}
