package dev.vitrine.protocol;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import dev.vitrine.protocol.message.ApiVersionsRequest;
import dev.vitrine.protocol.message.CreateTopicsRequest;
import dev.vitrine.protocol.message.FetchRequest;
import dev.vitrine.protocol.message.RequestHeader;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * Whatever a peer sends, reading it gives a value or a {@link MalformedMessageException}, and takes
 * no more memory than the bytes are worth.
 */
class HostileBytesTest {
  /** What a byte may cost: the worst are strings and lists that take two bytes or one. */
  private static final int PER_BYTE = 64;

  private static final int BASE = 8192;
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  private long values;
  private long refused;

  @Test
  void everyPrefixOfAnEncodingIsRefused() throws Exception {
    for (Subject s : Subject.all()) {
      for (short v = s.lowest(); v <= s.highest(); v++) {
        byte[] bytes = encoding(s, v, new Random(v), 400);
        for (int length = 0; length < bytes.length; length++) {
          read(s, Arrays.copyOf(bytes, length), v);
        }
      }
    }
    assertEquals(0, values);
    assertTrue(refused > 20_000, "refused: " + refused);
  }

  @Test
  void everyMutationIsAValueOrRefused() throws Exception {
    Random random = new Random(4);
    for (Subject s : Subject.all()) {
      for (short v = s.lowest(); v <= s.highest(); v++) {
        byte[] bytes = encoding(s, v, random, 2000);
        if (bytes.length == 0) {
          continue;
        }
        for (int i = 0; i < 60; i++) {
          read(s, mutate(bytes, random), v);
        }
      }
    }
    assertTrue(values > 1000 && refused > 1000, values + " values, " + refused + " refused");
  }

  @Test
  void noiseIsAValueOrRefused() throws Exception {
    Random random = new Random(5);
    for (Subject s : Subject.all()) {
      for (short v = s.lowest(); v <= s.highest(); v++) {
        for (int i = 0; i < 20; i++) {
          byte[] bytes = new byte[random.nextInt(300)];
          random.nextBytes(bytes);
          if (i % 2 == 0) {
            // Small numbers get further.
            for (int b = 0; b < bytes.length; b++) {
              bytes[b] &= 3;
            }
          }
          read(s, bytes, v);
        }
      }
    }
    assertTrue(refused > 1000, "refused: " + refused);
  }

  private static byte[] encoding(Subject s, short v, Random random, int largest) throws Exception {
    byte[] bytes;
    do {
      AnyValue any = new AnyValue(random, 10);
      bytes = Subject.write(s.ours(any.struct(s.schema(v))), v);
    } while (bytes.length > largest);
    return bytes;
  }

  private static byte[] mutate(byte[] bytes, Random random) {
    byte[] m = Arrays.copyOf(bytes, bytes.length - random.nextInt(Math.min(4, bytes.length)));
    for (int i = random.nextInt(3); i >= 0 && m.length > 0; i--) {
      int at = random.nextInt(m.length);
      switch (random.nextInt(4)) {
        case 0:
          m[at] = (byte) random.nextInt();
          break;
        case 1:
          m[at] ^= 1 << random.nextInt(8);
          break;
        case 2:
          // A huge or a negative length, plain or as a varint.
          Arrays.fill(
              m, at, Math.min(m.length, at + 4), (byte) (random.nextBoolean() ? 0xff : 0x7f));
          break;
        default:
          m[at] = 0;
      }
    }
    return m;
  }

  private void read(Subject s, byte[] bytes, short v) {
    ApiMessage m = s.newOurs();
    boolean value = readWithin(m, bytes, v, true);
    if (value) {
      values++;
    } else {
      refused++;
    }
    if (value) {
      ByteBuf out = Unpooled.buffer();
      m.write(new MessageWriter(out), v);
      ApiMessage again = s.newOurs();
      again.read(out, v);
      assertEquals(m, again, () -> s.name() + " v" + v + " " + ByteBufUtil.hexDump(bytes));
    }
  }

