package dev.vitrine.tools;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Properties;

/**
 * Stands in for a node's process: takes clients on its port and answers, to the two questions that
 * {@link NodeProbe} asks, that all voters are there. Keys {@code fake.*} make it misbehave.
 */
final class FakeNode {
  private final int nodes;

  private FakeNode(int nodes) {
    this.nodes = nodes;
  }

  public static void main(String[] args) throws IOException {
    Properties properties = Configuration.read(Path.of(args[0]));
    System.out.println("fake node " + properties.getProperty("node.id") + " starts");
    if (properties.getProperty("fake.dies", "").equals(properties.getProperty("node.id"))) {
      System.out.println("what fake node died of");
      System.exit(1);
    }
    boolean deaf =
        properties.getProperty("fake.deaf", "").equals(properties.getProperty("node.id"));
    Runtime.getRuntime().addShutdownHook(new Thread(() -> end(deaf)));
    String listener = properties.getProperty("listeners").split(",")[0];
    int port = Integer.parseInt(listener.substring(listener.lastIndexOf(':') + 1));
    FakeNode node =
        new FakeNode(properties.getProperty("controller.quorum.voters").split(",").length);
    try (ServerSocket server =
        new ServerSocket(port, 50, InetAddress.getByName(ClusterPlan.HOST))) {
      while (true) {
        try (Socket socket = server.accept()) {
          node.answer(socket);
        } catch (IOException e) {
          System.out.println("a client left: " + e);
        }
      }
    }
  }

  private static void end(boolean deaf) {
    if (deaf) {
      try {
        Thread.sleep(Long.MAX_VALUE);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
    System.out.println("fake node stops");
    Runtime.getRuntime().halt(0);
  }

  private void answer(Socket socket) throws IOException {
    DataInputStream in = new DataInputStream(socket.getInputStream());
    byte[] request = new byte[in.readInt()];
    in.readFully(request);
    boolean metadata = request[1] == 3;
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    DataOutputStream out = new DataOutputStream(bytes);
    out.write(request, 4, 4); // correlation id
    if (metadata) {
      out.writeInt(nodes);
      for (int id = 1; id <= nodes; id++) {
        out.writeInt(id);
        out.writeUTF(ClusterPlan.HOST);
        out.writeInt(1);
        out.writeShort(-1);
      }
      out.writeUTF("the-cluster");
    } else {
      out.writeByte(0);
      out.writeShort(0);
      out.writeByte(2);
      string(out, "__cluster_metadata");
      out.writeByte(2);
      out.writeInt(0);
      out.writeShort(0);
      out.writeInt(nodes);
    }
    DataOutputStream wire = new DataOutputStream(socket.getOutputStream());
    wire.writeInt(bytes.size());
    bytes.writeTo(wire);
  }

  private static void string(DataOutputStream out, String text) throws IOException {
    out.writeByte(text.length() + 1);
    out.write(text.getBytes(StandardCharsets.UTF_8));
  }
}
