package dev.vitrine.tools;

import dev.vitrine.broker.fault.CutLines;
import dev.vitrine.storage.powercut.PowerCutDisk;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * One node's folder: {@code server.properties}, {@code log} (all that its process prints), {@code
 * pid}, {@code data/}, and what the node itself keeps beside its data. It also finds the node's
 * process. It never writes below {@code data/}: that is the node's own.
 *
 * @param id the node's id
 * @param path absolute path of the folder
 */
record NodeDirectory(int id, Path path) {
  /** Before all others on a node's command line; tells its process from one that got its pid. */
  static final String MARK = "-Dvitrine.node=";

  Path configuration() {
    return path.resolve("server.properties");
  }

  Path log() {
    return path.resolve("log");
  }

  Path data() {
    return path.resolve("data");
  }

  /** Where the node notes what it has synced. */
  Path ledger() {
    return path.resolve(PowerCutDisk.FOLDER);
  }

  /** The links of this node that are cut. */
  Path cuts() {
    return path.resolve(CutLines.FILE);
  }

  private Path pidFile() {
    return path.resolve("pid");
  }

  boolean isFormatted() {
    return Files.exists(data().resolve("meta.properties"));
  }

  /** The id of the cluster that the data belong to, if they have been formatted. */
  Optional<String> clusterId() {
    if (!isFormatted()) {
      return Optional.empty();
    }
    Path file = data().resolve("meta.properties");
    String id = Configuration.read(file).getProperty("cluster.id", "").strip();
    if (id.isEmpty()) {
      throw CommandFailure.failed("%s is damaged: it has no cluster.id", file);
    }
    return Optional.of(id);
  }

  void writePid(long pid) {
    try {
      Files.writeString(pidFile(), pid + "\n");
    } catch (IOException e) {
      throw CommandFailure.failed("%s can't be written: %s", pidFile(), e.getMessage());
    }
  }

  /** Says that the node is meant to be down; a node that died by itself keeps its file. */
  void removePid() {
    try {
      Files.deleteIfExists(pidFile());
    } catch (IOException e) {
      throw CommandFailure.failed("%s can't be removed: %s", pidFile(), e.getMessage());
    }
  }

  boolean hasPid() {
    return Files.exists(pidFile());
  }

  /**
   * The node's living process. A pid is used again by the system sooner or later, so the process
   * must also have been started for this very folder.
   */
  Optional<ProcessHandle> process() {
    long pid;
    try {
      pid = Long.parseLong(Files.readString(pidFile()).strip());
    } catch (IOException | NumberFormatException e) {
      return Optional.empty();
    }
    return ProcessHandle.of(pid).filter(this::isRunning);
  }

  /**
   * Whether this is the node's process and it runs; one that has ended but is not reaped doesn't.
   */
  boolean isRunning(ProcessHandle process) {
    String[] arguments = process.info().arguments().orElse(new String[0]);
    return process.isAlive() && List.of(arguments).contains(MARK + path);
  }

  long logSize() {
    try {
      return Files.exists(log()) ? Files.size(log()) : 0;
    } catch (IOException e) {
      return 0;
    }
  }

  /**
   * The last lines of the log, at most {@code lines}, and none from before byte {@code from}. The
   * frames of stack traces are left out: what matters is above them.
   */
  List<String> lastLogLines(int lines, long from) {
    try (RandomAccessFile file = new RandomAccessFile(log().toFile(), "r")) {
      long start = Math.max(from, file.length() - 16_384);
      byte[] tail = new byte[(int) (file.length() - start)];
      file.seek(start);
      file.readFully(tail);
      List<String> all =
          new String(tail, StandardCharsets.UTF_8)
              .lines()
              .filter(line -> !line.startsWith("\tat ") && !line.startsWith("\t... "))
              .toList();
      return all.subList(Math.max(0, all.size() - lines), all.size());
    } catch (IOException e) {
      return List.of();
    }
  }
}
