package dev.vitrine.tools;

import dev.vitrine.broker.Format;
import dev.vitrine.broker.InitialQuorum;
import dev.vitrine.config.ConfigException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;

/** Formats with the broker's own code, in this process: a JVM for each node would take seconds. */
final class BrokerFormat {
  private BrokerFormat() {}

  /**
   * @throws CommandFailure if the configuration is wrong, or the data are another node's
   */
  static void format(Path configuration, String clusterId, InitialQuorum quorum)
      throws IOException {
    try {
      Format.format(configuration, clusterId, quorum);
    } catch (ConfigException | IllegalArgumentException e) {
      throw CommandFailure.failed("%s: %s", configuration, e.getMessage());
    } catch (UncheckedIOException e) {
      throw CommandFailure.failed("%s", e.getCause().getMessage());
    }
  }
}
