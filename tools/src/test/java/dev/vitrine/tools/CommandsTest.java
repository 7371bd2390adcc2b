package dev.vitrine.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.vitrine.broker.InitialQuorum;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** The commands on real processes, whose node is a fake. */
class CommandsTest {
  @TempDir Path temp;
  private Path data;
  private int port;
  private int exit;
  private String out;
  private String err;

  @BeforeEach
  void findPorts() {
    data = temp.resolve("some data");
    port = freePorts();
  }

  @AfterEach
  void endNodes() {
    for (int id = 1; id <= 3; id++) {
      new NodeDirectory(id, data.toAbsolutePath().resolve("node-" + id))
          .process()
          .ifPresent(ProcessHandle::destroyForcibly);
    }
  }

  @Test
  void aClusterLives() throws IOException {
    up("--detach");
    assertEquals(0, exit, err);
    assertTrue(out.contains("Bootstrap servers: 127.0.0.1:%d,".formatted(port)), out);
    assertEquals(3, lines("ready"), out);
    assertEquals(1, lines("leads the quorum"), out);
    assertTrue(out.contains("sees brokers 1,2,3"), out);

    vitrine("status");
    assertEquals(0, exit, err);
    assertEquals(3, lines("ready"), out);

    vitrine("kill", "2");
    assertEquals(0, exit, err);
    vitrine("status");
    assertEquals(1, exit);
    assertEquals(1, lines("dead"), out);
    vitrine("kill", "2");
    assertEquals(1, exit);
    assertEquals("vitrine: node 2 is not running\n", err);

    vitrine("start", "2");
    assertEquals(0, exit, err);
    vitrine("start", "2");
    assertEquals("vitrine: node 2 is already running\n", err);
    vitrine("stop", "3");
    assertEquals(0, exit, err);
    assertTrue(log(3).endsWith("fake node stops\n"), log(3));
    vitrine("status");
    assertEquals(1, lines("stopped"), out);
    vitrine("stop", "7");
    assertEquals(2, exit);

    vitrine("down");
    assertEquals("Stopped nodes 1, 2.\n", out);
    vitrine("down");
    assertEquals(0, exit);
    assertTrue(out.startsWith("No node"), out);
  }

  @Test
  void whatANodeCannotDoIsSaidAndDoesNoHarm() throws IOException {
    up("--detach");
    vitrine("power-cut", "2");
    assertEquals(1, exit);
    assertTrue(
        err.startsWith("vitrine: it is not known what node 2 has synced: ")
            && err.contains("ledger is missing. It must have run last with vitrine.faults=true"),
        err);
    vitrine("slow", "2", "--delay", "5");
    assertEquals(1, exit);
    assertTrue(err.startsWith("vitrine: node 2 takes no commands ("), err);
    vitrine("status");
    assertEquals(3, lines("ready"), "nobody was killed for that");

    for (String[] wrong :
        new String[][] {
          {"cut", "1"},
          {"cut", "1", "1"},
          {"cut", "1", "2", "--from", "2"},
          {"cut", "1", "4"},
          {"heal", "1"},
          {"slow", "1"},
          {"power-cut", "1", "--seed", "1"},
          {"fault", "1", "--error", "NONE"},
          {"fault", "1", "--api", "FETCH", "--drop", "--drop-answer"},
        }) {
      vitrine(wrong);
      assertEquals(2, exit, String.join(" ", wrong) + ": " + err);
    }
    vitrine("heal");
    assertEquals("There was nothing to heal.\n", out);
    vitrine("stop", "3");
    vitrine("slow", "3", "--delay", "5");
    assertEquals("vitrine: node 3 is not running\n", err);
  }

