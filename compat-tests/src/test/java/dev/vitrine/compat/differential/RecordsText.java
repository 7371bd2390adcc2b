package dev.vitrine.compat.differential;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.vitrine.compat.RawBatch;
import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.record.internal.CompressionType;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.Record;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.apache.kafka.common.utils.internals.BufferSupplier;

/** Records between their bytes and their description in scripts (HACKING.md). Holds no state. */
final class RecordsText {
  /** Of a batch that says none: not now, or no two runs would send the same bytes. */
  private static final long TIME = 1_700_000_000_000L;

  private RecordsText() {}

  /** A batch, several in an array, or bytes. */
  static byte[] build(JsonNode value) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    if (value.isArray()) {
      value.forEach(one -> out.writeBytes(build(one)));
    } else if (value.has("hex")) {
      out.writeBytes(Encoder.blob(value));
    } else {
      ByteBuffer batch = (value.isTextual() ? words(value.asText()) : batch(value)).build();
      out.write(batch.array(), batch.arrayOffset() + batch.position(), batch.remaining());
    }
    return out.toByteArray();
  }

  /** {@code 'k=v other'}: a record a word. */
  private static RawBatch words(String text) {
    RawBatch batch = new RawBatch().baseTimestamp(TIME);
    int delta = 0;
    for (String word : text.isEmpty() ? new String[0] : text.split(" ")) {
      batch.add(record(word, delta++));
    }
    return batch;
  }

  private static byte[] record(String word, int delta) {
    int equals = word.indexOf('=');
    String key = equals < 0 ? null : word.substring(0, equals);
    return RawBatch.record(0, delta, key, word.substring(equals + 1));
  }

  private static RawBatch batch(JsonNode value) {
    RawBatch batch = new RawBatch().baseTimestamp(TIME);
    ByteArrayOutputStream plain = new ByteArrayOutputStream();
    int delta = 0;
    JsonNode records = value.path("records");
    if (records.isTextual()) {
      for (String word : records.asText().split(" ")) {
        add(batch, plain, record(word, delta++));
      }
    }
    for (JsonNode r : records) {
      add(batch, plain, record(r, delta++));
    }
    value.properties().forEach(f -> set(batch, f.getKey(), f.getValue()));
    if (value.has("codec")) {
      compress(batch, value.get("codec").asText(), plain.toByteArray());
    }
    return batch;
  }

  private static void add(RawBatch batch, ByteArrayOutputStream plain, byte[] record) {
    batch.add(record);
    plain.writeBytes(record);
  }

  private static byte[] record(JsonNode r, int delta) {
    if (r.has("hex")) {
      return Encoder.blob(r);
    }
    byte[] record =
        RawBatch.record(
            r.path("timeDelta").asLong(0),
            r.path("delta").asInt(delta),
            text(r.get("key")),
            text(r.get("value")));
    return record;
  }

  private static String text(JsonNode value) {
    byte[] bytes = value == null ? null : Encoder.blob(value);
    return bytes == null ? null : new String(bytes, StandardCharsets.UTF_8);
  }

  private static void set(RawBatch batch, String name, JsonNode value) {
    switch (name) {
      case "records", "codec" -> {}
      case "time" -> batch.baseTimestamp(value.asLong());
      case "maxTime" -> batch.maxTimestamp(value.asLong());
      case "attributes" -> batch.attributes(value.asInt());
      case "magic" -> batch.magic(value.asInt());
      case "count" -> batch.count(value.asInt());
      case "length" -> batch.length(value.asInt());
      case "longer" -> batch.longer(value.asInt());
      case "baseOffset" -> batch.baseOffset(value.asLong());
      case "lastOffsetDelta" -> batch.lastOffsetDelta(value.asInt());
      case "wrongCrc" -> batch.wrongCrc();
      case "body" -> batch.body(Encoder.blob(value));
      case "producer" ->
          batch.producer(
              Long.parseLong(value.get(0).asText()), value.get(1).asInt(), value.get(2).asInt());
      default -> throw new IllegalArgumentException("a batch has no " + name);
    }
  }

  private static void compress(RawBatch batch, String codec, byte[] plain) {
    CompressionType type = CompressionType.forName(codec);
    org.apache.kafka.common.utils.internals.ByteBufferOutputStream out =
        new org.apache.kafka.common.utils.internals.ByteBufferOutputStream(1024 + 2 * plain.length);
    try (OutputStream compressing =
        Compression.of(type).build().wrapForOutput(out, RecordBatch.MAGIC_VALUE_V2)) {
      compressing.write(plain);
    } catch (java.io.IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
    ByteBuffer compressed = out.buffer().flip();
    byte[] body = new byte[compressed.remaining()];
    compressed.get(body);
    batch.attributes(type.id).body(body);
  }

  /** Every batch with its header and, if it can be read, its records. */
  static JsonNode read(ByteBuffer bytes) {
    ArrayNode batches = Json.READER.createArrayNode();
    MemoryRecords records = MemoryRecords.readableRecords(bytes);
    int read = 0;
    for (RecordBatch b : records.batches()) {
      read += b.sizeInBytes();
      ObjectNode batch = batches.addObject();
      batch.put("baseOffset", b.baseOffset());
      batch.put("lastOffset", b.lastOffset());
      batch.put("sizeInBytes", b.sizeInBytes());
      batch.put("partitionLeaderEpoch", b.partitionLeaderEpoch());
      batch.put("magic", b.magic());
      batch.put("codec", b.compressionType().name);
      batch.put("timestampType", b.timestampType().name);
      batch.put("transactional", b.isTransactional());
      batch.put("control", b.isControlBatch());
      batch.put("maxTimestamp", b.maxTimestamp());
      batch.put("producerId", b.producerId());
      batch.put("producerEpoch", b.producerEpoch());
      batch.put("baseSequence", b.baseSequence());
      batch.put("valid", b.isValid());
      ArrayNode all = batch.putArray("records");
      try (var iterator = b.streamingIterator(BufferSupplier.NO_CACHING)) {
        iterator.forEachRemaining(r -> record(all.addObject(), r));
      }
    }
    if (read < bytes.limit()) {
      // What does not fit is cut off, which is allowed; how much, is compared.
      batches.addObject().put("cutOff", bytes.limit() - read);
    }
    return batches;
  }

  private static void record(ObjectNode node, Record r) {
    node.put("offset", r.offset());
    node.put("timestamp", r.timestamp());
    node.put("key", hex(r.key()));
    node.put("value", hex(r.value()));
    ArrayNode headers = node.putArray("headers");
    for (Header h : r.headers()) {
      headers.addObject().put("key", h.key()).put("value", hex(ByteBuffer.wrap(h.value())));
    }
  }

  private static String hex(ByteBuffer bytes) {
    if (bytes == null) {
      return null;
    }
    byte[] copy = new byte[bytes.remaining()];
    bytes.duplicate().get(copy);
    return HexFormat.of().formatHex(copy);
  }
}
