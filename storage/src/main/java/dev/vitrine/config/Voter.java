package dev.vitrine.config;

import dev.vitrine.seam.Endpoint;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** One fixed voter of the metadata quorum, as {@code controller.quorum.voters} names it. */
public record Voter(int id, Endpoint endpoint) {
  private static final String VOTERS = "controller.quorum.voters";
  private static final String BOOTSTRAP = "controller.quorum.bootstrap.servers";
  private static final Pattern HOST_PORT =
      Pattern.compile("\\[?([0-9a-zA-Z\\-%._:]+)\\]?:([0-9]{1,5})");

  static final ConfigRule RULE = (name, value) -> parse((List<?>) value);
  static final ConfigRule BOOTSTRAP_RULE = (name, value) -> parseBootstrap((List<?>) value);

  /** By id; of two voters with one id the later counts, as in Kafka. */
  static Map<Integer, Voter> parse(List<?> entries) {
    Map<Integer, Voter> voters = new TreeMap<>();
    for (Object entry : entries) {
      String text = (String) entry;
      int at = text.indexOf('@');
      if (at < 0 || text.indexOf('@', at + 1) >= 0) {
        throw new ConfigException(
            "Invalid configuration value for "
                + VOTERS
                + ". Each entry should be in the form `{id}@{host}:{port}`.");
      }
      int id = parseId(text.substring(0, at));
      Endpoint endpoint = hostAndPort(text.substring(at + 1));
      if (endpoint == null) {
        throw new ConfigException(
            "Failed to parse host name from entry "
                + text
                + " for the configuration "
                + VOTERS
                + ". Each entry should be in the form `{id}@{host}:{port}`.");
      }
      voters.put(id, new Voter(id, endpoint));
    }
    return Collections.unmodifiableMap(voters);
  }

  static List<Endpoint> parseBootstrap(List<?> entries) {
    List<Endpoint> servers = new ArrayList<>();
    for (Object entry : entries) {
      Endpoint endpoint = hostAndPort((String) entry);
      if (endpoint == null) {
        throw new ConfigException(
            "Failed to parse host name from "
                + entry
                + " for the configuration "
                + BOOTSTRAP
                + ". Each entry should be in the form \"{host}:{port}\"");
      }
      servers.add(endpoint);
    }
    return List.copyOf(servers);
  }

  private static int parseId(String text) {
    try {
      return Integer.parseInt(text);
    } catch (NumberFormatException notANumber) {
      throw new ConfigException("Failed to parse voter ID as an integer from " + text);
    }
  }

  private static Endpoint hostAndPort(String text) {
    Matcher matcher = HOST_PORT.matcher(text);
    if (!matcher.matches()) {
      return null;
    }
    return new Endpoint(matcher.group(1), Integer.parseInt(matcher.group(2)));
  }
}
