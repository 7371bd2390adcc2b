package dev.vitrine.compat.clients;

import java.io.IOException;
import java.net.URISyntaxException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A version of kafka-clients, from {@code target/clients/kafka-clients-VERSION}, in a class loader
 * of its own: it shares nothing with the tests but the JDK.
 */
final class JavaClient implements MatrixClient {
  private final String version;
  private final Path folder;

  JavaClient(String version) {
    this.version = version;
    this.folder = Path.of("target", "clients", "kafka-clients-" + version);
  }

  @Override
  public String name() {
    return "kafka-clients " + version;
  }

  /** Maven has brought it, or there would have been no build. */
  @Override
  public Optional<String> missing() {
    return Optional.empty();
  }

  @Override
  public ClientSession open(String bootstrap) throws Exception {
    URLClassLoader loader =
        new URLClassLoader(urls().toArray(URL[]::new), ClassLoader.getPlatformClassLoader());
    return new JavaSession(version, loader, Map.of("bootstrap.servers", bootstrap));
  }

  private List<URL> urls() throws IOException, URISyntaxException {
    List<URL> urls = new ArrayList<>();
    try (Stream<Path> jars = Files.list(folder)) {
      for (Path jar : jars.sorted().toList()) {
        urls.add(jar.toUri().toURL());
      }
    }
    if (urls.isEmpty()) {
      throw new IOException(folder + " is empty");
    }
    // The driver, and the tests' own logging, which serves what any of them was compiled against.
    for (Class<?> neighbour :
        List.of(
            JavaClient.class,
            org.slf4j.Logger.class,
            ch.qos.logback.classic.Logger.class,
            ch.qos.logback.core.Context.class)) {
      urls.add(neighbour.getProtectionDomain().getCodeSource().getLocation().toURI().toURL());
    }
    return urls;
  }
}
