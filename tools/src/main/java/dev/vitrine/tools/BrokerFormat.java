package dev.vitrine.tools;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.nio.file.Path;

/** Formats with the broker's own code, in this process: a JVM for each node would take seconds. */
final class BrokerFormat {
  private BrokerFormat() {}

  static void format(Path configuration, String clusterId) throws IOException {
    try {
      Class.forName("dev.vitrine.broker.Format")
          .getMethod("format", Path.class, String.class)
          .invoke(null, configuration, clusterId);
    } catch (InvocationTargetException e) {
      if (e.getCause() instanceof IOException failure) {
        throw failure;
      }
      throw CommandFailure.failed("%s", e.getCause().getMessage());
    } catch (ReflectiveOperationException e) {
      throw CommandFailure.failed("this build has no broker yet: %s", e.getMessage());
    }
  }
}
