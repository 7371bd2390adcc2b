package dev.vitrine.storage.powercut;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.CRC32;

/**
 * The lines of a ledger, each with a checksum in front:
 *
 * <pre>
 *   v 1                                   the first line
 *   r FOLDER-ID INODE PATH                a root: one of log.dirs
 *   s ID INODE LENGTH EPOCH               so many bytes of this file are durable
 *   d FOLDER-ID INODE CHANGE...           names of this folder are durable, each of
 *     +f:ID:INODE:NAME, +d:ID:INODE:NAME    a file, a folder of this name
 *     -NAME                                 no such name any more
 *   x ID                                  its inode may become another's from here on
 * </pre>
 *
 * What no durable name refers to any more is forgotten. A last line that is not whole was being
 * written when the process died, and nobody was told of what it says.
 */
final class LedgerText {
  /** What the lines say. */
  static final class Content {
    final Map<Path, TrackedFolder> roots = new TreeMap<>();
    final Map<Long, Tracked> known = new TreeMap<>();
    long lastId;
  }

  private LedgerText() {}

  static Content read(LedgerFolder folder) throws LedgerException, IOException {
    String text;
    try {
      text = Files.readString(folder.ledger());
    } catch (NoSuchFileException e) {
      throw new LedgerException(folder.ledger() + " is missing");
    } catch (java.nio.charset.CharacterCodingException e) {
      throw new LedgerException(folder.ledger() + " is damaged: it is no text");
    }
    Content content = new Content();
    int number = 0;
    int at = 0;
    while (true) {
      int end = text.indexOf('\n', at);
      if (end < 0) {
        break;
      }
      number++;
      try {
        take(content, checked(text.substring(at, end)), number);
      } catch (RuntimeException e) {
        throw new LedgerException(folder.ledger() + " is damaged in line " + number);
      }
      at = end + 1;
    }
    if (number == 0) {
      throw new LedgerException(folder.ledger() + " is damaged: it is empty");
    }
    return content;
  }

  private static String checked(String line) {
    String body = line.substring(9);
    if (line.charAt(8) != ' ' || !line.substring(0, 8).equals(checksum(body))) {
      throw new IllegalArgumentException("checksum");
    }
    return body;
  }

  private static String checksum(String body) {
    CRC32 crc = new CRC32();
    crc.update(body.getBytes(StandardCharsets.UTF_8));
    return String.format("%08x", crc.getValue());
  }

  private static void take(Content content, String line, int number) {
    String[] words = line.split(" ");
    if (number == 1) {
      if (!line.equals("v 1")) {
        throw new IllegalArgumentException("version");
      }
      return;
    }
    long id = Long.parseLong(words[1]);
    switch (words[0]) {
      case "r" -> {
        TrackedFolder root = folder(content, id, Long.parseLong(words[2]));
        root.pins = 1;
        content.roots.put(Path.of(unescaped(words[3])), root);
      }
      case "s" -> {
        TrackedFile file = file(content, id, Long.parseLong(words[2]));
        file.synced = Long.parseLong(words[3]);
        file.epoch = Integer.parseInt(words[4]);
      }
      case "d" -> {
        TrackedFolder folder = folder(content, id, Long.parseLong(words[2]));
        // Only at the end is it known what has no name any more: others may have been renamed.
        List<Tracked> before = new ArrayList<>();
        for (int i = 3; i < words.length; i++) {
          before.add(change(content, folder, words[i]));
        }
        before.forEach(t -> unpin(content, t));
      }
      case "x" -> {
        Tracked t = content.known.get(id);
        if (t != null) {
          t.inode = 0;
          if (t.pins == 0) {
            forget(content, t);
          }
        }
      }
      default -> throw new IllegalArgumentException(words[0]);
    }
  }

  /** Returns what had that name before, or null. */
  private static Tracked change(Content content, TrackedFolder folder, String change) {
    if (change.startsWith("-")) {
      return folder.durable.remove(unescaped(change.substring(1)));
    }
    String[] parts = change.split(":", 4);
    long id = Long.parseLong(parts[1]);
    long inode = Long.parseLong(parts[2]);
    Tracked t =
        switch (parts[0]) {
          case "+f" -> file(content, id, inode);
          case "+d" -> folder(content, id, inode);
          default -> throw new IllegalArgumentException(change);
        };
    t.pins++;
    return folder.durable.put(unescaped(parts[3]), t);
  }

  private static void unpin(Content content, Tracked t) {
    if (t != null && --t.pins == 0) {
      forget(content, t);
    }
  }

  private static void forget(Content content, Tracked t) {
    content.known.remove(t.id);
    if (t instanceof TrackedFolder f) {
      f.durable.values().forEach(child -> unpin(content, child));
    }
  }

  private static TrackedFile file(Content content, long id, long inode) {
    content.lastId = Math.max(content.lastId, id);
    return (TrackedFile) content.known.computeIfAbsent(id, i -> new TrackedFile(id, inode));
  }

  private static TrackedFolder folder(Content content, long id, long inode) {
    content.lastId = Math.max(content.lastId, id);
    Tracked t = content.known.computeIfAbsent(id, i -> new TrackedFolder(id, inode));
    if (inode != 0) {
      t.inode = inode; // it may have been given up for a delete that failed
    }
    return (TrackedFolder) t;
  }

  // --- writing ---

  static String line(String body) {
    return checksum(body) + " " + body + "\n";
  }

  static String version() {
    return line("v 1");
  }

  static String root(TrackedFolder root, Path path) {
    return line("r " + root.id + " " + root.inode + " " + escaped(path.toString()));
  }

  static String synced(TrackedFile f) {
    return line("s " + f.id + " " + f.inode + " " + f.synced + " " + f.epoch);
  }

  static String gone(Tracked t) {
    return line("x " + t.id);
  }

  /**
   * @param changes by name; null for a name that is gone
   */
  static String names(TrackedFolder folder, Map<String, Tracked> changes) {
    List<String> words = new ArrayList<>();
    words.add("d " + folder.id + " " + folder.inode);
    changes.forEach(
        (name, t) -> {
          if (t == null) {
            words.add("-" + escaped(name));
          } else {
            String kind = t instanceof TrackedFile ? "+f:" : "+d:";
            words.add(kind + t.id + ":" + t.inode + ":" + escaped(name));
          }
        });
    return line(String.join(" ", words));
  }

  private static String escaped(String name) {
    return name.replace("%", "%25").replace(" ", "%20").replace("\n", "%0a").replace("\r", "%0d");
  }

  private static String unescaped(String word) {
    return word.replace("%0d", "\r").replace("%0a", "\n").replace("%20", " ").replace("%25", "%");
  }
}
