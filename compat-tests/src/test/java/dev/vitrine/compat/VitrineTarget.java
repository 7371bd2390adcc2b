package dev.vitrine.compat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/** Our own broker, as `./vitrine node` runs it: same class path, same JVM options. */
final class VitrineTarget implements Target {
  private final Path root =
      Path.of(System.getProperty("vitrine.root", "..")).toAbsolutePath().normalize();

  @Override
  public String name() {
    return "vitrine";
  }

  @Override
  public List<String> nodeCommand(Path configuration) {
    return List.of(
        "@" + root.resolve("tools/src/main/launch/node.options"),
        "dev.vitrine.broker.Main",
        configuration.toString());
  }

  @Override
  public String classPath() {
    Path target = root.resolve("tools/target");
    try {
      return Arrays.stream(Files.readString(target.resolve("node.classpath")).strip().split(":"))
          .map(jar -> target.resolve(jar).toString())
          .collect(Collectors.joining(":"));
    } catch (IOException e) {
      throw new IllegalStateException(
          "no build to run: mvn -pl tools -am package -DskipTests makes one", e);
    }
  }

  @Override
  public void format(Path configuration, String clusterId) throws Exception {
    Jvm.Result result =
        Jvm.run(
            classPath(),
            List.of(
                "dev.vitrine.broker.Format", configuration.toString(), "--cluster-id", clusterId));
    if (result.exitCode() != 0) {
      throw new IllegalStateException("format: " + result.output());
    }
  }
}
