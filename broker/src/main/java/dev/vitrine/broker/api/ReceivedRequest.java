package dev.vitrine.broker.api;

import dev.vitrine.protocol.ApiMessage;
import dev.vitrine.protocol.MalformedMessageException;
import dev.vitrine.protocol.message.ApiKeys;
import dev.vitrine.protocol.message.RequestHeader;
import io.netty.buffer.ByteBuf;

/**
 * A frame, read: whose API it is and what it says. As with Kafka, bytes behind the message are
 * ignored.
 *
 * @param message null for an ApiVersions request of a version that nobody knows: it is answered all
 *     the same, so that the client can ask again
 */
record ReceivedRequest(ApiTable.Entry entry, RequestHeader header, ApiMessage message) {
  private static final int FIXED_HEADER_BYTES = 8;

  ApiKeys api() {
    return entry.api();
  }

  short version() {
    return header.requestApiVersion();
  }

  /** Whether the frame holds a request of this API, told without reading it. */
  static boolean isOf(ApiKeys api, ByteBuf frame) {
    return frame.readableBytes() >= 2 && frame.getShort(frame.readerIndex()) == api.id();
  }

  /** Reads a frame; its records, if it has any, stay where they are. */
  static ReceivedRequest read(ByteBuf frame, ApiTable table) throws InvalidRequestException {
    RequestHeader header = new RequestHeader();
    ApiKeys api = readHeader(frame, header);
    short version = header.requestApiVersion();
    ApiTable.Entry entry = table.get(api);
    boolean known = version >= api.lowestVersion() && version <= api.highestVersion();
    if (entry != null && entry.serves(version)) {
      return new ReceivedRequest(entry, header, readMessage(frame, api, version));
    }
    if (entry != null && api == ApiKeys.API_VERSIONS) {
      return new ReceivedRequest(entry, header, null);
    }
    throw new InvalidRequestException(
        known && entry == null
            ? "Received request for disabled api with key "
                + (api.id() + " (" + api + ") and version " + version)
            : "Received request for api with key "
                + (api.id() + " (" + api + ") and unsupported version " + version));
  }

  private static ApiKeys readHeader(ByteBuf frame, RequestHeader header)
      throws InvalidRequestException {
    int start = frame.readerIndex();
    short key = frame.readableBytes() >= 2 ? frame.getShort(start) : -1;
    ApiKeys api = ApiKeys.forId(key);
    String why;
    if (frame.readableBytes() < FIXED_HEADER_BYTES) {
      why = "only " + frame.readableBytes() + " bytes";
    } else if (api == null) {
      why = "Unexpected api key: " + key;
    } else {
      try {
        header.read(frame, api.requestHeaderVersion(frame.getShort(start + 2)));
        return api;
      } catch (MalformedMessageException e) {
        why = e.getMessage();
      }
    }
    throw new InvalidRequestException(
        "Error parsing request header. Our best guess of the apiKeyId is: " + key + ": " + why);
  }

  private static ApiMessage readMessage(ByteBuf frame, ApiKeys api, short version)
      throws InvalidRequestException {
    ApiMessage message = api.newRequest();
    try {
      message.read(frame, version);
      return message;
    } catch (MalformedMessageException e) {
      throw new InvalidRequestException(
          "Error getting request for apiKey: "
              + (api + ", apiVersion: " + version + ": " + e.getMessage()));
    }
  }
}
