package dev.vitrine.broker.quota;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.vitrine.broker.quota.ConnectionLimits.AddressRates;
import dev.vitrine.config.KafkaConfig;
import dev.vitrine.seam.Network;
import dev.vitrine.sim.SimShard;
import dev.vitrine.sim.SimWorld;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

/** Who is let in, who waits, who is turned away and who has to go. */
class ConnectionLimitsTest {
  private static final String INSIDE = "INSIDE";
  private static final String OUTSIDE = "OUTSIDE";

  private final SimWorld world = new SimWorld(1);
  private final SimShard shard = world.newShard("first");
  private final List<Guest> guests = new ArrayList<>();
  private ConnectionLimits limits;

  private static KafkaConfig config(String... keys) {
    Properties p = new Properties();
    p.put("process.roles", "broker");
    p.put("node.id", "1");
    p.put("controller.quorum.voters", "100@localhost:9093");
    p.put("controller.listener.names", "CONTROLLER");
    p.put("listeners", "INSIDE://localhost:9092,OUTSIDE://localhost:9094");
    p.put("advertised.listeners", "INSIDE://localhost:9092,OUTSIDE://localhost:9094");
    p.put(
        "listener.security.protocol.map",
        "INSIDE:PLAINTEXT,OUTSIDE:PLAINTEXT,CONTROLLER:PLAINTEXT");
    p.put("inter.broker.listener.name", "INSIDE");
    for (String key : keys) {
      p.put(key.substring(0, key.indexOf('=')), key.substring(key.indexOf('=') + 1));
    }
    return KafkaConfig.parse(p);
  }

  private void start(List<String> listeners, String... keys) {
    limits = new ConnectionLimits(shard, config(keys), listeners, this::closeOne);
  }

  private void start(String... keys) {
    start(List.of(INSIDE, OUTSIDE), keys);
  }

  /** The one that has been there longest stands for the one that has been idle longest. */
  private void closeOne(Predicate<String> isSpared, Runnable none) {
    for (Guest g : guests) {
      if (g.state.equals("in") && !isSpared.test(g.listener)) {
        g.leave();
        return;
      }
    }
    none.run();
  }

  private final class Guest implements Network.Arrival {
    final String listener;
    final String address;
    String state = "waits";
    Runnable ended;

    Guest(String listener, String address) {
      this.listener = listener;
      this.address = address;
    }

    @Override
    public String address() {
      return address;
    }

    @Override
    public void accept(Runnable whenEnded) {
      assertEquals("waits", state);
      state = "in";
      ended = whenEnded;
    }

    @Override
    public void closeAfter(long delayMs) {
      assertEquals("waits", state);
      state = delayMs == 0 ? "refused" : "throttled";
    }

    void leave() {
      state = "left";
      shard.execute(ended);
    }
  }

  private Guest come(String listener, String address) {
    Guest guest = new Guest(listener, address);
    guests.add(guest);
    shard.run(() -> limits.arrived(listener, guest));
    return guest;
  }

  private String states() {
    return String.join(" ", guests.stream().map(g -> g.state).toList());
  }

  @Test
  void aFullNodeLetsWaitAndTheListenerOfBrokersPushesTheIdlestOut() {
    start("max.connections=2");
    come(OUTSIDE, "a");
    come(OUTSIDE, "b");
    come(OUTSIDE, "c");
    come(OUTSIDE, "d");
    assertEquals("in in waits waits", states());
    guests.get(0).leave();
    world.runFor(10);
    assertEquals("left in in waits", states());
    come(INSIDE, "e");
    assertEquals("left left in waits in", states());
    world.runFor(10);
    assertEquals("left left in waits in", states());
    assertEquals(2, limits.open());
    guests.get(4).leave();
    world.runFor(10);
    assertEquals("left left in in left", states());
  }

  @Test
  void aListenerAloneIsNotSpared() {
    start(List.of(INSIDE), "max.connections=1");
    come(INSIDE, "a");
    come(INSIDE, "b");
    assertEquals("in waits", states());
  }

  @Test
  void aListenerHasALimitOfItsOwn() {
    start("listener.name.outside.max.connections=1", "listener.name.inside.max.connections=1");
    come(OUTSIDE, "a");
    come(OUTSIDE, "b");
    come(INSIDE, "c");
    come(INSIDE, "d");
    assertEquals("in waits in waits", states());
    guests.get(2).leave();
    world.runFor(1);
    assertEquals("in waits left in", states());
  }

  @Test
  void anAddressThatHasItsConnectionsIsTurnedAway() {
    start("max.connections.per.ip=2", "max.connections.per.ip.overrides=10.0.0.1:1,host:3");
    limits.set(
        config("max.connections.per.ip=2").connections(), Map.of("10.0.0.1", 1, "10.0.0.3", 3));
    for (String a : List.of("10.0.0.1", "10.0.0.1", "10.0.0.2", "10.0.0.2", "10.0.0.2")) {
      come(OUTSIDE, a);
    }
    for (int i = 0; i < 4; i++) {
      come(i % 2 == 0 ? OUTSIDE : INSIDE, "10.0.0.3");
    }
    assertEquals("in refused in in refused in in in refused", states());
    guests.get(0).leave();
    world.runFor(1);
    assertEquals("in", come(OUTSIDE, "10.0.0.1").state);
  }

  @Test
  void lowerLimitsCloseWhatIsThereAndHigherOnesLetIn() {
    start();
    for (int i = 0; i < 4; i++) {
      come(OUTSIDE, "a");
    }
    shard.run(() -> limits.set(config("max.connections=1").connections(), Map.of()));
    world.runFor(10);
    assertEquals("left left left in", states());
    come(OUTSIDE, "a");
    assertEquals("waits", guests.get(4).state);
    shard.run(() -> limits.set(config("max.connections=2").connections(), Map.of()));
    assertEquals("in", guests.get(4).state);
  }

  @Test
  void whoComesTooSoonAfterOthersWaitsWithAllBehindIt() {
    start("max.connection.creation.rate=1", "quota.window.num=2");
    for (int i = 0; i < 6; i++) {
      come(OUTSIDE, "a" + i);
    }
    assertTrue(states().startsWith("in "), states());
    assertTrue(states().endsWith(" waits waits"), states());
    come(INSIDE, "b");
    assertEquals("in", guests.get(6).state, "brokers are not held up by others");
    world.runFor(30_000);
    assertEquals("in in in in in in in", states());
  }

  @Test
  void anAddressThatComesTooOftenIsTurnedAwayLater() {
    start("quota.window.num=2");
    limits.set(new AddressRates(Map.of("quick", 100), 2));
    for (int i = 0; i < 5; i++) {
      come(OUTSIDE, "slow");
      come(OUTSIDE, "quick");
    }
    assertEquals("in in in in throttled in throttled in throttled in", states());
    world.runFor(10_000);
    assertEquals("in", come(OUTSIDE, "slow").state);
    limits.set(AddressRates.NONE);
    for (int i = 0; i < 5; i++) {
      assertEquals("in", come(OUTSIDE, "slow").state);
    }
  }
}
