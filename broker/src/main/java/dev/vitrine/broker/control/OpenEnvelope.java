package dev.vitrine.broker.control;

import dev.vitrine.broker.api.ApiTable;
import dev.vitrine.protocol.ApiMessage;
import dev.vitrine.protocol.Errors;
import dev.vitrine.protocol.MalformedMessageException;
import dev.vitrine.protocol.message.ApiKeys;
import dev.vitrine.protocol.message.DefaultPrincipalData;
import dev.vitrine.protocol.message.EnvelopeRequest;
import dev.vitrine.protocol.message.RequestHeader;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.function.Predicate;

/**
 * What an Envelope holds, once all of it has been read and found good, in the order in which Kafka
 * looks: who the client is, where it is, what it asks. Immutable.
 *
 * @param principal who asks, as type and name
 * @param address of the client, as text
 */
record OpenEnvelope(
    ApiKeys api, RequestHeader header, ApiMessage request, String principal, String address) {
  private static final int SHORTEST_HEADER = 8;

  /** The envelope is answered with an error of its own. */
  static final class Refused extends Exception {
    private static final long serialVersionUID = 1L;
    private final Errors error;

    Refused(Errors error, String why) {
      super(why, null, false, false);
      this.error = error;
    }

    Errors error() {
      return error;
    }
  }

  /**
   * @param table what the listener serves
   * @param isForwarded what of it may be in an envelope
   */
  static OpenEnvelope open(
      EnvelopeRequest envelope, ApiTable table, Predicate<ApiTable.Entry> isForwarded)
      throws Refused {
    String principal = principal(envelope.requestPrincipal());
    String address = address(envelope.clientHostAddress());
    ByteBuf data = Unpooled.wrappedBuffer(envelope.requestData());
    ApiKeys api = data.readableBytes() < SHORTEST_HEADER ? null : ApiKeys.forId(data.getShort(0));
    if (api == null) {
      throw new Refused(Errors.UNSUPPORTED_VERSION, "it has no header of a known API");
    }
    short version = data.getShort(2);
    ApiTable.Entry entry = table.get(api);
    if (entry == null ? !api.isControllerApi() : !isForwarded.test(entry)) {
      throw new Refused(Errors.INVALID_REQUEST, api + " is not passed on");
    }
    if (entry == null || version < entry.minVersion() || version > entry.maxVersion()) {
      throw new Refused(Errors.UNSUPPORTED_VERSION, api + " " + version + " is not served");
    }
    RequestHeader header = new RequestHeader();
    ApiMessage request = api.newRequest();
    try {
      header.read(data, api.requestHeaderVersion(version));
      request.read(data, version);
    } catch (MalformedMessageException e) {
      throw new Refused(Errors.UNSUPPORTED_VERSION, e.getMessage());
    }
    return new OpenEnvelope(api, header, request, principal, address);
  }

  private static String principal(byte[] bytes) throws Refused {
    ByteBuf in = Unpooled.wrappedBuffer(bytes == null ? new byte[0] : bytes);
    if (in.readableBytes() < Short.BYTES) {
      throw new Refused(Errors.PRINCIPAL_DESERIALIZATION_FAILURE, "it has no principal");
    }
    short version = in.readShort();
    if (version < DefaultPrincipalData.LOWEST_SUPPORTED_VERSION
        || version > DefaultPrincipalData.HIGHEST_SUPPORTED_VERSION) {
      throw new Refused(
          Errors.PRINCIPAL_DESERIALIZATION_FAILURE, "a principal of version " + version);
    }
    try {
      DefaultPrincipalData data = new DefaultPrincipalData();
      data.read(in, version);
      return data.type() + ":" + data.name();
    } catch (MalformedMessageException e) {
      throw new Refused(Errors.PRINCIPAL_DESERIALIZATION_FAILURE, e.getMessage());
    }
  }

  private static String address(byte[] bytes) throws Refused {
    try {
      return "/" + IpAddress.text(bytes);
    } catch (MalformedMessageException e) {
      throw new Refused(Errors.INVALID_REQUEST, e.getMessage());
    }
  }
}
