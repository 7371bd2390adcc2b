package dev.vitrine.protocol;

import io.netty.buffer.ByteBuf;
import java.util.List;

/**
 * One message of the Kafka protocol: a request or response body, a header, a metadata or
 * coordinator record. All implementations are generated from Kafka's own schemas. Mutable while it
 * is being filled in; confined to one thread at a time.
 */
public interface ApiMessage {
  /** The key of the API, or the type id of a record; -1 for what has none. */
  short apiKey();

  short lowestSupportedVersion();

  short highestSupportedVersion();

  /**
   * The exact number of bytes that {@link #write} will produce, record bytes included.
   *
   * @throws UnsupportedVersionException if a field that this version cannot carry is set to other
   *     than its default
   */
  int size(short version);

  /**
   * Appends the encoded form.
   *
   * @throws UnsupportedVersionException as {@link #size}
   */
  void write(MessageWriter out, short version);

  /**
   * Replaces every field by what {@code in} holds. A {@code records} field becomes a slice of
   * {@code in}, not retained: it lives as long as {@code in} does. Everything else is copied.
   *
   * @throws MalformedMessageException if the bytes are not a message of this version; no more than
   *     a small multiple of {@code in.readableBytes()} has been allocated by then
   */
  void read(ByteBuf in, short version);

  /**
   * Tagged fields that the schema does not know, in the order of their tags; written back as they
   * were read.
   */
  List<RawTaggedField> unknownTaggedFields();

  /**
   * Names each error code that a response holds, at every depth, also those that say that there is
   * no error. Nothing for messages that have no field for one.
   */
  default void forEachError(ErrorSink sink) {}
}
