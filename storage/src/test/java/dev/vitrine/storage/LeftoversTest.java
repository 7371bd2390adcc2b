package dev.vitrine.storage;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.vitrine.seam.DiskFile;
import dev.vitrine.sim.SimDisk;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class LeftoversTest {
  private static final Path DIR = Path.of("/data/t-0");
  private final SimDisk disk = new SimDisk();

  @BeforeEach
  void createFolder() {
    disk.createDirectories(DIR);
  }

  /** A segment's files with one batch of so many records. */
  private void segment(long base, String suffix, int records) {
    DiskFile f = disk.open(LogFiles.path(DIR, base, ".log" + suffix));
    String[] values = new String[records];
    java.util.Arrays.fill(values, "v");
    f.append(TestBatches.batchAt(base, 1, 1, values));
    f.release();
    disk.open(LogFiles.path(DIR, base, ".index" + suffix)).release();
    disk.open(LogFiles.path(DIR, base, ".timeindex" + suffix)).release();
  }

  private List<String> names() {
    return disk.list(DIR).stream()
        .map(p -> p.getFileName().toString().replaceFirst("^0*(\\d+\\.)", "$1"))
        .toList();
  }

  @Test
  void deletesWhatWasToBeDeleted() {
    segment(0, "", 3);
    segment(3, ".deleted", 1);
    disk.open(DIR.resolve("leader-epoch-checkpoint.tmp")).release();
    disk.open(LogFiles.path(DIR, 7, ".index")).release();
    disk.open(LogFiles.path(DIR, 9, ".snapshot")).release();
    disk.open(LogFiles.path(DIR, 0, ".txnindex")).release();
    Leftovers.Found found = new Leftovers(disk, DIR).clear();
    assertEquals(Map.of(0L, true), found.segments());
    assertEquals(List.of(9L), List.copyOf(found.snapshots()));
    assertEquals(List.of("0.index", "0.log", "0.timeindex", "0.txnindex", "9.snapshot"), names());
  }

  @Test
  void dropsACompactionThatWasNotComplete() {
    segment(0, "", 3);
    segment(0, ".cleaned", 1);
    // The second part of a split whose first part was still being cleaned.
    segment(2, ".swap", 1);
    new Leftovers(disk, DIR).clear();
    assertEquals(List.of("0.index", "0.log", "0.timeindex"), names());
    assertEquals(
        TestBatches.batchAt(0, 1, 1, "v", "v", "v").readableBytes(),
        disk.size(LogFiles.path(DIR, 0, ".log")));
  }

  @Test
  void putsACompleteOneInPlaceOfWhatItWasMadeOf() {
    segment(0, "", 3);
    segment(3, "", 3);
    segment(6, "", 3);
    segment(0, ".swap", 5);
    Leftovers.Found found = new Leftovers(disk, DIR).clear();
    assertEquals(List.of(0L, 6L), List.copyOf(found.segments().keySet()));
    assertEquals(
        TestBatches.batchAt(0, 1, 1, "v", "v", "v", "v", "v").readableBytes(),
        disk.size(LogFiles.path(DIR, 0, ".log")));
  }
}
