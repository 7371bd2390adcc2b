package dev.vitrine.quorum;

import dev.vitrine.protocol.Uuid;
import dev.vitrine.protocol.message.QuorumStateData;
import dev.vitrine.seam.Disk;
import dev.vitrine.seam.DiskFile;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The {@code quorum-state} file: Kafka's JSON of {@link QuorumStateData}, version 0. Replaced as a
 * whole, so that a crash leaves the old one or the new one. Reading and writing block: write on a
 * disk worker, one at a time.
 */
final class QuorumStateFile implements QuorumStateStore {
  static final String NAME = "quorum-state";

  private static final short VERSION = 0;
  private static final Pattern DATA_VERSION = Pattern.compile("\"data_version\"\\s*:\\s*(\\d+)");

  private final Disk disk;
  private final Path file;
  private final List<QuorumStateData.Voter> voters;

  QuorumStateFile(Disk disk, Path directory, VoterSet voters) {
    this.disk = disk;
    this.file = directory.resolve(NAME);
    this.voters =
        voters.voters().stream().map(v -> new QuorumStateData.Voter().voterId(v.id())).toList();
  }

  @Override
  public ElectionState read() {
    if (!disk.exists(file)) {
      return ElectionState.INITIAL;
    }
    String text = text();
    Matcher version = DATA_VERSION.matcher(text);
    if (!version.find()) {
      throw new IllegalStateException(file + " has no data_version: " + text);
    }
    short v = Short.parseShort(version.group(1));
    if (v > QuorumStateData.HIGHEST_SUPPORTED_VERSION) {
      throw new IllegalStateException(file + " has the unknown data_version " + v);
    }
    QuorumStateData d = QuorumStateData.fromJson(text, v);
    Uuid directory = d.votedDirectoryId() == null ? Uuid.ZERO : d.votedDirectoryId();
    return new ElectionState(Math.max(0, d.leaderEpoch()), d.leaderId(), d.votedId(), directory);
  }

  @Override
  public void write(ElectionState s) {
    QuorumStateData d =
        new QuorumStateData()
            .clusterId("")
            .leaderId(s.leaderId())
            .leaderEpoch(s.epoch())
            .votedId(s.votedId())
            .currentVoters(voters);
    String json = d.json(VERSION);
    int end = json.lastIndexOf('}');
    String text = json.substring(0, end) + ",\"data_version\":" + VERSION + "}";
    Path tmp = file.resolveSibling(NAME + ".tmp");
    // What an earlier attempt left would stay behind a shorter text.
    disk.delete(tmp);
    DiskFile out = disk.open(tmp);
    try {
      out.append(Unpooled.copiedBuffer(text, StandardCharsets.UTF_8));
      out.sync();
    } finally {
      out.release();
    }
    disk.rename(tmp, file);
    disk.syncDirectory(file.toAbsolutePath().getParent());
  }

  private String text() {
    DiskFile in = disk.openForRead(file);
    try {
      ByteBuf bytes = Unpooled.buffer((int) in.size());
      in.read(0, (int) in.size(), bytes);
      return bytes.toString(StandardCharsets.UTF_8);
    } finally {
      in.release();
    }
  }
}
