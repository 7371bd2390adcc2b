package dev.vitrine.storage.powercut;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.vitrine.seam.Disk;
import dev.vitrine.seam.DiskFile;
import dev.vitrine.sim.SimDisk;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The same random operations on a {@link PowerCutDisk} and on the simulated disk that keeps nothing
 * of what was not synced: after the power cut both must have the same files. The process is killed
 * at any single step, and the power cut itself too.
 */
class PowerCutModelTest {
  private static final int SEEDS = Integer.getInteger("seeds", 150);
  private static final RandomGenerator NOTHING_IS_KEPT = () -> 0L;

  @TempDir Path temp;

  /** One process's view of a disk. */
  private static final class World {
    final Disk disk;
    final Path root;
    final DiskFile[] held = new DiskFile[3];

    World(Disk disk, Path root) {
      this.disk = disk;
      this.root = root;
    }

    void releaseAll() {
      for (int i = 0; i < held.length; i++) {
        if (held[i] != null) {
          held[i].release();
          held[i] = null;
        }
      }
    }
  }

  private interface Operation {
    void run(World w);
  }

  private static final class Death extends Error {
    private static final long serialVersionUID = 1L;
  }

  /** Lets the process live for so many steps. */
  private static final class Mortal implements Steps {
    int left = Integer.MAX_VALUE;

    @Override
    public void next() {
      if (left <= 0) {
        throw new Death();
      }
      left--;
    }
  }

  @Test
  void whatStaysIsWhatWasSynced() throws Exception {
    long only = Long.getLong("seed", -1);
    for (long seed = only < 0 ? 0 : only; seed < (only < 0 ? SEEDS : only + 1); seed++) {
      {
        Path folder = Files.createDirectory(temp.resolve("run-" + seed));
        try {
          run(seed, folder);
        } catch (AssertionError | RuntimeException e) {
          throw new AssertionError("-Dseed=" + seed + ": " + e.getMessage(), e);
        }
        delete(folder);
      }
    }
  }

  private void run(long seed, Path folder) throws Exception {
    SplittableRandom random = new SplittableRandom(seed);
    Path root = Files.createDirectory(folder.resolve("data"));
    Mortal steps = new Mortal();
    LedgerFolder ledger = new LedgerFolder(folder.resolve("ledger"), steps, random.nextInt(500));
    List<Operation> done = new ArrayList<>();
    World world = new World(PowerCutDisk.open(ledger, List.of(root)), root);
    int rounds = 1 + random.nextInt(3);
    for (int round = 0; round < rounds; round++) {
      int operations = 1 + random.nextInt(60);
      boolean dies = random.nextBoolean();
      if (dies) {
        steps.left = random.nextInt(2 * operations + 1);
      }
      Operation last = null;
      for (int i = 0; i < operations && (last == null || !dead(steps)); i++) {
        last = random.nextInt(25) == 0 ? null : operation(random);
        if (last == null) {
          steps.left = dies ? steps.left : Integer.MAX_VALUE;
          world = restarted(world, ledger, steps, done);
        } else if (attempt(last, world)) {
          done.add(last);
        } else {
          break;
        }
      }
      boolean died = dead(steps) && last != null && !done.contains(last);
      world.releaseAll();
      steps.left = Integer.MAX_VALUE;
      if (random.nextInt(3) == 0) {
        PowerCutDisk.open(ledger, List.of(root)); // killed, started, and killed again
      }
      if (Boolean.getBoolean("trace")) {
        System.out.println(Files.readString(ledger.ledger()));
        System.out.println(contents(new dev.vitrine.storage.NioDisk(), folder));
      }
      cut(ledger, steps, random);
      List<Operation> before = List.copyOf(done);
      List<Operation> after = new ArrayList<>(done);
      if (died) {
        after.add(last);
      }
      Map<String, String> now = contents(new dev.vitrine.storage.NioDisk(), root);
      Map<String, String> allowed = durable(before, root);
      if (!now.equals(allowed)) {
        Map<String, String> other = durable(after, root);
        if (!now.equals(other)) {
          assertEquals(died ? allowed + " or " + other : allowed.toString(), now.toString());
        }
        done.add(last);
      }
      done.add(PowerGoes.INSTANCE);
      if (Boolean.getBoolean("trace")) {
        System.out.println("power cut" + (died ? " in the last operation" : "") + ": " + now);
      }
      world = new World(PowerCutDisk.open(ledger, List.of(root)), root);
    }
    world.releaseAll();
  }

  private static boolean dead(Mortal steps) {
    return steps.left <= 0;
  }

  private static boolean attempt(Operation operation, World world) {
    try {
      operation.run(world);
      return true;
    } catch (UncheckedIOException e) {
      return true; // as on the other disk
    } catch (Death e) {
      return false;
    }
  }

  private static World restarted(
      World world, LedgerFolder ledger, Mortal steps, List<Operation> done) {
    world.releaseAll();
    done.add(ProcessDies.INSTANCE);
    if (Boolean.getBoolean("trace")) {
      System.out.println("  process restarts");
    }
    int left = steps.left;
    steps.left = Integer.MAX_VALUE;
    World next = new World(PowerCutDisk.open(ledger, List.of(world.root)), world.root);
    steps.left = left;
    return next;
  }

