package dev.vitrine.broker.api;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.net.SocketException;
import java.util.HexFormat;

/** A plain socket that says what it likes. */
final class RawClient implements AutoCloseable {
  final Socket socket;
  private final DataInputStream in;

  RawClient(int port) {
    try {
      socket = new Socket("127.0.0.1", port);
      socket.setTcpNoDelay(true);
      socket.setSoTimeout(30_000);
      in = new DataInputStream(socket.getInputStream());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Bytes by hand. */
  static final class Bytes {
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private final DataOutputStream out = new DataOutputStream(bytes);

    /** The header in version 1: key, version, correlation id, client id. */
    static Bytes header(int key, int version, int correlationId) {
      return new Bytes().i16(key).i16(version).i32(correlationId).i16(3).raw("cli");
    }

    /** The header in version 2. */
    static Bytes flexibleHeader(int key, int version, int correlationId) {
      return header(key, version, correlationId).i8(0);
    }

    Bytes i8(int v) {
      return write(() -> out.writeByte(v));
    }

    Bytes i16(int v) {
      return write(() -> out.writeShort(v));
    }

    Bytes i32(int v) {
      return write(() -> out.writeInt(v));
    }

    Bytes i64(long v) {
      return write(() -> out.writeLong(v));
    }

    Bytes raw(String v) {
      return write(() -> out.writeBytes(v));
    }

    Bytes raw(byte[] v) {
      return write(() -> out.write(v));
    }

    Bytes compact(String v) {
      return i8(v.length() + 1).raw(v);
    }

    byte[] toArray() {
      return bytes.toByteArray();
    }

    private interface Write {
      void run() throws IOException;
    }

    private Bytes write(Write w) {
      try {
        w.run();
        return this;
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  /** Sends them as one frame. */
  RawClient send(Bytes body) {
    byte[] b = body.toArray();
    return sendRaw(new Bytes().i32(b.length).raw(b).toArray());
  }

  RawClient sendRaw(byte[] bytes) {
    try {
      socket.getOutputStream().write(bytes);
      return this;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The next frame without its length. */
  byte[] receive() {
    try {
      byte[] body = new byte[in.readInt()];
      in.readFully(body);
      return body;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  String receiveHex() {
    return HexFormat.of().formatHex(receive());
  }

  /** The correlation id of the next answer. */
  int receiveId() {
    byte[] b = receive();
    return (b[0] & 255) << 24 | (b[1] & 255) << 16 | (b[2] & 255) << 8 | b[3] & 255;
  }

  /** Waits for the end; false if there are bytes instead. */
  boolean isClosed() {
    try {
      return in.read() < 0;
    } catch (SocketException e) {
      return true;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    try {
      socket.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
