package dev.vitrine.config;

import java.util.List;

/**
 * One key as DescribeConfigs shows it; a handler only copies.
 *
 * @param value null if it has none or is sensitive
 * @param source of the value in force
 * @param readOnly whether it can't be changed while the broker runs
 * @param synonyms all that was set for it, what is in force first
 */
public record ConfigEntryView(
    String name,
    String value,
    ConfigSource source,
    boolean readOnly,
    boolean sensitive,
    ConfigType type,
    String documentation,
    List<Synonym> synonyms) {

  /**
   * A value that was set under this or another key and counts for the entry.
   *
   * @param value null if it is sensitive
   */
  public record Synonym(String name, String value, ConfigSource source) {}
}