  /** Cuts the power, at times in several attempts. */
  private static void cut(LedgerFolder ledger, Mortal steps, SplittableRandom random)
      throws Exception {
    while (random.nextBoolean()) {
      steps.left = random.nextInt(20);
      try {
        PowerCut.run(ledger, false, 0);
      } catch (Death e) {
        // again
      }
    }
    steps.left = Integer.MAX_VALUE;
    PowerCut.run(ledger, false, 0);
    assertTrue(Files.notExists(ledger.marker()));
  }

  private enum ProcessDies implements Operation {
    INSTANCE;

    @Override
    public void run(World w) {
      Arrays.fill(w.held, null);
      ((SimDisk) w.disk).killProcess();
    }
  }

  private enum PowerGoes implements Operation {
    INSTANCE;

    @Override
    public void run(World w) {
      Arrays.fill(w.held, null);
      ((SimDisk) w.disk).crash(NOTHING_IS_KEPT);
    }
  }

  /** What these operations leave on the simulated disk when the power goes. */
  private static Map<String, String> durable(List<Operation> operations, Path root) {
    SimDisk disk = new SimDisk();
    disk.createDirectories(root);
    for (Path p = root; p.getParent() != null; p = p.getParent()) {
      disk.syncDirectory(p.getParent());
    }
    World world = new World(disk, root);
    operations.forEach(o -> attempt(o, world));
    disk.crash(NOTHING_IS_KEPT);
    return contents(disk, root);
  }

  private static Map<String, String> contents(Disk disk, Path at) {
    Map<String, String> all = new TreeMap<>();
    contents(disk, at, "", all);
    return all;
  }

  private static void contents(Disk disk, Path at, String name, Map<String, String> all) {
    for (Path p : disk.list(at)) {
      String path = name + "/" + p.getFileName();
      if (disk.isDirectory(p)) {
        all.put(path, "folder");
        contents(disk, p, path, all);
      } else {
        DiskFile file = disk.openForRead(p);
        ByteBuf bytes = Unpooled.buffer();
        file.read(0, (int) file.size(), bytes);
        file.release();
        all.put(path, hex(bytes));
      }
    }
  }

  private static String hex(ByteBuf bytes) {
    return io.netty.buffer.ByteBufUtil.hexDump(bytes);
  }

  // --- operations ---

  private static Path folder(World w, int n) {
    return n == 0 ? w.root : w.root.resolve("d" + n);
  }

  private static Operation operation(SplittableRandom random) {
    int d = random.nextInt(4);
    int e = 1 + random.nextInt(3);
    int f = random.nextInt(3);
    int g = random.nextInt(3);
    int n = random.nextInt(9);
    int h = random.nextInt(3);
    byte[] bytes = new byte[1 + random.nextInt(6)];
    random.nextBytes(bytes);
    int kind = random.nextInt(17);
    if (Boolean.getBoolean("trace")) {
      System.out.printf("  kind %d d%d e%d f%d g%d n%d h%d%n", kind, d, e, f, g, n, h);
    }
    return switch (kind) {
      case 0, 1 -> w -> w.disk.createDirectories(folder(w, e));
      case 2, 3 -> w -> with(w, d, f, file -> file.append(Unpooled.wrappedBuffer(bytes)));
      case 4 -> w -> with(w, d, f, file -> file.write(n, Unpooled.wrappedBuffer(bytes)));
      case 5 -> w -> with(w, d, f, file -> file.truncate(n));
      case 6, 7 -> w -> with(w, d, f, DiskFile::sync);
      case 8 -> w -> w.disk.rename(folder(w, d).resolve("f" + f), folder(w, d).resolve("f" + g));
      case 9 ->
          w -> {
            if (d > 0 && d != e) {
              w.disk.rename(folder(w, d), folder(w, e));
            }
          };
      case 10 -> w -> w.disk.delete(folder(w, d).resolve("f" + f));
      case 11 -> w -> w.disk.delete(folder(w, e));
      case 12, 13, 14 -> w -> w.disk.syncDirectory(folder(w, d));
      case 15 ->
          w -> {
            if (w.held[h] == null) {
              w.held[h] = w.disk.open(folder(w, d).resolve("f" + f));
            } else {
              w.held[h].release();
              w.held[h] = null;
            }
          };
      default ->
          w -> {
            if (w.held[h] != null) {
              switch (n % 3) {
                case 0 -> w.held[h].write(n, Unpooled.wrappedBuffer(bytes));
                case 1 -> w.held[h].truncate(n / 2);
                default -> w.held[h].sync();
              }
            }
          };
    };
  }

  private static void with(
      World w, int folder, int name, java.util.function.Consumer<DiskFile> use) {
    DiskFile file = w.disk.open(folder(w, folder).resolve("f" + name));
    try {
      use.accept(file);
    } finally {
      file.release();
    }
  }

  private static void delete(Path path) throws IOException {
    try (Stream<Path> files = Files.walk(path)) {
      for (Path p : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(p);
      }
    }
  }
}
