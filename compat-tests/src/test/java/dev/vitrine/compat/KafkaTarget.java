package dev.vitrine.compat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import kafka.tools.StorageTool;

/** Apache Kafka itself, from the tests' class path. */
final class KafkaTarget implements Target {
  @Override
  public String name() {
    return "kafka";
  }

  @Override
  public List<String> nodeCommand(Path configuration) {
    return List.of(
        "-Xmx400m",
        "-XX:+UseSerialGC",
        "-XX:TieredStopAtLevel=1", // three of them start on two cores
        "-XX:-UsePerfData",
        "-Dlogback.configurationFile=logback-node.xml",
        "kafka.Kafka",
        configuration.toString());
  }

  @Override
  public String classPath() {
    return Jvm.TEST_CLASS_PATH;
  }

  @Override
  public void format(Path configuration, String clusterId) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    String[] args = {"format", "-t", clusterId, "-c", configuration.toString()};
    int exitCode = StorageTool.execute(args, new PrintStream(out, true, StandardCharsets.UTF_8));
    if (exitCode != 0) {
      throw new IllegalStateException("format: " + out.toString(StandardCharsets.UTF_8));
    }
  }
}
