package dev.vitrine.storage;

import dev.vitrine.seam.Disk;
import java.nio.file.Path;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * {@code .kafka_cleanshutdown}: all logs of the directory were closed and synced, so none needs to
 * be scanned. Written last of all at a clean stop, deleted first of all at the start.
 */
final class CleanShutdownMarker {
  private static final String FILE = ".kafka_cleanshutdown";
  private static final Pattern EPOCH = Pattern.compile("\"brokerEpoch\"\\s*:\\s*(-?\\d{1,18})");

  private CleanShutdownMarker() {}

  static void write(Disk disk, Path logDir, long brokerEpoch) {
    AtomicFile.write(
        disk, logDir.resolve(FILE), "{\"version\":0,\"brokerEpoch\":" + brokerEpoch + "}");
  }

  static boolean exists(Disk disk, Path logDir) {
    return disk.exists(logDir.resolve(FILE));
  }

  /** The epoch that the broker had when it stopped; empty if it was not a clean stop. */
  static OptionalLong brokerEpoch(Disk disk, Path logDir) {
    String text = AtomicFile.read(disk, logDir.resolve(FILE));
    Matcher m = text == null ? null : EPOCH.matcher(text);
    return m != null && m.find()
        ? OptionalLong.of(Long.parseLong(m.group(1)))
        : OptionalLong.empty();
  }

  static void delete(Disk disk, Path logDir) {
    disk.delete(logDir.resolve(FILE));
    disk.syncDirectory(logDir);
  }
}
