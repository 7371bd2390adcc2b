package dev.vitrine.compat;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The first minutes of a user: the script `vitrine`, its nodes, and Kafka's own tools by it. */
@Tag("smoke")
class CommandTest {
  private static final int SIGINT = 2;

  @TempDir Path temp;
  private Path data;
  private VitrineScript vitrine;

  @BeforeEach
  void onlyOurOwn() {
    assumeTrue(Target.isVitrine());
    data = temp.resolve("data");
    vitrine = new VitrineScript(temp);
  }

  @AfterEach
  void stop() throws Exception {
    if (Files.exists(data)) {
      vitrine.run("", "down", "--data", data.toString());
    }
  }

  @Test
  void theFirstMinutes() throws Exception {
    assertTrue(vitrine.ok("", "--version").out().startsWith("vitrine "));
    String up = vitrine.ok("", "up", "--detach", "--port", port(), "--data", data.toString()).out();
    assertEquals(3, up.lines().filter(line -> line.contains(" ready ")).count(), up);

    // Nobody says where the cluster is: the tools find the last one started.
    vitrine.ok("one\ntwo\n", "kafka-console-producer", "--topic", "t");
    VitrineScript.Result read =
        vitrine.ok(
            "",
            "kafka-console-consumer",
            "--topic",
            "t",
            "--from-beginning",
            "--max-messages",
            "2");
    assertEquals("one\ntwo\n", read.out());
    String topics = vitrine.ok("", "kafka-topics", "--describe", "--topic", "t").out();
    assertTrue(topics.contains("ReplicationFactor: 3"), topics);
    assertTrue(topics.contains("Leader: "), topics);
    assertTrue(topics.contains("Isr: "), topics);
    String quorum = vitrine.ok("", "kafka-metadata-quorum", "describe", "--status").out();
    assertTrue(quorum.contains("LeaderId:"), quorum);
    assertEquals(1, vitrine.run("", "kafka-topics", "--describe", "--topic", "none").exitCode());

    vitrine.ok("", "kill", "2", "--data", data.toString());
    VitrineScript.Result status = vitrine.run("", "status", "--data", data.toString());
    assertEquals(1, status.exitCode());
    assertTrue(status.out().contains(" dead "), status.out());
    String again = vitrine.ok("", "start", "2", "--data", data.toString()).out();
    assertTrue(again.contains(" ready "), again);
    vitrine.ok("", "down", "--data", data.toString());

    String log = data.resolve("node-1/data/t-0/00000000000000000000.log").toString();
    String dump = vitrine.ok("", "kafka-dump-log", "--print-data-log", "--files", log).out();
    assertTrue(dump.contains("payload: two"), dump);
  }

  @Test
  void theForegroundStopsAllNodes() throws Exception {
    Path out = temp.resolve("up.out");
    Process up =
        vitrine
            .process("up", "--nodes", "1", "--port", port(), "--data", data.toString())
            .redirectOutput(out.toFile())
            .start();
    Await.until(
        "it is up",
        () -> {
          assertTrue(up.isAlive(), () -> "up has ended");
          return Files.readString(out).contains("Ctrl-C stops the cluster");
        });
    // Who runs this in the background has SIGINT ignored, and so has the command then.
    boolean deaf = ignores(up.pid(), SIGINT);
    String signal = deaf ? "TERM" : "INT";
    new ProcessBuilder("sh", "-c", "kill -" + signal + " " + up.pid()).start().waitFor();
    assertTrue(up.waitFor(2, TimeUnit.MINUTES), "up goes on after SIG" + signal);
    assertEquals(deaf ? 143 : 130, up.exitValue());
    assertTrue(Files.readString(out).contains("Stopped."), Files.readString(out));
    assertFalse(vitrine.run("", "status", "--data", data.toString()).out().contains("pid"));
  }

  private static boolean ignores(long pid, int signal) throws IOException {
    Path status = Path.of("/proc/" + pid + "/status");
    if (!Files.exists(status)) {
      return false;
    }
    for (String line : Files.readAllLines(status)) {
      if (line.startsWith("SigIgn:")) {
        return (Long.parseUnsignedLong(line.substring(7).trim(), 16) & 1L << (signal - 1)) != 0;
      }
    }
    return false;
  }

  private static String port() {
    return String.valueOf(LocalCluster.freePorts(3, 1_000));
  }
}
