package dev.vitrine.protocol;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.vitrine.protocol.message.FetchResponse;
import dev.vitrine.protocol.message.FetchResponse.FetchableTopicResponse;
import dev.vitrine.protocol.message.FetchResponse.PartitionData;
import dev.vitrine.protocol.message.ResponseHeader;
import dev.vitrine.protocol.record.MemoryRecords;
import dev.vitrine.protocol.record.Records;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Frames with records in memory and elsewhere: the same bytes, and every reference given back. */
class FrameWriterTest {
  private static final short VERSION = FetchResponse.HIGHEST_SUPPORTED_VERSION;

  /** Stands for a region of a file. */
  private static final class FileRecords implements Records {
    private final byte[] bytes;
    private int references = 1;

    FileRecords(byte[] bytes) {
      this.bytes = bytes;
    }

    @Override
    public int sizeInBytes() {
      return bytes.length;
    }

    @Override
    public void writeTo(ByteBuf out) {
      out.writeBytes(bytes);
    }

    @Override
    public void release() {
      references--;
    }
  }

  private static FetchResponse response(List<Records> records) {
    FetchableTopicResponse topic = new FetchableTopicResponse().topicId(new Uuid(1, 2));
    for (Records r : records) {
      topic.partitions().add(new PartitionData().partitionIndex(7).records(r));
    }
    return new FetchResponse().responses(List.of(topic));
  }

  private static Frame frame(FetchResponse body) {
    return FrameWriter.frame(
        PooledByteBufAllocator.DEFAULT,
        new ResponseHeader().correlationId(5),
        (short) 1,
        body,
        VERSION);
  }

  @Test
  void recordsAreParts() {
    for (int size : new int[] {0, 100, 511, 512, 513, 5000}) {
      ByteBuf memory = PooledByteBufAllocator.DEFAULT.buffer().writeBytes(new byte[size]);
      FileRecords file = new FileRecords(new byte[size]);
      List<Records> all = new ArrayList<>(List.of(new MemoryRecords(memory), file));
      FetchResponse body = response(all);
      byte[] plain = Subject.write(body, VERSION);

      Frame frame = frame(body);
      assertEquals(size < 512 ? 1 : 5, frame.parts().size(), "parts for " + size);
      ByteBuf out = Unpooled.buffer();
      frame.drainTo(out);
      assertEquals(frame.sizeInBytes(), out.readableBytes());
      assertEquals(out.readableBytes() - 4, out.readInt());
      ResponseHeader header = new ResponseHeader();
      header.read(out, (short) 1);
      assertEquals(5, header.correlationId());
      assertArrayEquals(plain, ByteBufUtil.getBytes(out));
      assertEquals(0, memory.refCnt());
      assertEquals(0, file.references);
    }
  }

  @Test
  void whatWasWrittenIsReleasedWhenTheRestFails() {
    FileRecords file = new FileRecords(new byte[1000]);
    FetchResponse body = response(List.of(file));
    body.nodeEndpoints().add(new FetchResponse.NodeEndpoint().host("x".repeat(40_000)));
    assertThrows(IllegalArgumentException.class, () -> frame(body));
    assertEquals(0, file.references);
  }
}
