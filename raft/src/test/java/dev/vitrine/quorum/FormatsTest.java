package dev.vitrine.quorum;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.vitrine.protocol.MalformedMessageException;
import dev.vitrine.protocol.Uuid;
import dev.vitrine.protocol.message.FeatureLevelRecord;
import dev.vitrine.protocol.message.LeaderChangeMessage;
import dev.vitrine.protocol.message.NoOpRecord;
import dev.vitrine.protocol.message.TopicRecord;
import dev.vitrine.protocol.record.BatchHeader;
import dev.vitrine.protocol.record.Batches;
import dev.vitrine.protocol.record.RecordBatch;
import dev.vitrine.seam.DiskFile;
import dev.vitrine.seam.Endpoint;
import dev.vitrine.sim.SimDisk;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Kafka's forms of what the quorum keeps on disk; the bytes below are what Apache Kafka wrote. */
class FormatsTest {
  private static final Path DIR = Path.of("/d");

  /** The checkpoint that formatting a directory leaves. */
  private static final String CHECKPOINT =
      "0000000000000000000000470000000002cc256cfb002000000000000001a227c93135000001a227c931"
          + "35ffffffffffffffffffffffffffff000000012a0000000800000003160000000001a227c93117000000"
          + "00000000000001000000f1000000000287df7ef2000000000005000001a227c93152000001a227c93152"
          + "ffffffffffffffffffffffffffff000000063a000000012e010c00116d657461646174612e7665727369"
          + "6f6e002100005a000002014e010c0021656c696769626c652e6c65616465722e7265706c696361732e76"
          + "657273696f6e00010000340000040128010c000e67726f75702e76657273696f6e000100003400000601"
          + "28010c000e73686172652e76657273696f6e0002000038000008012c010c001073747265616d732e7665"
          + "7273696f6e000100004000000a0134010c00147472616e73616374696f6e2e76657273696f6e00020000"
          + "00000000000000070000003f000000000201c1f20f002000000000000001a227c93155000001a227c931"
          + "55ffffffffffffffffffffffffffff000000011a00000008000000040600000000";

  /** The first batch of the log of a single node. */
  private static final String LEADER_CHANGE =
      "00000000000000000000004f00000001024114d5d5002000000000000001a227c96dac000001a227c96d"
          + "acffffffffffffffffffffffffffff000000013a00000008000000022600000000000102000000010002"
          + "00000001000000";

  private static final String QUORUM_STATE =
      "{\"clusterId\":\"\",\"leaderId\":1,\"leaderEpoch\":1,\"votedId\":-1,\"appliedOffset\":0,"
          + "\"currentVoters\":[{\"voterId\":1}],\"data_version\":0}";

  private final SimDisk disk = new SimDisk();

  FormatsTest() {
    disk.createDirectories(DIR);
  }

  private void write(String name, byte[] bytes) {
    DiskFile f = disk.open(DIR.resolve(name));
    f.truncate(0);
    f.append(Unpooled.wrappedBuffer(bytes));
    f.release();
  }

  private byte[] bytes(Path file) {
    DiskFile f = disk.openForRead(file);
    byte[] b = ByteBufUtil.getBytes(f.map(f.size()));
    f.release();
    return b;
  }

  // --- snapshots ---

  @Test
  void readsTheCheckpointThatKafkaFormats() {
    assertNull(SnapshotFiles.open(disk, DIR).latest());
    write("00000000000000000000-0000000000.checkpoint", ByteBufUtil.decodeHexDump(CHECKPOINT));
    write("00000000000000000099-0000000000.checkpoint.part", new byte[1]);
    OffsetAndEpoch id = SnapshotFiles.open(disk, DIR).latest();
    assertEquals(OffsetAndEpoch.BOOTSTRAP, id);
    Snapshot s = SnapshotReader.read(disk, DIR, id);
    assertEquals(6, s.records().size());
    assertEquals(
        new FeatureLevelRecord().name("metadata.version").featureLevel((short) 33),
        s.records().get(0).message());
  }