  @Test
  void aNodeWithoutFaultPointsIsAnsweredFor() throws Exception {
    NodeDirectory node = new NodeDirectory(1, temp);
    try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
      Files.writeString(temp.resolve("http.port"), server.getLocalPort() + "\n");
      Files.writeString(temp.resolve("http.token"), "secret\n");
      for (String status : List.of("404 Not Found", "200 OK", "400 Bad Request")) {
        Thread answers =
            new Thread(
                () -> {
                  try (var socket = server.accept()) {
                    socket.getInputStream().read(new byte[4_000]);
                    String answer = "HTTP/1.1 " + status + "\r\nX: y\r\n\r\nslow 5 ms\n";
                    socket.getOutputStream().write(answer.getBytes());
                  } catch (IOException e) {
                    throw new java.io.UncheckedIOException(e);
                  }
                });
        answers.start();
        if (status.startsWith("200")) {
          assertEquals("slow 5 ms", NodeHttp.get(node, "/faults"));
        } else {
          Class<? extends Exception> kind =
              status.startsWith("404") ? IOException.class : CommandFailure.class;
          assertThrows(kind, () -> NodeHttp.get(node, "/faults"));
        }
        answers.join();
      }
    }
  }

  @Test
  void aPausedNodeIsNotDead() throws IOException {
    up("--detach");
    vitrine("pause", "2");
    assertEquals("Paused node 2.\n", out);
    vitrine("status");
    assertEquals(0, exit, err);
    assertEquals(1, lines("paused   pid "), out);
    assertEquals(2, lines("ready"), out);
    vitrine("start", "2");
    assertEquals("vitrine: node 2 is already running\n", err);
    vitrine("pause", "2");
    assertEquals(0, exit, err);

    vitrine("resume", "2");
    assertEquals("Resumed node 2.\n", out);
    vitrine("resume", "2");
    assertEquals(0, exit, err);
    vitrine("status");
    assertEquals(3, lines("ready"), out);

    vitrine("pause", "2");
    vitrine("stop", "2");
    assertEquals(0, exit, err);
    assertTrue(log(2).endsWith("fake node stops\n"), log(2));
    vitrine("pause", "3");
    vitrine("kill", "3");
    assertEquals(0, exit, err);
    for (String command : List.of("pause", "resume")) {
      for (String id : List.of("2", "3")) {
        vitrine(command, id);
        assertEquals(1, exit);
        assertEquals("vitrine: node %s is not running\n".formatted(id), err);
      }
      vitrine(command, "4");
      assertEquals(2, exit);
      assertOneLine();
      vitrine(command);
      assertEquals(2, exit);
    }
    vitrine("pause", "--help");
    assertTrue(out.contains("SIGSTOP"), out);
  }

  @Test
  void upStartsTheSameClusterAgain() throws IOException {
    up("--detach", "--config", "log.segment.bytes=1000000", "num.partitions=4");
    assertEquals(0, exit, err);
    up("--detach");
    assertEquals(1, exit);
    assertTrue(err.contains("already runs (nodes 1, 2, 3)"), err);
    vitrine("down");

    Path file = data.resolve("node-2/server.properties");
    String edited = Files.readString(file) + "mine=kept\n";
    Files.writeString(file, edited);
    assertTrue(edited.contains("\nnum.partitions=4\n"), edited);
    vitrine("up", "--detach", "--nodes", "4");
    assertEquals(2, exit);
    assertTrue(err.startsWith("vitrine: --nodes 4 contradicts"), err);
    vitrine("up", "--detach", "--port", "19");
    assertEquals(2, exit);
    vitrine("up", "--detach");
    assertEquals(0, exit, err);
    assertEquals(edited, Files.readString(file));
    vitrine("down");

    vitrine("up", "--detach", "--config", "num.partitions=6");
    assertEquals(edited.replace("partitions=4", "partitions=6"), Files.readString(file));
    vitrine("up", "--config", "node.id=6");
    assertEquals(2, exit);
    assertOneLine();
  }

  @Test
  void aPortInUseIsNamed() throws IOException {
    try (ServerSocket taken = new ServerSocket(port + 1, 1, InetAddress.getByName("127.0.0.1"))) {
      assertTrue(taken.isBound());
      up("--detach");
    }
    assertEquals(1, exit);
    assertTrue(err.startsWith("vitrine: port %d (clients of node 2)".formatted(port + 1)), err);
    assertOneLine();
    assertFalse(Files.exists(data));
  }

  @Test
  void aNodeThatDiesShowsWhy() {
    up("--detach", "--config", "fake.dies=3");
    assertEquals(1, exit);
    assertTrue(err.contains("node 3 ended while it started (exit code 1)"), err);
    assertTrue(err.contains("what fake node died of"), err);
    vitrine("status");
    assertEquals(3, lines("stopped"), out);
  }

  @Test
  void aDamagedFolderIsNamed() throws IOException {
    up("--detach");
    vitrine("down");
    Path meta = data.resolve("node-2/data/meta.properties");
    byte[] was = Files.readAllBytes(meta);
    Files.delete(meta);
    assertDamaged("meta.properties is missing");
    Files.write(meta, new byte[0]);
    assertDamaged("no cluster.id");
    Files.writeString(meta, "cluster.id=another\n");
    assertDamaged("belongs to cluster another");
    Files.write(meta, was);

    Path third = data.resolve("node-3/server.properties");
    Files.delete(third);
    assertDamaged("server.properties is missing");
    Files.writeString(third, "node.id=\\u00zz");
    assertDamaged("can't be read");
    Files.writeString(third, "node.id=1");
    assertDamaged("node.id is not 3");
    Files.writeString(data.resolve("node-1/server.properties"), "");
    assertDamaged("no PLAINTEXT");
  }

  private void assertDamaged(String why) {
    for (String command : List.of("up", "status", "down")) {
      vitrine(command);
      assertEquals(1, exit);
      assertTrue(err.contains(why), err);
      assertOneLine();
    }
  }

  @Test
  void aStartThatWasCutShortGoesOn() throws IOException {
    up("--no-wait");
    vitrine("down");
    assertEquals("Stopped nodes 1, 2, 3.\n", out);
    String id = Files.readString(data.resolve("node-3/data/meta.properties"));
    Files.delete(data.resolve("node-1/server.properties"));
    Files.delete(data.resolve("node-2/data/meta.properties"));
    up("--detach");
    assertEquals(0, exit, err);
    assertEquals(id, Files.readString(data.resolve("node-2/data/meta.properties")));
  }

  @Test
  void aPidThatNowIsAnothersIsLeftAlone() throws IOException {
    up("--detach");
    vitrine("down");
    Files.writeString(data.resolve("node-1/pid"), ProcessHandle.current().pid() + "\n");
    vitrine("status");
    assertEquals(1, lines("dead"), out);
    for (String command : List.of("kill", "pause", "resume")) {
      vitrine(command, "1");
      assertEquals("vitrine: node 1 is not running\n", err);
    }
    vitrine("down");
    assertEquals(0, exit);
  }

  @Test
  void usageIsExitCode2() {
    vitrine("up", "--nodes", "none");
    assertEquals(2, exit);
    vitrine("up", "--live", "1", "--no-live");
    assertEquals(2, exit);
    vitrine("up", "--nodes", "0");
    assertEquals(2, exit);
    vitrine("up", "--port", "64999", "--nodes", "3");
    assertEquals(2, exit);
    vitrine("dance");
    assertEquals(2, exit);
    vitrine("status");
    assertEquals(1, exit);
    assertTrue(err.startsWith("vitrine: there is no cluster in " + data), err);
  }

  private void assertOneLine() {
    assertEquals(1, err.lines().count(), err);
  }

  private long lines(String with) {
    return out.lines().filter(line -> line.contains(with)).count();
  }

  private String log(int id) throws IOException {
    return Files.readString(data.resolve("node-" + id + "/log"));
  }

  private void up(String... options) {
    List<String> all = new ArrayList<>(List.of("up", "--port", String.valueOf(port)));
    all.addAll(List.of(options));
    vitrine(all.toArray(String[]::new));
  }

  private void vitrine(String... args) {
    Installation installation =
        new Installation(
            Path.of(System.getProperty("java.home"), "bin", "java"),
            List.of("-Xmx32m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"),
            System.getProperty("java.class.path"),
            FakeNode.class.getName(),
            temp.resolve("state"));
    CommandLine commandLine = new Vitrine(() -> installation, CommandsTest::format).commandLine();
    StringWriter outText = new StringWriter();
    StringWriter errText = new StringWriter();
    commandLine.setOut(new PrintWriter(outText)).setErr(new PrintWriter(errText));
    List<String> all = new ArrayList<>(List.of(args));
    if (!args[0].equals("dance")) {
      all.addAll(List.of("--data", data.toString()));
    }
    exit = commandLine.execute(all.toArray(String[]::new));
    out = outText.toString();
    err = errText.toString();
  }

  private static void format(Path configuration, String clusterId, InitialQuorum quorum)
      throws IOException {
    Path folder = Path.of(Configuration.read(configuration).getProperty("log.dirs"));
    Files.createDirectories(folder);
    Files.writeString(folder.resolve("meta.properties"), "cluster.id=" + clusterId + "\n");
  }

  /**
   * Below those that the system gives to clients: a node's port must be free at its restart too.
   */
  private static int freePorts() {
    SplittableRandom random = new SplittableRandom();
    while (true) {
      int first = random.nextInt(12_000, 31_000);
      if (IntStream.range(0, 3).allMatch(i -> isFree(first + i) && isFree(first + 1000 + i))) {
        return first;
      }
    }
  }

  private static boolean isFree(int port) {
    try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getByName("127.0.0.1"))) {
      return socket.isBound();
    } catch (IOException e) {
      return false;
    }
  }
}
