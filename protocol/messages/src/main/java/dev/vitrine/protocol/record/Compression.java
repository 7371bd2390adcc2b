package dev.vitrine.protocol.record;

import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;

/**
 * The codecs of the record format. Each codec's library is touched only by its own class, so that a
 * broker that never sees zstd never loads it.
 */
public enum Compression {
  NONE(0, "none", 0, 0, 0),
  GZIP(1, "gzip", -1, 1, 9),
  SNAPPY(2, "snappy", 0, 0, 0),
  LZ4(3, "lz4", 9, 1, 17),
  ZSTD(4, "zstd", 3, -131072, 22);

  private static final Compression[] BY_ID = values();

  private final int id;
  private final String configName;
  private final int defaultLevel;
  private final int minLevel;
  private final int maxLevel;

  Compression(int id, String configName, int defaultLevel, int minLevel, int maxLevel) {
    this.id = id;
    this.configName = configName;
    this.defaultLevel = defaultLevel;
    this.minLevel = minLevel;
    this.maxLevel = maxLevel;
  }

  /** The three low bits of the batch's attributes. */
  public int id() {
    return id;
  }

  /** As in {@code compression.type}. */
  public String configName() {
    return configName;
  }

  /** The default of {@code compression.<codec>.level}. */
  public int defaultLevel() {
    return defaultLevel;
  }

  public int minLevel() {
    return minLevel;
  }

  public int maxLevel() {
    return maxLevel;
  }

  /** Whether {@code compression.<codec>.level} may have this value. */
  public boolean isLevel(int level) {
    return level == defaultLevel || level >= minLevel && level <= maxLevel;
  }

  public static boolean isKnownId(int id) {
    return id >= 0 && id < BY_ID.length;
  }

  /**
   * @throws InvalidRecordException if there is none
   */
  public static Compression forId(int id) {
    if (!isKnownId(id)) {
      throw new InvalidRecordException("Unknown compression type id: " + id);
    }
    return BY_ID[id];
  }

  /**
   * @throws IllegalArgumentException if there is none
   */
  public static Compression forConfigName(String name) {
    for (Compression c : BY_ID) {
      if (c.configName.equals(name)) {
        return c;
      }
    }
    throw new IllegalArgumentException("Unknown compression name: " + name);
  }

  /**
   * A stream that compresses what is written to it; closing it writes the rest. Not buffered: write
   * large pieces.
   */
  OutputStream compress(OutputStream out, int level) throws IOException {
    return switch (this) {
      case NONE -> out;
      case GZIP -> new GzipOutput(out, level);
      case SNAPPY -> SnappyCodec.output(out);
      case LZ4 -> Lz4Codec.output(out, level);
      case ZSTD -> ZstdCodec.output(out, level);
    };
  }

  /**
   * A stream of the decompressed bytes. It holds no more memory than a block of the codec needs,
   * whatever the input claims. To be closed.
   */
  public InputStream decompress(ByteBuf in, int index, int length) throws IOException {
    return switch (this) {
      case NONE -> new ByteBufInput(in, index, length);
      case GZIP -> new java.util.zip.GZIPInputStream(new ByteBufInput(in, index, length), 8192);
      case SNAPPY -> new SnappyInput(in, index, length);
      case LZ4 -> Lz4Codec.input(new ByteBufInput(in, index, length));
      case ZSTD -> ZstdCodec.input(new ByteBufInput(in, index, length));
    };
  }
}
