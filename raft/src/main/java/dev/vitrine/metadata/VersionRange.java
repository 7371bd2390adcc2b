package dev.vitrine.metadata;

/** The levels of a feature that a node supports, both included. */
public record VersionRange(short min, short max) {
  public static VersionRange of(int min, int max) {
    return new VersionRange((short) min, (short) max);
  }

  public boolean contains(short level) {
    return level >= min && level <= max;
  }
}
