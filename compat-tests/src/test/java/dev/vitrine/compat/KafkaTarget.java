package dev.vitrine.compat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import kafka.tools.StorageTool;

/** Apache Kafka itself, from the tests' class path. */
final class KafkaTarget implements Target {
  @Override
  public String name() {
    return "kafka";
  }

  /** For tests: three of them start on two cores. */
  private static final List<String> SMALL =
      List.of("-Xmx400m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1");

  /** What {@code kafka-server-start.sh} gives it: for what is measured. */
  private static final List<String> AS_SHIPPED =
      List.of(
          "-Xms1G",
          "-Xmx1G",
          "-XX:+UseG1GC",
          "-XX:MaxGCPauseMillis=20",
          "-XX:InitiatingHeapOccupancyPercent=35",
          "-XX:+ExplicitGCInvokesConcurrent");

  @Override
  public List<String> nodeCommand(Path configuration) {
    List<String> command =
        new ArrayList<>(Boolean.getBoolean("target.as.shipped") ? AS_SHIPPED : SMALL);
    command.add("-XX:-UsePerfData");
    command.add("-Dlogback.configurationFile=logback-node.xml");
    command.add("kafka.Kafka");
    command.add(configuration.toString());
    return command;
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
