package dev.vitrine.protocol.record;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.io.IOException;
import java.io.InputStream;
import java.util.function.IntUnaryOperator;
import org.junit.jupiter.api.Test;

/** Who never meets a codec never loads its library: here the libraries are not even there. */
public class CodecLoadingTest {
  /** Loads our classes anew, without the three libraries. */
  private static final class WithoutCodecs extends ClassLoader {
    WithoutCodecs() {
      super(CodecLoadingTest.class.getClassLoader());
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
      if (name.startsWith("com.github.luben")
          || name.startsWith("net.jpountz")
          || name.startsWith("org.xerial")) {
        throw new ClassNotFoundException(name);
      }
      if (!name.startsWith("dev.vitrine")) {
        return super.loadClass(name, resolve);
      }
      Class<?> c = findLoadedClass(name);
      if (c != null) {
        return c;
      }
      try (InputStream in = getResourceAsStream(name.replace('.', '/') + ".class")) {
        byte[] b = in.readAllBytes();
        return defineClass(name, b, 0, b.length);
      } catch (IOException e) {
        throw new ClassNotFoundException(name, e);
      }
    }
  }

  /** Writes, validates and reads a batch with a codec; loaded in either loader. */
  public static final class Work implements IntUnaryOperator {
    public Work() {}

    @Override
    public int applyAsInt(int codec) {
      ByteBuf out = Unpooled.buffer();
      new BatchBuilder(out)
          .compression(Compression.forId(codec))
          .append(-1, new byte[1], new byte[500])
          .build();
      Validation v =
          new BatchValidator(UnpooledByteBufAllocator.DEFAULT)
              .validateProduced(
                  new dev.vitrine.protocol.TopicPartition("t", 0),
                  out,
                  (short) 9,
                  AppendRules.DEFAULTS,
                  0);
      return ((Validation.Accepted) v).recordCount();
    }
  }

  @Test
  void noneAndGzipNeedNoLibrary() throws ReflectiveOperationException {
    IntUnaryOperator work =
        (IntUnaryOperator)
            new WithoutCodecs()
                .loadClass(Work.class.getName())
                .getDeclaredConstructor()
                .newInstance();
    assertEquals(1, work.applyAsInt(Compression.NONE.id()));
    assertEquals(1, work.applyAsInt(Compression.GZIP.id()));
    for (Compression c :
        new Compression[] {Compression.SNAPPY, Compression.LZ4, Compression.ZSTD}) {
      assertThrows(LinkageError.class, () -> work.applyAsInt(c.id()));
      assertEquals(1, new Work().applyAsInt(c.id()));
    }
  }
}
