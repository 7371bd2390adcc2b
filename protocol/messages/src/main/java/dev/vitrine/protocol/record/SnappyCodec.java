package dev.vitrine.protocol.record;

import java.io.IOException;
import java.io.OutputStream;
import org.xerial.snappy.Snappy;
import org.xerial.snappy.SnappyOutputStream;

/** The only class that touches snappy-java. */
final class SnappyCodec {
  private SnappyCodec() {}

  static OutputStream output(OutputStream out) {
    return new SnappyOutputStream(out);
  }

  static int uncompressedLength(byte[] block, int length) throws IOException {
    return Snappy.uncompressedLength(block, 0, length);
  }

  static int uncompress(byte[] block, int length, byte[] out) throws IOException {
    return Snappy.rawUncompress(block, 0, length, out, 0);
  }
}
