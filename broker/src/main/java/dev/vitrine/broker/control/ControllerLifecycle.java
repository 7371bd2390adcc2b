package dev.vitrine.broker.control;

import dev.vitrine.metadata.ControllerRegistration;
import dev.vitrine.protocol.ApiMessage;
import dev.vitrine.protocol.Errors;
import dev.vitrine.protocol.message.ControllerRegistrationRequest;
import dev.vitrine.protocol.message.ControllerRegistrationResponse;
import dev.vitrine.rpc.RpcCallback;
import dev.vitrine.rpc.RpcFailure;
import dev.vitrine.rpc.RpcRequest;
import dev.vitrine.seam.Shard;
import io.netty.buffer.ByteBuf;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes this controller known to the active one (KIP-919), once for each start of the process.
 * Belongs to the quorum loop; done when the registration is in the metadata.
 */
public final class ControllerLifecycle {
  private static final Logger LOG = LoggerFactory.getLogger(ControllerLifecycle.class);
  private static final long TIMEOUT_MS = 5_000;
  private static final long RETRY_MS = 200;

  private final ControllerRegistrationRequest registration;
  private final Shard shard;
  private final ControllerChannel controller;
  private final Metadata metadata;

  public ControllerLifecycle(
      ControllerRegistrationRequest registration,
      Shard shard,
      ControllerChannel controller,
      Metadata metadata) {
    this.registration = registration;
    this.shard = shard;
    this.controller = controller;
    this.metadata = metadata;
  }

  public void start() {
    ControllerRegistration known =
        metadata.get().cluster().controllers().get(registration.controllerId());
    if (known != null && known.incarnationId().equals(registration.incarnationId())) {
      return;
    }
    controller.send(
        RpcRequest.of(registration),
        TIMEOUT_MS,
        r -> ((ControllerRegistrationResponse) r).errorCode() == Errors.NOT_CONTROLLER.code(),
        new RpcCallback() {
          @Override
          public void completed(ApiMessage message, short version, ByteBuf frame) {
            ControllerRegistrationResponse response = (ControllerRegistrationResponse) message;
            if (response.errorCode() != Errors.NONE.code()) {
              LOG.warn(
                  "Not registered as a controller yet: {} {}",
                  Errors.forCode(response.errorCode()),
                  response.errorMessage());
              shard.schedule(RETRY_MS, ControllerLifecycle.this::start);
            }
          }

          @Override
          public void failed(RpcFailure failure) {
            LOG.debug("Not registered as a controller yet: {}", failure.message());
            shard.schedule(RETRY_MS, ControllerLifecycle.this::start);
          }
        });
  }
}
