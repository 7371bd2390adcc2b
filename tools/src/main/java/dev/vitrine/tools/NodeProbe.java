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
 * <p>The two requests are written out by hand, each in its version 0, rather than with the
 * generated messages: `up` asks before anything else can happen, and loading the message classes
 * and Netty's buffers for them would be a good part of its time.
 */
final class NodeProbe implements AutoCloseable {
  private static final int TIMEOUT_MS = 2_000;
  private static final int MAX_ANSWER = 1 << 20;
  private static final short DESCRIBE_CLUSTER = 60;
  private static final short DESCRIBE_QUORUM = 55;
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
      return Optional.of(probe.describeCluster());
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

  private View describeCluster() throws IOException {
    DataInputStream in = ask(DESCRIBE_CLUSTER, out -> out.writeByte(0));
    in.readInt(); // throttle time
    refuse(in.readShort());
    compactString(in); // error message
    String clusterId = compactString(in);
    in.readInt(); // controller
    SortedSet<Integer> brokers = new TreeSet<>();
    for (int left = varint(in) - 1; left > 0; left--) {
      brokers.add(in.readInt());
      compactString(in); // host
      in.readInt(); // port
      compactString(in); // rack
      skipTags(in);
    }
    return new View(clusterId, brokers);
  }

  private int describeQuorum() throws IOException {
    DataInputStream in =
        ask(
            DESCRIBE_QUORUM,
            out -> {
              out.writeByte(2); // one topic
              out.writeByte(METADATA_TOPIC.length() + 1);
              out.writeBytes(METADATA_TOPIC);
              out.writeByte(2); // one partition
              out.writeInt(0);
              out.writeByte(0); // no tags of the partition
              out.writeByte(0); // nor of the topic
            });
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

  /** Sends a request of version 0 with header v2; returns the answer's body after header v1. */
  private DataInputStream ask(short apiKey, Body body) throws IOException {
    ByteArrayOutputStream frame = new ByteArrayOutputStream();
    DataOutputStream request = new DataOutputStream(frame);
    request.writeShort(apiKey);
    request.writeShort(0);
    request.writeInt(++correlationId);
    byte[] clientId = "vitrine".getBytes(StandardCharsets.UTF_8);
    request.writeShort(clientId.length);
    request.write(clientId);
    request.writeByte(0); // no tags of the header
    body.writeTo(request);
    request.writeByte(0); // nor of the body

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
    skipTags(response);
    return response;
  }

  private static void refuse(short error) throws IOException {
    if (error != 0) {
      throw new IOException("error " + error);
    }
  }

  private static String compactString(DataInputStream in) throws IOException {
    int length = varint(in) - 1;
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