  @Test
  void writesTheCheckpointAsKafkaDoes() {
    write("00000000000000000000-0000000000.checkpoint", ByteBufUtil.decodeHexDump(CHECKPOINT));
    Snapshot s = SnapshotReader.read(disk, DIR, OffsetAndEpoch.BOOTSTRAP);
    Path file = SnapshotWriter.write(disk, DIR, s, 1_700_000_000_000L);
    assertEquals("00000000000000000000-0000000000.checkpoint", file.getFileName().toString());
    assertEquals(1, disk.list(DIR).size());
    assertEquals(untimed(ByteBufUtil.decodeHexDump(CHECKPOINT)), untimed(bytes(file)));
    assertEquals(s, SnapshotReader.read(disk, DIR, OffsetAndEpoch.BOOTSTRAP));
  }

  /** Each batch without the times in its header and the CRC over them. */
  private static List<String> untimed(byte[] file) {
    List<String> out = new ArrayList<>();
    ByteBuf bytes = Unpooled.wrappedBuffer(file);
    Batches batches = new Batches(bytes);
    while (batches.next()) {
      RecordBatch b = batches.batch();
      assertTrue(b.isValid());
      int at = b.index();
      out.add(
          ByteBufUtil.hexDump(bytes, at, BatchHeader.CRC)
              + ByteBufUtil.hexDump(
                  bytes,
                  at + BatchHeader.ATTRIBUTES,
                  BatchHeader.BASE_TIMESTAMP - BatchHeader.ATTRIBUTES)
              + ByteBufUtil.hexDump(
                  bytes, at + BatchHeader.PRODUCER_ID, b.sizeInBytes() - BatchHeader.PRODUCER_ID));
    }
    return out;
  }

  @Test
  void largeSnapshotsHaveSeveralBatches() {
    List<ApiMessageAndVersion> records = new ArrayList<>();
    for (int i = 0; i < 20_000; i++) {
      TopicRecord t =
          new TopicRecord().name("a-topic-with-a-long-name-" + i).topicId(new Uuid(1, i));
      records.add(new ApiMessageAndVersion(t, (short) 0));
    }
    Snapshot s = new Snapshot(new OffsetAndEpoch(20_000, 7), 5, records);
    Path file = SnapshotWriter.write(disk, DIR, s, 9);
    assertEquals("00000000000000020000-0000000007.checkpoint", file.getFileName().toString());
    assertEquals(s, SnapshotReader.read(disk, DIR, SnapshotFiles.open(disk, DIR).latest()));
    assertTrue(untimed(bytes(file)).size() > 3);
  }

  @Test
  void aDamagedSnapshotIsNamed() {
    byte[] whole = ByteBufUtil.decodeHexDump(CHECKPOINT);
    String name = "00000000000000000000-0000000000.checkpoint";
    for (int size : new int[] {0, 50, 83, 330, whole.length - 1}) {
      write(name, java.util.Arrays.copyOf(whole, size));
      assertRefused(name);
    }
    whole[200] ^= 1;
    write(name, whole);
    assertRefused(name);
  }

  private void assertRefused(String name) {
    IllegalStateException e =
        assertThrows(
            IllegalStateException.class,
            () -> SnapshotReader.read(disk, DIR, OffsetAndEpoch.BOOTSTRAP));
    assertTrue(e.getMessage().contains(name), e.getMessage());
  }

  // --- control records ---

  @Test
  void writesTheLeaderChangeAsKafkaDoes() {
    LeaderChangeMessage m = new LeaderChangeMessage().version((short) 0).leaderId(1);
    m.voters().add(new LeaderChangeMessage.Voter().voterId(1));
    m.grantingVoters().add(new LeaderChangeMessage.Voter().voterId(1));
    ByteBuf out = Unpooled.buffer();
    ControlRecords.write(
        out,
        0,
        1,
        0x1a227c96dacL,
        List.of(new ControlRecords.Entry(ControlRecords.LEADER_CHANGE, m)));
    assertEquals(LEADER_CHANGE, ByteBufUtil.hexDump(out));
  }

