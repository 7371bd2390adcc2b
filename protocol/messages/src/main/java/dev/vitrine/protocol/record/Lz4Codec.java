package dev.vitrine.protocol.record;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import net.jpountz.lz4.LZ4Compressor;
import net.jpountz.lz4.LZ4Factory;
import net.jpountz.lz4.LZ4FrameInputStream;
import net.jpountz.lz4.LZ4FrameOutputStream;
import net.jpountz.xxhash.XXHashFactory;

/**
 * The only class that touches lz4-java. One LZ4 frame of independent 64 KB blocks, no checksums.
 */
final class Lz4Codec {
  private Lz4Codec() {}

  static OutputStream output(OutputStream out, int level) throws IOException {
    LZ4Factory factory = LZ4Factory.fastestInstance();
    // As in Kafka, the default level 9 means the fast compressor and not level 9 of the other.
    LZ4Compressor compressor =
        level == Compression.LZ4.defaultLevel()
            ? factory.fastCompressor()
            : factory.highCompressor(level);
    return new LZ4FrameOutputStream(
        out,
        LZ4FrameOutputStream.BLOCKSIZE.SIZE_64KB,
        -1L,
        compressor,
        XXHashFactory.fastestInstance().hash32(),
        LZ4FrameOutputStream.FLG.Bits.BLOCK_INDEPENDENCE);
  }

  static InputStream input(InputStream in) throws IOException {
    return new LZ4FrameInputStream(
        in,
        LZ4Factory.fastestInstance().safeDecompressor(),
        XXHashFactory.fastestInstance().hash32(),
        true);
  }
}
