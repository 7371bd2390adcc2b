package dev.vitrine.broker;

import dev.vitrine.config.ConfigException;
import dev.vitrine.config.KafkaConfig;
import dev.vitrine.config.Listener;
import dev.vitrine.protocol.Uuid;
import dev.vitrine.quorum.QuorumConfig;
import dev.vitrine.quorum.VoterSet;
import dev.vitrine.seam.Endpoint;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What {@code format} is told of the voters that a cluster starts with (KIP-853), as {@code
 * kafka-storage format} takes it: nothing, where {@code controller.quorum.voters} names them; this
 * node alone; a list; or none, for a node that is to join later. Stateless; refuses what
 * contradicts the configuration in Kafka's words.
 *
 * @param voters of {@code --initial-controllers}: {@code id@host:port:directory.id}, separated by
 *     commas; null without it
 * @param kraftVersion of {@code --feature kraft.version=}; null without it
 */
public record InitialQuorum(boolean standalone, boolean none, String voters, Short kraftVersion) {
  /** No flags: the voters are fixed, or this node is a broker. */
  public static final InitialQuorum UNSAID = new InitialQuorum(false, false, null, null);

  private static final Pattern VOTER =
      Pattern.compile("(\\d+)@(?:\\[([^\\[\\]]+)]|([^:\\[\\]]+)):(\\d{1,5}):([A-Za-z0-9_-]{22})");

  private boolean isSaid() {
    return standalone || none || voters != null;
  }

  /**
   * @param features {@code name=level}
   * @throws ConfigException if one is not of that form or not known
   */
  public InitialQuorum with(List<String> features) {
    Short version = kraftVersion;
    for (String feature : features) {
      int equals = feature.indexOf('=');
      ConfigException.require(
          equals > 0, "Can't parse feature=level string " + feature + ": equals sign not found.");
      String name = feature.substring(0, equals).trim();
      ConfigException.require(
          name.equals(QuorumConfig.KRAFT_VERSION),
          "Unsupported feature: " + name + ". Supported features are: kraft.version");
      try {
        version = Short.valueOf(feature.substring(equals + 1).trim());
      } catch (NumberFormatException e) {
        throw new ConfigException(
            "Can't parse feature=level string " + feature + ": the level is not a number.");
      }
      ConfigException.require(
          QuorumConfig.KRAFT_VERSIONS.contains(version),
          "No feature:kraft.version with feature level " + version);
    }
    return new InitialQuorum(standalone, none, voters, version);
  }

  /**
   * The voters to write, by the configuration of the node that is formatted.
   *
   * @param ownDirectory the id that its metadata directory has or is to get
   * @return null if none are written
   * @throws ConfigException if the flags contradict the configuration
   */
  VoterSet resolve(KafkaConfig config, Uuid ownDirectory) {
    boolean fixed = !config.quorum().voters().isEmpty();
    check(config, fixed);
    if (!standalone) {
      return named(config);
    }
    Listener at =
        config.listeners().advertisedControllers(null).stream()
            .filter(l -> l.name().equals(listener(config)))
            .findFirst()
            .orElseThrow();
    Endpoint endpoint = new Endpoint(at.isWildcard() ? "localhost" : at.host(), at.port());
    return new VoterSet(List.of(voter(config, config.node().nodeId(), ownDirectory, endpoint)));
  }

  private void check(KafkaConfig config, boolean fixed) {
    boolean controller = config.node().isController();
    ConfigException.require(
        isSaid() || fixed || !controller,
        "Because controller.quorum.voters is not set on this controller, you must specify one of"
            + " the following: --standalone, --initial-controllers, or --no-initial-controllers.");
    ConfigException.require(
        !standalone || controller, "You can only use --standalone on a controller.");
    ConfigException.require(
        !fixed || (!standalone && voters == null),
        "You cannot specify controller.quorum.voters and format the node with"
            + " --initial-controllers or --standalone. If you want to use dynamic quorum, please"
            + " remove controller.quorum.voters and specify controller.quorum.bootstrap.servers"
            + " instead.");
    boolean dynamic = isSaid() && !fixed;
    ConfigException.require(
        kraftVersion == null || kraftVersion > 0 || !dynamic,
        "Cannot set kraft.version to 0 if controller.quorum.voters is empty and one of the flags"
            + " --standalone, --initial-controllers, or --no-initial-controllers is used. For"
            + " dynamic controllers support, try removing the --feature flag for kraft.version.");
    ConfigException.require(
        kraftVersion == null || kraftVersion == 0 || dynamic,
        "Cannot set kraft.version to 1 unless controller.quorum.voters is empty and one of the"
            + " flags --standalone, --initial-controllers, or --no-initial-controllers is used."
            + " For dynamic controllers support, try using one of --standalone,"
            + " --initial-controllers, or --no-initial-controllers and removing"
            + " controller.quorum.voters.");
  }

  /** The list of {@code --initial-controllers}; null if there is none. */
  VoterSet named(KafkaConfig config) {
    if (voters == null) {
      return null;
    }
    ConfigException.require(!voters.isBlank(), "No voters given.");
    List<VoterSet.Voter> all = new ArrayList<>();
    for (String entry : voters.split(",")) {
      Matcher m = VOTER.matcher(entry.trim());
      ConfigException.require(
          m.matches(),
          "Not a voter of the form id@host:port:directory.id in --initial-controllers: "
              + entry.trim());
      try {
        int id = Integer.parseInt(m.group(1));
        for (VoterSet.Voter v : all) {
          ConfigException.require(v.id() != id, "Node id " + id + " was specified more than once.");
        }
        String host = m.group(2) != null ? m.group(2) : m.group(3);
        int port = Integer.parseInt(m.group(4));
        if (port > 65_535) {
          throw new IllegalArgumentException("port " + port);
        }
        Endpoint at = new Endpoint(host, port);
        all.add(voter(config, id, Uuid.fromString(m.group(5)), at));
      } catch (IllegalArgumentException e) {
        throw new ConfigException(
            "Not a voter of the form id@host:port:directory.id in --initial-controllers: "
                + entry.trim());
      }
    }
    return new VoterSet(all);
  }

  private static VoterSet.Voter voter(KafkaConfig config, int id, Uuid directory, Endpoint at) {
    return new VoterSet.Voter(
        id,
        directory,
        List.of(new VoterSet.Listener(listener(config), at)),
        QuorumConfig.KRAFT_VERSIONS);
  }

  private static String listener(KafkaConfig config) {
    return config.listeners().controllerNames().get(0);
  }
}
