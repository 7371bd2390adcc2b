package dev.vitrine.broker.group;

import dev.vitrine.protocol.ApiMessage;
import dev.vitrine.protocol.message.ConsumerGroupMetadataValue;
import dev.vitrine.protocol.message.ConsumerGroupRegularExpressionValue;
import dev.vitrine.protocol.message.ConsumerGroupTargetAssignmentMemberValue;
import dev.vitrine.protocol.message.ConsumerGroupTargetAssignmentMetadataValue;
import dev.vitrine.protocol.message.GroupMetadataValue;
import dev.vitrine.protocol.message.OffsetCommitValue;
import dev.vitrine.protocol.record.Batches;
import dev.vitrine.protocol.record.RecordIterator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Records of {@code __consumer_offsets} in a form that can be compared: no times, ids by number.
 * {@link #main} prints those in a segment file of an Apache Kafka that has just had the
 * conversation of {@link GroupTranscript}.
 */
final class RecordsText {
  private static final Pattern RANDOM_ID = Pattern.compile("memberId=([\\w-]{22})[,)]");

  private final Map<String, String> names = new TreeMap<>();

  private RecordsText() {}

  public static void main(String[] args) throws IOException {
    ByteBuf segment = Unpooled.wrappedBuffer(Files.readAllBytes(Path.of(args[0])));
    List<CoordinatorRecord> records = new ArrayList<>();
    Batches batches = new Batches(segment);
    while (batches.next()) {
      try (RecordIterator i = batches.batch().records()) {
        while (i.next()) {
          records.add(CoordinatorRecord.read(i.record()));
        }
      }
    }
    of(records).forEach(System.out::println);
  }

  static List<String> of(List<CoordinatorRecord> records) {
    RecordsText text = new RecordsText();
    List<String> lines = new ArrayList<>();
    for (CoordinatorRecord r : records) {
      String value = r.value() == null ? "tombstone" : "v" + r.valueVersion() + " " + text.value(r);
      lines.add(text.plain(r.key() + " " + value));
    }
    return sorted(lines);
  }

  /** Members of a group follow one another as Kafka's hash table has them. */
  private static List<String> sorted(List<String> lines) {
    List<String> all = new ArrayList<>();
    List<String> run = new ArrayList<>();
    for (String line : lines) {
      if (!run.isEmpty() && !kind(line).equals(kind(run.get(0)))) {
        run.sort(null);
        all.addAll(run);
        run.clear();
      }
      run.add(line);
    }
    run.sort(null);
    all.addAll(run);
    return all;
  }

  private static String kind(String line) {
    int member = line.indexOf("memberId=");
    return member < 0 ? line : line.substring(0, member);
  }

  private String value(CoordinatorRecord r) {
    if (r.value() instanceof OffsetCommitValue v) {
      if (v.expireTimestamp() != -1) {
        v.expireTimestamp(v.expireTimestamp() - v.commitTimestamp());
      }
      if (!v.topicId().equals(dev.vitrine.protocol.Uuid.ZERO)) {
        names.put(v.topicId().toString(), "TOPIC-ID");
      }
      v.commitTimestamp(0);
    } else if (r.value() instanceof GroupMetadataValue v) {
      v.currentStateTimestamp(v.currentStateTimestamp() > 0 ? 1 : 0);
      // As Kafka's hash table has them.
      v.members().sort(Comparator.comparing(m -> plain(m.memberId())));
    } else {
      consumerGroup(r.value());
    }
    return r.value().toString();
  }

  private void consumerGroup(ApiMessage value) {
    if (value instanceof ConsumerGroupMetadataValue v) {
      v.metadataHash(v.metadataHash() == 0 ? 0 : 1);
    } else if (value instanceof ConsumerGroupTargetAssignmentMetadataValue v) {
      v.assignmentTimestamp(v.assignmentTimestamp() == 0 ? 0 : 1);
    } else if (value instanceof ConsumerGroupRegularExpressionValue v) {
      v.version(v.version() == 0 ? 0 : 1).timestamp(v.timestamp() == 0 ? 0 : 1);
    } else if (value instanceof ConsumerGroupTargetAssignmentMemberValue v) {
      v.topicPartitions().forEach(t -> t.partitions().sort(null));
      v.topicPartitions().forEach(t -> names.put(t.topicId().toString(), "TOPIC-ID"));
    }
  }

  private String plain(String text) {
    Matcher random = RANDOM_ID.matcher(text);
    while (random.find()) {
      names.computeIfAbsent(random.group(1), id -> "NEW-ID" + names.size());
    }
    Matcher m = GroupTranscript.MEMBER_ID.matcher(text);
    StringBuilder out = new StringBuilder();
    while (m.find()) {
      String name =
          names.computeIfAbsent(m.group(), id -> m.group(1) + "-ID" + (char) ('A' + names.size()));
      m.appendReplacement(out, name);
    }
    m.appendTail(out);
    String plain = out.toString();
    for (Map.Entry<String, String> e : names.entrySet()) {
      plain = plain.replace(e.getKey(), e.getValue());
    }
    return plain;
  }
}
