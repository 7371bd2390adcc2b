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
    return classPath("node.classpath");
  }

  private String classPath(String file) {
    Path target = root.resolve("tools/target");
    try {
      return Arrays.stream(Files.readString(target.resolve(file)).strip().split(":"))
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
            root.resolve("tools/target/vitrine-tools.jar") + ":" + classPath("command.classpath"),
            List.of(
                "@" + root.resolve("tools/src/main/launch/command.options"),
                "dev.vitrine.tools.Vitrine",
                "format",
                configuration.toString(),
                "--cluster-id",
                clusterId));
    if (result.exitCode() != 0) {
      throw new IllegalStateException("format: " + result.output());
    }
  }
}