  @Test
  void aVersionOfVotersThatIsNotKnownIsRefusedByName() {
    for (short version : new short[] {1, 2}) {
      ByteBuf out = Unpooled.buffer();
      ControlRecords.write(out, 0, 1, 5, List.of(ControlRecords.kraftVersion(version)));
      VoterHistory history = new VoterHistory();
      if (version == 1) {
        assertEquals(1, history.appended(out, 1));
        assertEquals(1, history.kraftVersion());
      } else {
        IllegalStateException e =
            assertThrows(IllegalStateException.class, () -> history.appended(out, 1));
        assertTrue(e.getMessage().contains("kraft.version"), e.getMessage());
      }
    }
  }

  // --- quorum-state ---

  private static VoterSet voters() {
    return new VoterSet(List.of(VoterSet.Voter.fixed(1, "CONTROLLER", new Endpoint("h", 1))));
  }

  @Test
  void writesTheQuorumStateAsKafkaDoes() {
    QuorumStateFile file = new QuorumStateFile(disk, DIR, voters());
    assertEquals(ElectionState.INITIAL, file.read());
    ElectionState led = new ElectionState(1, 1, -1, Uuid.ZERO);
    file.write(led, (short) 0);
    String text = new String(bytes(DIR.resolve("quorum-state")), StandardCharsets.UTF_8);
    assertEquals(QUORUM_STATE, text.replace(" ", ""));
    assertEquals(led, file.read());
    file.write(new ElectionState(1000000, -1, 3, Uuid.ZERO), (short) 0);
    file.write(new ElectionState(2, -1, 3, Uuid.ZERO), (short) 0);
    assertEquals(new ElectionState(2, -1, 3, Uuid.ZERO), file.read());
    assertEquals(1, disk.list(DIR).size());
  }

  @Test
  void readsTheQuorumStateOfDynamicVotersToo() {
    Uuid directory = new Uuid(3, 4);
    write(
        "quorum-state",
        ("{\"leaderId\":-1,\"leaderEpoch\":9,\"votedId\":2,\"votedDirectoryId\":\""
                + directory
                + "\",\"data_version\":1}")
            .getBytes(StandardCharsets.UTF_8));
    QuorumStateFile file = new QuorumStateFile(disk, DIR, voters());
    assertEquals(new ElectionState(9, -1, 2, directory), file.read());
    byte[] asKafkaWrites = bytes(DIR.resolve("quorum-state"));
    file.write(new ElectionState(9, -1, 2, directory), (short) 1);
    assertArrayEquals(asKafkaWrites, bytes(DIR.resolve("quorum-state")));
  }

  @Test
  void aDamagedQuorumStateIsNotTakenForNone() {
    write("quorum-state", new byte[0]);
    QuorumStateFile file = new QuorumStateFile(disk, DIR, voters());
    assertThrows(IllegalStateException.class, file::read);
  }

  // --- metadata records ---

  @Test
  void framesMetadataRecordsAsKafkaDoes() {
    TopicRecord t = new TopicRecord().name("ab").topicId(new Uuid(1, 2));
    byte[] b = MetadataRecordSerde.encode(new ApiMessageAndVersion(t, (short) 0));
    assertEquals(
        "010200" + "036162" + "0000000000000001" + "0000000000000002" + "00",
        ByteBufUtil.hexDump(b));
    assertEquals(
        new ApiMessageAndVersion(t, (short) 0),
        MetadataRecordSerde.decode(Unpooled.wrappedBuffer(b)));
  }

  @Test
  void unknownMetadataRecordsAreNamed() {
    byte[] noOp = MetadataRecordSerde.encode(new ApiMessageAndVersion(new NoOpRecord(), (short) 0));
    for (String[] c :
        new String[][] {
          {"02" + ByteBufUtil.hexDump(noOp).substring(2), "frame version 2"},
          {"01" + "ff01" + "00" + "00", "type 255"},
          {"01" + "14" + "09" + "00", "version 9"},
          {ByteBufUtil.hexDump(noOp) + "00", "1 bytes behind"},
        }) {
      MalformedMessageException e =
          assertThrows(
              MalformedMessageException.class,
              () ->
                  MetadataRecordSerde.decode(
                      Unpooled.wrappedBuffer(ByteBufUtil.decodeHexDump(c[0]))));
      assertTrue(e.getMessage().contains(c[1]), e.getMessage());
    }
  }
}
