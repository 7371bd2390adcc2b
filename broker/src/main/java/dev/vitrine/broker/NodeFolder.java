package dev.vitrine.broker;

import dev.vitrine.broker.fault.CutLines;
import dev.vitrine.broker.fault.LinkFaults;
import dev.vitrine.storage.powercut.PowerCutDisk;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.HexFormat;

/**
 * What a node keeps beside its data, in {@code vitrine.node.dir}: the ledger of power cuts, the
 * links that are cut when it starts, port and token of its HTTP listener. Used at the start.
 */
record NodeFolder(Path path) {
  /** The port that the node takes commands on, as long as it runs. */
  static final String HTTP_PORT = "http.port";

  /** What a command has to show; readable by the node's user alone. */
  static final String HTTP_TOKEN = "http.token";

  private static final int TOKEN_BYTES = 24;

  Path ledger() {
    return path.resolve(PowerCutDisk.FOLDER);
  }

  /**
   * @throws IOException if the file is wrong: then it is not known what the node may not hear
   */
  LinkFaults cuts() throws IOException {
    Path file = path.resolve(CutLines.FILE);
    if (!Files.exists(file)) {
      return LinkFaults.NONE;
    }
    try {
      return LinkFaults.NONE.withCuts(CutLines.read(Files.readString(file)));
    } catch (IllegalArgumentException e) {
      throw new IOException(file + ": " + e.getMessage(), e);
    }
  }

  /** Nobody can reach it yet, or any more. */
  void forgetHttp() throws IOException {
    Files.createDirectories(path);
    Files.deleteIfExists(path.resolve(HTTP_PORT));
    Files.deleteIfExists(path.resolve(HTTP_TOKEN));
  }

  String newToken() {
    byte[] bytes = new byte[TOKEN_BYTES];
    new SecureRandom().nextBytes(bytes);
    return HexFormat.of().formatHex(bytes);
  }

  /** The token first: who finds the port finds it too. */
  void writeHttp(int port, String token) throws IOException {
    Path file = path.resolve(HTTP_TOKEN);
    Files.deleteIfExists(file);
    boolean posix = Files.getFileStore(path).supportsFileAttributeView("posix");
    Files.createFile(file, posix ? new FileAttribute<?>[] {onlyMine()} : new FileAttribute<?>[0]);
    Files.writeString(file, token + "\n");
    Path draft = path.resolve(HTTP_PORT + ".new");
    Files.writeString(draft, port + "\n");
    Files.move(
        draft,
        path.resolve(HTTP_PORT),
        StandardCopyOption.ATOMIC_MOVE,
        StandardCopyOption.REPLACE_EXISTING);
  }

  private static FileAttribute<?> onlyMine() {
    return PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));
  }
}
