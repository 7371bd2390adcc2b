package dev.vitrine.broker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.vitrine.config.ConfigException;
import dev.vitrine.config.KafkaConfig;
import dev.vitrine.protocol.Uuid;
import dev.vitrine.quorum.OffsetAndEpoch;
import dev.vitrine.quorum.Snapshot;
import dev.vitrine.quorum.SnapshotReader;
import dev.vitrine.quorum.VoterSet;
import dev.vitrine.seam.Endpoint;
import dev.vitrine.sim.SimDisk;
import dev.vitrine.storage.MetaProperties;
import java.nio.file.Path;
import java.util.List;
import java.util.Properties;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** What format writes of the voters, and what it refuses, as kafka-storage does. */
class InitialQuorumTest {
  private static final String CLUSTER = "4L6g3nShT-eMCtK--X86sw";
  private static final String ONE = "1@127.0.0.1:9093:xbmem7_mTc2joGtuSX6gaQ";
  private static final String TWO = "2@[::1]:9095:MvDxzVmcRsaTz33bUuRU6A";
  private static final Path DIR = Path.of("/data");
  private static final Path METADATA = DIR.resolve("__cluster_metadata-0");
  private static final InitialQuorum STANDALONE = new InitialQuorum(true, false, null, null);
  private static final InitialQuorum NONE = new InitialQuorum(false, true, null, null);

  private final SimDisk disk = new SimDisk();

  private static InitialQuorum named(String voters) {
    return new InitialQuorum(false, false, voters, null);
  }

  private static KafkaConfig config(String roles, String... more) {
    Properties p = new Properties();
    p.setProperty("process.roles", roles);
    p.setProperty("node.id", "1");
    String clients = "PLAINTEXT://127.0.0.1:9092";
    String controllers = "CONTROLLER://127.0.0.1:9093";
    p.setProperty(
        "listeners", roles.contains("controller") ? clients + "," + controllers : clients);
    p.setProperty("controller.listener.names", "CONTROLLER");
    p.setProperty("log.dirs", DIR.toString());
    for (int i = 0; i < more.length; i += 2) {
      p.setProperty(more[i], more[i + 1]);
    }
    return KafkaConfig.parse(p);
  }

  private static KafkaConfig dynamic() {
    return config("broker,controller", "controller.quorum.bootstrap.servers", "127.0.0.1:9093");
  }

  private static KafkaConfig fixed() {
    return config("broker,controller", "controller.quorum.voters", "1@127.0.0.1:9093");
  }

  private Snapshot format(KafkaConfig config, InitialQuorum quorum) {
    new Format(disk, new SplittableRandom(1), 1_700_000_000_000L).format(config, CLUSTER, quorum);
    return SnapshotReader.read(disk, METADATA, OffsetAndEpoch.BOOTSTRAP);
  }

  private void refuses(String words, KafkaConfig config, InitialQuorum quorum) {
    ConfigException e = assertThrows(ConfigException.class, () -> format(config, quorum));
    assertTrue(e.getMessage().contains(words), e.getMessage());
    assertFalse(disk.exists(DIR.resolve("meta.properties")), "nothing is written");
  }

  @Test
  void aStandaloneControllerIsTheOnlyVoter() {
    Snapshot s = format(dynamic(), STANDALONE);
    assertEquals(1, s.kraftVersion());
    VoterSet.Voter self = s.voters().voter(1);
    assertEquals(1, s.voters().size());
    assertEquals(MetaProperties.read(disk, DIR).directoryId(), self.directoryId());
    assertEquals(
        List.of(new VoterSet.Listener("CONTROLLER", new Endpoint("127.0.0.1", 9093))),
        self.listeners());
  }

  @Test
  void theNamedControllersAreTheVotersAndThisOneGetsItsDirectory() {
    Snapshot s = format(dynamic(), named(ONE + "," + TWO));
    assertEquals(1, s.kraftVersion());
    assertEquals(2, s.voters().size());
    assertEquals(new Endpoint("::1", 9095), s.voters().voter(2).listeners().get(0).endpoint());
    assertEquals(
        Uuid.fromString("xbmem7_mTc2joGtuSX6gaQ"), MetaProperties.read(disk, DIR).directoryId());
  }

  @Test
  void whoJoinsLaterAndWhoseVotersAreFixedStartWithoutVoters() {
    for (KafkaConfig config : List.of(dynamic(), fixed())) {
      Snapshot s = format(config, NONE);
      assertNull(s.voters());
      assertEquals(0, s.kraftVersion());
    }
    assertNull(format(fixed(), InitialQuorum.UNSAID.with(List.of("kraft.version=0"))).voters());
  }

  @Test
  void aBrokerAloneGetsNoFirstRecords() {
    new Format(disk, new SplittableRandom(1), 1)
        .format(
            config("broker", "controller.quorum.bootstrap.servers", "127.0.0.1:9093"),
            CLUSTER,
            InitialQuorum.UNSAID);
    assertTrue(disk.exists(DIR.resolve("meta.properties")));
    assertFalse(disk.exists(METADATA));
  }

  @Test
  void whatContradictsTheConfigurationIsRefused() {
    refuses("you must specify one of the following", dynamic(), InitialQuorum.UNSAID);
    refuses("You cannot specify controller.quorum.voters", fixed(), STANDALONE);
    refuses("You cannot specify controller.quorum.voters", fixed(), named(ONE));
    refuses(
        "You can only use --standalone on a controller",
        config("broker", "controller.quorum.bootstrap.servers", "127.0.0.1:9093"),
        STANDALONE);
    refuses(
        "Cannot set kraft.version to 0", dynamic(), STANDALONE.with(List.of("kraft.version=0")));
    refuses(
        "Cannot set kraft.version to 1",
        fixed(),
        InitialQuorum.UNSAID.with(List.of("kraft.version=1")));
  }

  @Test
  void whatIsNoListOfVotersIsRefused() {
    refuses("No voters given", dynamic(), named(""));
    refuses("specified more than once", dynamic(), named(ONE + "," + ONE));
    for (String bad :
        List.of("1@h:1", "h:1:" + ONE.substring(17), "x@h:1:xbmem7_mTc2joGtuSX6gaQ", ONE + ":1")) {
      refuses("Not a voter of the form", dynamic(), named(bad));
    }
    refuses("Not a voter of the form", dynamic(), named("1@h:99999:xbmem7_mTc2joGtuSX6gaQ"));
  }

  @Test
  void whatIsNoFeatureIsRefused() {
    for (String[] bad :
        new String[][] {
          {"foo", "equals sign not found"},
          {"foo=1", "Unsupported feature: foo"},
          {"kraft.version=x", "not a number"},
          {"kraft.version=2", "No feature:kraft.version with feature level 2"}
        }) {
      ConfigException e =
          assertThrows(ConfigException.class, () -> STANDALONE.with(List.of(bad[0])));
      assertTrue(e.getMessage().contains(bad[1]), e.getMessage());
    }
  }

  @Test
  void aDirectoryThatIsAnotherAlreadyIsNotNamedAnew() {
    format(dynamic(), named(ONE));
    ConfigException e =
        assertThrows(
            ConfigException.class,
            () -> format(dynamic(), named("1@127.0.0.1:9093:MvDxzVmcRsaTz33bUuRU6A")));
    assertTrue(e.getMessage().contains("directory.id"), e.getMessage());
  }
}
