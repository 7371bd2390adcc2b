package dev.vitrine.storage.powercut;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/**
 * All files and folders below the roots of one disk, by their names of now and by the durable ones.
 * Used under the disk's lock.
 */
final class Names {
  private final LedgerFolder folder;
  private final Map<Path, TrackedFolder> roots = new TreeMap<>();

  /** Everything that has a name now or a durable one. */
  private final TreeMap<Long, Tracked> known = new TreeMap<>();

  private long lastId;

  Names(LedgerFolder folder) {
    this.folder = folder;
  }

  Map<Path, TrackedFolder> roots() {
    return roots;
  }

  TreeMap<Long, Tracked> known() {
    return known;
  }

  /** Null for a path that is not below a root, or has no such name. */
  Tracked find(Path path) {
    for (Map.Entry<Path, TrackedFolder> root : roots.entrySet()) {
      if (path.startsWith(root.getKey())) {
        Tracked at = root.getValue();
        for (Path name : root.getKey().relativize(path)) {
          if (!name.toString().isEmpty()) {
            at = at instanceof TrackedFolder d ? d.now.get(name.toString()) : null;
          }
        }
        return at;
      }
    }
    return null;
  }

  /** The folder that this name is or would be in; null outside of the roots. */
  TrackedFolder parent(Path path) {
    Path folder = path.getParent();
    return folder != null && find(folder) instanceof TrackedFolder d ? d : null;
  }

  TrackedFile newFile(Path path) throws IOException {
    TrackedFile file = new TrackedFile(++lastId, LedgerFolder.inode(path));
    known.put(file.id, file);
    put(parent(path), path, file);
    return file;
  }

  TrackedFolder newFolder(Path path) throws IOException {
    TrackedFolder made = new TrackedFolder(++lastId, LedgerFolder.inode(path));
    known.put(made.id, made);
    if (parent(path) != null) {
      put(parent(path), path, made);
    }
    return made;
  }

  /** A root counts as durable itself. */
  void addRoot(Path path, TrackedFolder known) throws IOException {
    TrackedFolder root = known == null ? newFolder(path) : known;
    root.inode = LedgerFolder.inode(path);
    root.named = true;
    root.pins = 1;
    this.known.put(root.id, root);
    roots.put(path, root);
  }

  void put(TrackedFolder parent, Path path, Tracked t) {
    String name = path.getFileName().toString();
    parent.now.put(name, t);
    parent.changed.add(name);
    t.named = true;
  }

  void remove(TrackedFolder parent, Path path) {
    String name = path.getFileName().toString();
    parent.now.remove(name);
    parent.changed.add(name);
  }

  /** One name fewer of now. */
  void unnamed(Tracked t) throws IOException {
    t.named = false;
    forgetIfLost(t);
  }

  /** One durable name fewer. */
  void unpin(Tracked t) throws IOException {
    t.pins--;
    forgetIfLost(t);
  }

  private void forgetIfLost(Tracked t) throws IOException {
    if (t.named || t.pins > 0) {
      return;
    }
    known.remove(t.id);
    if (t instanceof TrackedFile f) {
      if (f.kept) {
        folder.delete(folder.kept(f));
      }
      dropUndo(f);
    } else {
      for (Tracked child : ((TrackedFolder) t).durable.values()) {
        unpin(child);
      }
    }
  }

  void dropUndo(TrackedFile f) throws IOException {
    if (f.undone) {
      folder.delete(folder.undo(f));
      f.undone = false;
    }
  }

  // --- the begin of a process ---

  /**
   * Takes over what an earlier process has left: the names of now from the file system, what is
   * durable from its ledger. Whatever the ledger does not know is new.
   */
  void takeOver(LedgerText.Content content, Iterable<Path> paths)
      throws IOException, LedgerException {
    lastId = content.lastId;
    known.putAll(content.known);
    Map<Long, Tracked> byInode = new HashMap<>();
    known.values().stream().filter(t -> t.inode != 0).forEach(t -> byInode.put(t.inode, t));
    for (Path path : paths) {
      TrackedFolder root = content.roots.get(path);
      if (root == null) {
        throw new LedgerException("it does not know " + path);
      }
      addRoot(path, root);
      scan(path, root, byInode);
    }
    for (Tracked t : known.values().toArray(new Tracked[0])) {
      if (t instanceof TrackedFile f) {
        takeOver(f);
      } else {
        ((TrackedFolder) t).written = true;
      }
      if (!t.named && t.pins == 0) {
        known.remove(t.id);
      }
    }
    dropLeftovers();
  }

  private void takeOver(TrackedFile f) throws LedgerException {
    f.kept = Files.exists(folder.kept(f));
    f.undone = Files.exists(folder.undo(f));
    f.guarded = f.synced;
    if (f.pins > 0 && !f.named && !f.kept) {
      throw new LedgerException("file " + f.id + " is missing");
    }
  }

  private void scan(Path path, TrackedFolder at, Map<Long, Tracked> byInode)
      throws IOException, LedgerException {
    for (Path entry : LedgerFolder.list(path)) {
      boolean isFolder = Files.isDirectory(entry, LinkOption.NOFOLLOW_LINKS);
      Tracked t = byInode.get(LedgerFolder.inode(entry));
      if (t instanceof TrackedFile f
          && Files.size(entry) < f.synced
          && !Files.exists(folder.undo(f))) {
        throw new LedgerException(entry + " is shorter than what was synced of it");
      }
      if (t instanceof TrackedFolder d && isFolder && !d.named) {
        put(at, entry, d);
        scan(entry, d, byInode);
      } else if (t instanceof TrackedFile && !isFolder && !t.named) {
        put(at, entry, t);
      } else if (isFolder) {
        scan(entry, newFolder(entry), byInode);
      } else {
        newFile(entry);
      }
    }
    at.changed.addAll(at.durable.keySet());
    at.changed.removeIf(name -> at.now.get(name) == at.durable.get(name));
  }

  /** What a process died over before it could remove it. */
  private void dropLeftovers() throws IOException {
    for (Path link : LedgerFolder.list(folder.kept())) {
      Tracked t = known.get(number(link.getFileName().toString()));
      if (t == null || t.pins == 0) {
        folder.delete(link);
        if (t instanceof TrackedFile f) {
          f.kept = false;
        }
      }
    }
    for (Path undo : LedgerFolder.list(folder.undo())) {
      Tracked t = known.get(number(undo.getFileName().toString().split("-")[0]));
      if (!(t instanceof TrackedFile f && folder.undo(f).equals(undo))) {
        folder.delete(undo);
      }
    }
  }

  private static long number(String text) {
    try {
      return Long.parseLong(text);
    } catch (NumberFormatException e) {
      return -1;
    }
  }

  /** Everything that is there is durable: whoever calls this has synced it all. */
  void adopt(Path path) throws IOException, LedgerException {
    addRoot(path, null);
    scan(path, roots.get(path), Map.of());
    for (Tracked t : known.values()) {
      if (t instanceof TrackedFolder d) {
        d.durable.putAll(d.now);
        d.changed.clear();
        d.now.values().forEach(child -> child.pins = 1);
      }
    }
  }
}
