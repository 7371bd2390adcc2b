package dev.vitrine.tools;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * Asks one node, over its client port, how it sees the cluster. One connection, plain blocking
 * socket, used by one thread.
 *
 * <p>The two requests are written out by hand, in old and plain versions, rather than with the
 * generated messages: `up` asks before anything else can happen, and loading the message classes
 * and Netty's buffers for them would be a good part of its time.
 */
final class NodeProbe implements AutoCloseable {
  private static final int TIMEOUT_MS = 2_000;
  private static final int MAX_ANSWER = 1 << 20;
  private static final short METADATA = 3;
  private static final short METADATA_VERSION = 2;
  private static final short DESCRIBE_QUORUM = 55;
  private static final short DESCRIBE_QUORUM_VERSION = 0;
  private static final String METADATA_TOPIC = "__cluster_metadata";

  /**
   * @param clusterId as the node answers it
   * @param brokers ids of the brokers that are registered and not fenced
   */
  record View(String clusterId, SortedSet<Integer> brokers) {}

  private final Socket socket = new Socket();
  private int correlationId;

  private NodeProbe(int port) throws IOException {
    try {
      socket.connect(new InetSocketAddress(ClusterPlan.HOST, port), TIMEOUT_MS);
      socket.setSoTimeout(TIMEOUT_MS);
      socket.setTcpNoDelay(true);
    } catch (IOException e) {
      socket.close();
      throw e;
    }
  }

  /** What the node at this port sees; empty while it does not answer. */
  static Optional<View> view(int port) {
    try (NodeProbe probe = new NodeProbe(port)) {
      return Optional.of(probe.metadata());
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  /** The id of the node that leads the metadata quorum; empty if there is none or no answer. */
  static Optional<Integer> quorumLeader(int port) {
    try (NodeProbe probe = new NodeProbe(port)) {
      return Optional.of(probe.describeQuorum()).filter(leader -> leader >= 0);
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  private View metadata() throws IOException {
    DataInputStream in = ask(METADATA, METADATA_VERSION, out -> out.writeInt(0)); // no topics
    SortedSet<Integer> brokers = new TreeSet<>();
    for (int left = in.readInt(); left > 0; left--) {
      brokers.add(in.readInt());
      string(in); // host
      in.readInt(); // port
      string(in); // rack
    }
    return new View(string(in), brokers);
  }

  private int describeQuorum() throws IOException {
    DataInputStream in =
        ask(
            DESCRIBE_QUORUM,
            DESCRIBE_QUORUM_VERSION,
            out -> {
              out.writeByte(0); // no tags of the header
              out.writeByte(2); // one topic
              out.writeByte(METADATA_TOPIC.length() + 1);
              out.writeBytes(METADATA_TOPIC);
              out.writeByte(2); // one partition
              out.writeInt(0);
              out.writeByte(0); // no tags of the partition
              out.writeByte(0); // nor of the topic
              out.writeByte(0); // nor of the whole
            });
    skipTags(in);
    refuse(in.readShort());
    if (varint(in) != 2) {
      throw new IOException("not one topic");
    }
    compactString(in);
    if (varint(in) != 2) {
      throw new IOException("not one partition");
    }
    in.readInt(); // partition
    refuse(in.readShort());
    return in.readInt();
  }

  private interface Body {
    void writeTo(DataOutputStream out) throws IOException;
  }

  /** Sends a request with header v1, and what else its version wants before and after. */
  private DataInputStream ask(short apiKey, short version, Body body) throws IOException {
    ByteArrayOutputStream frame = new ByteArrayOutputStream();
    DataOutputStream request = new DataOutputStream(frame);
    request.writeShort(apiKey);
    request.writeShort(version);
    request.writeInt(++correlationId);
    byte[] clientId = "vitrine".getBytes(StandardCharsets.UTF_8);
    request.writeShort(clientId.length);
    request.write(clientId);
    body.writeTo(request);

    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    new DataOutputStream(bytes).writeInt(frame.size());
    frame.writeTo(bytes);
    socket.getOutputStream().write(bytes.toByteArray());

    DataInputStream in = new DataInputStream(socket.getInputStream());
    int length = in.readInt();
    if (length < 5 || length > MAX_ANSWER) {
      throw new IOException("not an answer");
    }
    byte[] answer = new byte[length];
    in.readFully(answer);
    DataInputStream response = new DataInputStream(new ByteArrayInputStream(answer));
    if (response.readInt() != correlationId) {
      throw new IOException("not the answer to this request");
    }
    return response;
  }

  private static void refuse(short error) throws IOException {
    if (error != 0) {
      throw new IOException("error " + error);
    }
  }

  private static String string(DataInputStream in) throws IOException {
    return text(in, in.readShort());
  }

  private static String compactString(DataInputStream in) throws IOException {
    return text(in, varint(in) - 1);
  }

  private static String text(DataInputStream in, int length) throws IOException {
    if (length < 0) {
      return null;
    }
    if (length > in.available()) {
      throw new IOException("truncated");
    }
    return new String(in.readNBytes(length), StandardCharsets.UTF_8);
  }

  private static void skipTags(DataInputStream in) throws IOException {
    for (int left = varint(in); left > 0; left--) {
      varint(in);
      in.skipNBytes(varint(in));
    }
  }

  private static int varint(DataInputStream in) throws IOException {
    int value = 0;
    for (int shift = 0; shift < 35; shift += 7) {
      byte b = in.readByte();
      value |= (b & 0x7f) << shift;
      if (b >= 0) {
        return value;
      }
    }
    throw new IOException("not a varint");
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
