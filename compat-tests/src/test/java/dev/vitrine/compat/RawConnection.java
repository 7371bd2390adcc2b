package dev.vitrine.compat;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.util.Optional;
import org.apache.kafka.common.message.RequestHeaderData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.requests.RequestHeader;
import org.apache.kafka.common.requests.RequestUtils;

/** A client that sends whatever bytes it is told to. */
public final class RawConnection implements AutoCloseable {
  private final Socket socket;
  private final DataInputStream in;
  private final DataOutputStream out;
  private int correlationId = 100;

  public RawConnection(int port) throws IOException {
    socket = new Socket("127.0.0.1", port);
    socket.setSoTimeout((int) Await.LIMIT.toMillis());
    in = new DataInputStream(socket.getInputStream());
    out = new DataOutputStream(socket.getOutputStream());
  }

  /** Bytes as they are, without a length in front. */
  public void send(byte[] bytes) throws IOException {
    out.write(bytes);
    out.flush();
  }

  public void sendFrame(byte[] frame) throws IOException {
    ByteBuffer all = ByteBuffer.allocate(4 + frame.length);
    send(all.putInt(frame.length).put(frame).array());
  }

  /** The next answer, without its length; empty if the node has closed the connection. */
  public Optional<ByteBuffer> receive() throws IOException {
    try {
      byte[] answer = new byte[in.readInt()];
      in.readFully(answer);
      return Optional.of(ByteBuffer.wrap(answer));
    } catch (EOFException | SocketException e) {
      return Optional.empty();
    }
  }

  /** A request as its bytes are, header and body. */
  static byte[] request(ApiKeys api, short version, int correlationId, ApiMessage body) {
    RequestHeader header = new RequestHeader(api, version, "raw", correlationId);
    ByteBuffer bytes = RequestUtils.serialize(header.data(), header.headerVersion(), body, version);
    byte[] frame = new byte[bytes.remaining()];
    bytes.get(frame);
    return frame;
  }

  /** A header (v2) for an API or version that doesn't exist, and nothing after it. */
  static byte[] header(int api, int version, int correlationId) {
    RequestHeaderData header =
        new RequestHeaderData()
            .setRequestApiKey((short) api)
            .setRequestApiVersion((short) version)
            .setCorrelationId(correlationId)
            .setClientId("raw");
    ByteBuffer bytes =
        org.apache.kafka.common.protocol.MessageUtil.toByteBufferAccessor(header, (short) 2)
            .buffer();
    byte[] frame = new byte[bytes.remaining()];
    bytes.get(frame);
    return frame;
  }

  /** Sends a request and reads its answer into {@code answer}. */
  <T extends ApiMessage> T ask(ApiKeys api, int version, ApiMessage body, T answer)
      throws IOException {
    sendFrame(request(api, (short) version, ++correlationId, body));
    ByteBuffer bytes =
        receive().orElseThrow(() -> new AssertionError("closed instead of answered"));
    if (bytes.getInt() != correlationId) {
      throw new AssertionError("the answer to another request");
    }
    if (api.responseHeaderVersion((short) version) > 0) {
      bytes.get(); // no tags
    }
    answer.read(new ByteBufferAccessor(bytes), (short) version);
    return answer;
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
