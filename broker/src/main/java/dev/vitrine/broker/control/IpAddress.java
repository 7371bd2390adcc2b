package dev.vitrine.broker.control;

import dev.vitrine.protocol.MalformedMessageException;

/**
 * An address of a client as an Envelope carries it, 4 or 16 bytes, and as text; never resolves a
 * name.
 */
final class IpAddress {
  private IpAddress() {}

  /**
   * @throws MalformedMessageException if it is neither an IPv4 nor an IPv6 address
   */
  static String text(byte[] bytes) {
    if (bytes.length != 4 && bytes.length != 16) {
      throw new MalformedMessageException("an address of " + bytes.length + " bytes");
    }
    StringBuilder text = new StringBuilder();
    if (bytes.length == 4) {
      for (byte b : bytes) {
        text.append(text.isEmpty() ? "" : ".").append(b & 0xff);
      }
    } else {
      for (int i = 0; i < 16; i += 2) {
        text.append(i == 0 ? "" : ":")
            .append(Integer.toHexString((bytes[i] & 0xff) << 8 | bytes[i + 1] & 0xff));
      }
    }
    return text.toString();
  }

  /** The bytes of a numeric address such as {@code /127.0.0.1}; 0.0.0.0 if it is none. */
  static byte[] bytes(String text) {
    String address = text.substring(text.indexOf('/') + 1);
    int zone = address.indexOf('%');
    String plain = zone < 0 ? address : address.substring(0, zone);
    try {
      return plain.indexOf(':') < 0 ? ipv4(plain) : ipv6(plain);
    } catch (IllegalArgumentException e) {
      return new byte[4];
    }
  }

  private static byte[] ipv4(String text) {
    String[] parts = text.split("\\.", -1);
    byte[] bytes = new byte[4];
    if (parts.length != 4) {
      throw new IllegalArgumentException(text);
    }
    for (int i = 0; i < 4; i++) {
      bytes[i] = (byte) Integer.parseInt(parts[i]);
    }
    return bytes;
  }

  private static byte[] ipv6(String text) {
    int gap = text.indexOf("::");
    String head = gap < 0 ? text : text.substring(0, gap);
    String tail = gap < 0 ? "" : text.substring(gap + 2);
    byte[] bytes = new byte[16];
    String[] first = head.isEmpty() ? new String[0] : head.split(":", -1);
    String[] last = tail.isEmpty() ? new String[0] : tail.split(":", -1);
    if (first.length + last.length > 8) {
      throw new IllegalArgumentException(text);
    }
    for (int i = 0; i < first.length; i++) {
      put(bytes, i, first[i]);
    }
    for (int i = 0; i < last.length; i++) {
      put(bytes, 8 - last.length + i, last[i]);
    }
    return bytes;
  }

  private static void put(byte[] bytes, int group, String hex) {
    int value = Integer.parseInt(hex, 16);
    bytes[2 * group] = (byte) (value >> 8);
    bytes[2 * group + 1] = (byte) value;
  }
}
