package dev.vitrine.protocol;

import java.nio.ByteBuffer;
import java.util.Base64;

/**
 * Kafka's 128-bit id of topics, directories and clusters; its text form is URL-safe Base64 without
 * padding.
 */
public record Uuid(long mostSignificantBits, long leastSignificantBits)
    implements Comparable<Uuid> {
  /** "No id": what a field that is not set holds. */
  public static final Uuid ZERO = new Uuid(0, 0);

  /** The topic id of {@code __cluster_metadata}. */
  public static final Uuid METADATA_TOPIC_ID = new Uuid(0, 1);

  /**
   * @throws IllegalArgumentException if the text is not 22 characters of URL-safe Base64
   */
  public static Uuid fromString(String text) {
    if (text.length() > 24) {
      throw new IllegalArgumentException("not a uuid, too long: " + text.substring(0, 24) + "...");
    }
    byte[] bytes = Base64.getUrlDecoder().decode(text);
    if (bytes.length != 16) {
      throw new IllegalArgumentException("not a uuid of 16 bytes: " + text);
    }
    ByteBuffer b = ByteBuffer.wrap(bytes);
    return new Uuid(b.getLong(), b.getLong());
  }

  /** Kafka keeps ids whose upper half is 0 and whose lower half is small for itself. */
  public boolean isReserved() {
    return mostSignificantBits == 0 && leastSignificantBits >= 0 && leastSignificantBits <= 100;
  }

  @Override
  public int compareTo(Uuid o) {
    int c = Long.compare(mostSignificantBits, o.mostSignificantBits);
    return c != 0 ? c : Long.compare(leastSignificantBits, o.leastSignificantBits);
  }

  @Override
  public String toString() {
    ByteBuffer b =
        ByteBuffer.allocate(16).putLong(mostSignificantBits).putLong(leastSignificantBits);
    return Base64.getUrlEncoder().withoutPadding().encodeToString(b.array());
  }
}
