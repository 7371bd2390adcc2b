package dev.vitrine.compat.chaos;

import dev.vitrine.compat.chaos.Event.Item;
import dev.vitrine.compat.chaos.Event.OnDisk;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.record.internal.FileRecords;
import org.apache.kafka.common.record.internal.RecordBatch;

/** The logs of nodes that are down, read by Kafka's own classes. */
final class Disks {
  private static final String METADATA = "__cluster_metadata";

  private Disks() {}

  /**
   * Writes down what is in a node's folder, but for the metadata: voters may have what is not
   * committed.
   */
  static void record(Recorder recorder, int node, Path logDir) throws IOException {
    for (Path folder : list(logDir)) {
      String name = folder.getFileName().toString();
      int dash = name.lastIndexOf('-');
      if (!Files.isDirectory(folder) || !name.matches(".+-[0-9]+") || name.startsWith(METADATA)) {
        continue;
      }
      TopicPartition partition =
          new TopicPartition(name.substring(0, dash), Integer.parseInt(name.substring(dash + 1)));
      List<Item> batches = new ArrayList<>();
      for (Path file : list(folder)) {
        if (file.toString().endsWith(".log")) {
          read(file, batches);
        }
      }
      recorder.write(new OnDisk(node, partition, batches));
    }
  }

  private static void read(Path file, List<Item> batches) throws IOException {
    try (FileRecords records = FileRecords.open(file.toFile(), false)) {
      for (RecordBatch batch : records.batches()) {
        batch.ensureValid();
        String text =
            "epoch:%d,producer:%d/%d/%d,crc:%x"
                .formatted(
                    batch.partitionLeaderEpoch(),
                    batch.producerId(),
                    batch.producerEpoch(),
                    batch.baseSequence(),
                    batch.checksum());
        batches.add(new Item(batch.lastOffset(), text));
      }
    }
  }

  private static List<Path> list(Path folder) throws IOException {
    try (Stream<Path> entries = Files.list(folder)) {
      return entries.sorted().toList();
    }
  }
}
