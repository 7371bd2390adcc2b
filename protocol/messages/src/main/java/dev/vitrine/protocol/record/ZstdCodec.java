package dev.vitrine.protocol.record;

import com.github.luben.zstd.RecyclingBufferPool;
import com.github.luben.zstd.ZstdInputStreamNoFinalizer;
import com.github.luben.zstd.ZstdOutputStreamNoFinalizer;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;

/** The only class that touches zstd-jni. */
final class ZstdCodec {
  private ZstdCodec() {}

  static OutputStream output(OutputStream out, int level) throws IOException {
    return new ZstdOutputStreamNoFinalizer(out, RecyclingBufferPool.INSTANCE, level);
  }

  /** The library refuses windows above 128 MB, its default limit and Kafka's. */
  static InputStream input(InputStream in) throws IOException {
    return new ZstdInputStreamNoFinalizer(in, RecyclingBufferPool.INSTANCE);
  }
}
