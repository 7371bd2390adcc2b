package dev.vitrine.protocol;

import java.util.Arrays;

/** A tagged field that the schema does not know, kept so that it can be passed on. */
public record RawTaggedField(int tag, byte[] data) {
  @Override
  public boolean equals(Object o) {
    return o instanceof RawTaggedField f && f.tag == tag && Arrays.equals(f.data, data);
  }

  @Override
  public int hashCode() {
    return 31 * tag + Arrays.hashCode(data);
  }
}
