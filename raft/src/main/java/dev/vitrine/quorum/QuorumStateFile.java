package dev.vitrine.quorum;

import dev.vitrine.protocol.Uuid;
import dev.vitrine.protocol.message.QuorumStateData;
import dev.vitrine.seam.Disk;
import dev.vitrine.storage.AtomicFile;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The {@code quorum-state} file: Kafka's JSON of {@link QuorumStateData}, in version 0 with the
 * voters of the configuration, in version 1 (kraft.version 1) with the directory of whom it voted
 * for. Replaced as a whole, so that a crash leaves the old one or the new one. Reading and writing
 * block: write on a disk worker, one at a time.
 */
final class QuorumStateFile implements QuorumStateStore {
  static final String NAME = "quorum-state";

  private static final Pattern DATA_VERSION = Pattern.compile("\"data_version\"\\s*:\\s*(\\d+)");

  private final Disk disk;
  private final Path file;
  private final List<QuorumStateData.Voter> voters;

  /**
   * @param fixed the voters of the configuration
   */
  QuorumStateFile(Disk disk, Path directory, VoterSet fixed) {
    this.disk = disk;
    this.file = directory.resolve(NAME);
    this.voters =
        fixed.voters().stream().map(v -> new QuorumStateData.Voter().voterId(v.id())).toList();
  }

  @Override
  public ElectionState read() {
    String text = AtomicFile.read(disk, file);
    if (text == null) {
      return ElectionState.INITIAL;
    }
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
  public void write(ElectionState s, short kraftVersion) {
    short version = (short) Math.min(kraftVersion, 1);
    QuorumStateData d =
        new QuorumStateData().leaderId(s.leaderId()).leaderEpoch(s.epoch()).votedId(s.votedId());
    if (version == 0) {
      d.clusterId("").currentVoters(voters);
    } else {
      d.votedDirectoryId(s.votedDirectoryId());
    }
    String json = d.json(version);
    int end = json.lastIndexOf('}');
    AtomicFile.write(disk, file, json.substring(0, end) + ",\"data_version\":" + version + "}");
  }
}
