package dev.vitrine.broker.control;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.vitrine.broker.api.CloseSignal;
import dev.vitrine.metadata.MetadataImage;
import dev.vitrine.protocol.Uuid;
import dev.vitrine.protocol.message.BrokerRegistrationChangeRecord;
import dev.vitrine.protocol.message.BrokerRegistrationRequest;
import dev.vitrine.protocol.message.RegisterBrokerRecord;
import dev.vitrine.quorum.LeaderAndEpoch;
import dev.vitrine.seam.Connection;
import dev.vitrine.seam.ConnectionListener;
import dev.vitrine.seam.Endpoint;
import dev.vitrine.seam.Network;
import dev.vitrine.sim.SimNetwork;
import dev.vitrine.sim.SimShard;
import dev.vitrine.sim.SimWorld;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class FailureDetectorTest {
  private static final int CONTROLLER = 1;
  private static final int BROKER = 2;
  private static final long EPOCH = 7;
  private static final List<Uuid> DIRECTORIES = List.of(new Uuid(5, 1), new Uuid(5, 2));

  private final SimWorld world = new SimWorld(1);
  private final SimNetwork wires = new SimNetwork(world);
  private final SimShard loop = world.newShard("quorum");
  private final SimShard brokersLoop = world.newShard("broker");
  private final List<String> fenced = new ArrayList<>();
  private final FakeConnection control = new FakeConnection();

  private MetadataImage image = MetadataImage.EMPTY;
  private boolean active = true;
  private boolean alive = true;
  private Network.Server server;
  private FailureDetector detector;

  /** The connection of heartbeats, as far as the detector sees it. */
  private static final class FakeConnection implements CloseSignal {
    final List<Runnable> hooks = new ArrayList<>();

    @Override
    public Runnable onClose(Runnable hook) {
      hooks.add(hook);
      return () -> hooks.remove(hook);
    }

    void close() {
      List.copyOf(hooks).forEach(Runnable::run);
    }
  }

  @BeforeEach
  void aBrokerThatListens() {
    listen();
    register(EPOCH);
    detector =
        new FailureDetector(
            loop,
            wires.host("controller"),
            new FailureDetector.Judge() {
              @Override
              public boolean isActive() {
                return active;
              }

              @Override
              public MetadataImage image() {
                return image;
              }

              @Override
              public boolean isAlive(int brokerId, long brokerEpoch) {
                return alive;
              }

              @Override
              public void fence(int brokerId, long brokerEpoch) {
                fenced.add(brokerId + "@" + brokerEpoch);
              }
            },
            CONTROLLER,
            "PLAINTEXT");
  }

  private void listen() {
    server =
        wires
            .host("broker")
            .listen(
                new Endpoint("broker", server == null ? 0 : server.port()),
                List.of(brokersLoop),
                1000,
                (connection, shard) ->
                    new ConnectionListener() {
                      @Override
                      public void received(Connection c, ByteBuf frame) {
                        frame.release();
                      }

                      @Override
                      public void closed(Connection c, Throwable cause) {}
                    });
  }

  private void register(long epoch) {
    RegisterBrokerRecord record =
        new RegisterBrokerRecord()
            .brokerId(BROKER)
            .incarnationId(new Uuid(1, epoch))
            .brokerEpoch(epoch)
            .logDirs(DIRECTORIES)
            .fenced(false);
    record
        .endPoints()
        .add(
            new RegisterBrokerRecord.BrokerEndpoint()
                .name("PLAINTEXT")
                .host("broker")
                .port(server.port()));
    image = image.apply(record);
  }

  private void heartbeat() {
    loop.run(() -> detector.heard(BROKER, EPOCH, control));
  }

  private void controlConnectionEnds() {
    loop.run(control::close);
    world.runFor(1000);
  }

  @Test
  void aDeadProcessIsFencedOnce() {
    heartbeat();
    heartbeat();
    server.close();
    controlConnectionEnds();
    assertEquals(List.of("2@7"), fenced);
  }

  @Test
  void aBrokerThatStillListensIsAlive() {
    heartbeat();
    controlConnectionEnds();
    assertEquals(List.of(), fenced);
  }

  @Test
  void aRefusalAloneIsNoEvidence() {
    heartbeat();
    server.close();
    world.runFor(1000);
    assertEquals(List.of(), fenced);
  }

  @Test
  void silenceIsNoEvidence() {
    heartbeat();
    wires.cut("controller", "broker");
    wires.cut("broker", "controller");
    controlConnectionEnds();
    assertEquals(List.of(), fenced);
  }

  @Test
  void whatListensAgainAtTheSecondLookIsAlive() {
    heartbeat();
    server.close();
    loop.run(control::close);
    world.runFor(20);
    listen();
    world.runFor(1000);
    assertEquals(List.of(), fenced);
  }

  @Test
  void aListenerThatClosesAMomentLaterIsOfADeadProcess() {
    heartbeat();
    loop.run(control::close);
    world.runFor(30);
    server.close();
    world.runFor(1000);
    assertEquals(List.of("2@7"), fenced);
  }

  @Test
  void anotherRegistrationIsNotTouched() {
    heartbeat();
    server.close();
    loop.run(control::close);
    world.runFor(20);
    register(EPOCH + 1);
    world.runFor(1000);
    assertEquals(List.of(), fenced);
  }

  @Test
  void theEndOfAnEarlierConnectionIsNoEvidence() {
    FakeConnection earlier = new FakeConnection();
    loop.run(() -> detector.heard(BROKER, EPOCH, earlier));
    heartbeat();
    server.close();
    loop.run(earlier::close);
    world.runFor(1000);
    assertEquals(List.of(), fenced);
  }

  @Test
  void aNewActiveControllerDialsEverybody() {
    server.close();
    loop.run(() -> detector.handleLeaderChange(new LeaderAndEpoch(CONTROLLER, 3)));
    world.runFor(1000);
    assertEquals(List.of("2@7"), fenced);
  }

  private void leaderChanges(int leader, int epoch) {
    loop.run(() -> detector.handleLeaderChange(new LeaderAndEpoch(leader, epoch)));
  }

  @Test
  void whatWasFoundWhileNobodyLedIsKnownAtOnce() {
    active = false;
    server.close();
    leaderChanges(-1, 3);
    world.runFor(100);
    assertEquals(List.of(), fenced);
    active = true;
    leaderChanges(CONTROLLER, 3);
    world.runFor(0);
    assertEquals(List.of("2@7"), fenced);
  }

  @Test
  void whatWasFoundLongAgoIsLookedAtAgain() {
    active = false;
    server.close();
    leaderChanges(-1, 3);
    world.runFor(5_000);
    listen();
    active = true;
    leaderChanges(CONTROLLER, 3);
    world.runFor(1000);
    assertEquals(List.of(), fenced);
  }

  @Test
  void whatWasFoundIsForgottenWhenAnotherLeads() {
    active = false;
    server.close();
    leaderChanges(-1, 3);
    world.runFor(100);
    leaderChanges(3, 3);
    listen();
    active = true;
    leaderChanges(CONTROLLER, 4);
    world.runFor(1000);
    assertEquals(List.of(), fenced);
  }

  @Test
  void anInactiveControllerJudgesNobody() {
    active = false;
    heartbeat();
    server.close();
    controlConnectionEnds();
    assertEquals(List.of(), fenced);
  }

  @Test
  void whoIsFencedAlreadyIsLeftAlone() {
    heartbeat();
    image =
        image.apply(
            new BrokerRegistrationChangeRecord()
                .brokerId(BROKER)
                .brokerEpoch(EPOCH)
                .fenced((byte) 1));
    server.close();
    controlConnectionEnds();
    assertEquals(List.of(), fenced);
  }

  private final FakeConnection ofNewProcess = new FakeConnection();

  /** A process with these directories wants to be registered. */
  private void ask(Uuid incarnation, List<Uuid> directories) {
    BrokerRegistrationRequest request =
        new BrokerRegistrationRequest()
            .brokerId(BROKER)
            .incarnationId(incarnation)
            .logDirs(directories);
    loop.run(() -> detector.asked(request, ofNewProcess, () -> fenced.add("handled")));
  }

  @Test
  void aProcessWithTheDirectoriesOfAnotherHasOutlivedIt() {
    ask(new Uuid(9, 9), List.of(DIRECTORIES.get(1), new Uuid(5, 3), DIRECTORIES.get(0)));
    assertEquals(List.of(), fenced);
    world.runFor(1000);
    assertEquals(List.of("2@7", "handled"), fenced);
    assertEquals(List.of(), ofNewProcess.hooks);
  }

  @Test
  void soItIsWhenTheConnectionOfTheOtherHasEnded() {
    heartbeat();
    controlConnectionEnds();
    ask(new Uuid(9, 9), DIRECTORIES);
    world.runFor(1000);
    assertEquals(List.of("2@7", "handled"), fenced);
  }

  @Test
  void whoIsConnectedIsAlive() {
    heartbeat();
    ask(new Uuid(9, 9), DIRECTORIES);
    assertEquals(List.of("handled"), fenced);
  }

  @Test
  void whoHasConnectedInTheMeantimeIsAlive() {
    ask(new Uuid(9, 9), DIRECTORIES);
    heartbeat();
    world.runFor(1000);
    assertEquals(List.of("handled"), fenced);
  }

  @Test
  void aProcessThatHasDiedSinceProvesNothing() {
    ask(new Uuid(9, 9), DIRECTORIES);
    loop.run(ofNewProcess::close);
    world.runFor(1000);
    assertEquals(List.of("handled"), fenced);
  }

  @Test
  void otherDirectoriesProveNothing() {
    ask(new Uuid(9, 9), List.of(DIRECTORIES.get(0)));
    ask(new Uuid(9, 9), List.of());
    assertEquals(List.of("handled", "handled"), fenced);
  }

  @Test
  void nothingIsFoundOutAboutTheSameProcessOrAfterTheSession() {
    ask(new Uuid(1, EPOCH), DIRECTORIES);
    alive = false;
    ask(new Uuid(9, 9), DIRECTORIES);
    active = false;
    alive = true;
    ask(new Uuid(9, 9), DIRECTORIES);
    assertEquals(List.of("handled", "handled", "handled"), fenced);
  }

  @Test
  void onlyTheRegistrationThatWasMeantIsFenced() {
    ask(new Uuid(9, 9), DIRECTORIES);
    register(EPOCH + 1);
    world.runFor(1000);
    assertEquals(List.of("2@7", "handled"), fenced);
  }
}
