package dev.vitrine.compat;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.NewTopic;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Debian's kcat, and with it librdkafka: the client of most languages that are not Java. */
@Tag("smoke")
class KcatTest {
  private static final String TOPIC = "by-kcat";

  @Test
  void itListsProducesAndConsumesWithAGroup() throws Exception {
    assumeTrue(isInstalled(), "kcat is not installed");
    try (ClusterUnderTest cluster = LocalCluster.start("kcat", 3, Map.of())) {
      new Clients(cluster.bootstrap()).createTopic(new NewTopic(TOPIC, 2, (short) 3));
      String servers = cluster.bootstrap();
      String listed = kcat("", "-b", servers, "-L");
      assertTrue(listed.contains("3 brokers:"), listed);
      assertTrue(listed.contains("topic \"" + TOPIC + "\" with 2 partitions:"), listed);

      for (String codec : List.of("none", "gzip", "snappy", "lz4", "zstd")) {
        String lines = codec + "-1\n" + codec + "-2\n";
        kcat(lines, "-b", servers, "-P", "-t", TOPIC, "-z", codec, "-X", "enable.idempotence=true");
      }
      String all = kcat("", "-b", servers, "-C", "-t", TOPIC, "-o", "beginning", "-e", "-q");
      assertEquals(10, all.lines().distinct().count(), all);

      // A group reads them, commits, and has nothing more to read the second time.
      String[] group = {
        "-b", servers, "-G", "kcats", "-e", "-q", "-X", "auto.offset.reset=earliest", TOPIC
      };
      assertEquals(all.lines().sorted().toList(), kcat("", group).lines().sorted().toList());
      kcat("last\n", "-b", servers, "-P", "-t", TOPIC);
      assertEquals("last\n", kcat("", group));
    }
  }

  private static boolean isInstalled() {
    return Stream.of(System.getenv("PATH").split(":"))
        .anyMatch(folder -> Files.isExecutable(Path.of(folder, "kcat")));
  }

  private static String kcat(String input, String... args)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of("kcat"));
    command.addAll(List.of(args));
    Process process =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    process.getOutputStream().write(input.getBytes(StandardCharsets.UTF_8));
    process.getOutputStream().close();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertEquals(0, process.waitFor(), output);
    return output;
  }
}
