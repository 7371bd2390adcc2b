package dev.vitrine.protocol.record;

import java.io.IOException;
import java.io.OutputStream;
import java.util.zip.GZIPOutputStream;

/** The JDK's gzip with a level, which it does not take itself. */
final class GzipOutput extends GZIPOutputStream {
  GzipOutput(OutputStream out, int level) throws IOException {
    super(out, 8192);
    def.setLevel(level);
  }
}