  /** Whether it was a value. What the JVM itself allocates the first time is not counted. */
  private static boolean readWithin(ApiMessage m, byte[] bytes, short v, boolean again) {
    ByteBuf in = Unpooled.wrappedBuffer(bytes);
    boolean value = false;
    long before = THREADS.getCurrentThreadAllocatedBytes();
    try {
      m.read(in, v);
      value = true;
    } catch (MalformedMessageException e) {
      // As it should be.
    }
    long allocated = THREADS.getCurrentThreadAllocatedBytes() - before;
    if (allocated > BASE + (long) PER_BYTE * bytes.length) {
      assertTrue(again, () -> m + " v" + v + ": " + allocated + " " + ByteBufUtil.hexDump(bytes));
      return readWithin(m, bytes, v, false);
    }
    return value;
  }

  /** A frame of 100 MB that says it holds that many elements; nothing is there for them. */
  @Test
  void hugeCountsAllocateNothing() {
    ByteBuf topics = Unpooled.buffer().writeInt(Integer.MAX_VALUE).writeLong(0).writeLong(0);
    long before = THREADS.getCurrentThreadAllocatedBytes();
    assertThrows(
        MalformedMessageException.class, () -> new CreateTopicsRequest().read(topics, (short) 2));
    assertTrue(THREADS.getCurrentThreadAllocatedBytes() - before < 1 << 20);
  }

  /** Arrays full of the smallest elements there are, a quarter of a megabyte each. */
  @Test
  void theSmallestElementsCostLittle() throws Exception {
    byte[] ones = new byte[1 << 18];
    Arrays.fill(ones, (byte) 1);
    for (Subject s : Subject.all()) {
      byte[] bytes = ones.clone();
      for (int at = 0; at < 24; at++) {
        // A count of 0x3ffff in each place in turn, as a varint.
        bytes[at] = (byte) 0xff;
        bytes[at + 1] = (byte) 0xff;
        bytes[at + 2] = 0x0f;
        readWithin(s.newOurs(), bytes, s.highest(), true);
        bytes[at] = 1;
      }
    }
  }

  @Test
  void unknownVersionsAreRefused() {
    for (short v : new short[] {-1, FetchRequest.LOWEST_SUPPORTED_VERSION - 1, 99}) {
      assertThrows(
          MalformedMessageException.class,
          () -> new FetchRequest().read(Unpooled.wrappedBuffer(new byte[64]), v));
      assertThrows(UnsupportedVersionException.class, () -> new FetchRequest().size(v));
      assertThrows(
          UnsupportedVersionException.class,
          () -> new FetchRequest().write(new MessageWriter(Unpooled.buffer()), v));
    }
  }

  @Test
  void whatIsNotUtf8IsReplaced() {
    ByteBuf in = Unpooled.buffer().writeShort(18).writeShort(0).writeInt(7).writeShort(3);
    in.writeBytes(new byte[] {'a', (byte) 0xff, 'b'});
    RequestHeader header = new RequestHeader();
    header.read(in, (short) 1);
    assertEquals("a\ufffdb", header.clientId());
  }

  @Test
  void tagsMustRiseAndFillTheirSize() {
    ApiVersionsRequest m = new ApiVersionsRequest();
    byte[] start = {1, 1};
    assertRefused(m, start, 2, 5, 0, 5, 0);
    assertRefused(m, start, 2, 5, 0, 4, 0);
    assertRefused(m, start, 1, 5, 1);
    assertRefused(m, start, 0x80, 0x80, 0x80, 0x80, 0x08);
    m.read(Unpooled.wrappedBuffer(start, new byte[] {2, 4, 1, 9, 5, 0}), (short) 3);
    assertEquals(
        java.util.List.of(
            new RawTaggedField(4, new byte[] {9}), new RawTaggedField(5, new byte[0])),
        m.unknownTaggedFields());
  }

  private static void assertRefused(ApiVersionsRequest m, byte[] start, int... rest) {
    byte[] tail = new byte[rest.length];
    for (int i = 0; i < rest.length; i++) {
      tail[i] = (byte) rest[i];
    }
    ByteBuf in = Unpooled.wrappedBuffer(start, tail);
    assertThrows(MalformedMessageException.class, () -> m.read(in, (short) 3));
  }

  @Test
  void stringsTooLongForTheirLengthAreNotWritten() {
    ApiVersionsRequest m = new ApiVersionsRequest().clientSoftwareName("\u00e9".repeat(16384));
    assertThrows(IllegalArgumentException.class, () -> m.size((short) 3));
    assertThrows(
        IllegalArgumentException.class,
        () -> m.write(new MessageWriter(Unpooled.buffer()), (short) 3));
  }
}
