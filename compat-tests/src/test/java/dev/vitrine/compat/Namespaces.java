package dev.vitrine.compat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/**
 * Each node in a network namespace of its own, with a wire (a veth pair) to each other node and one
 * to the clients, who stay where they are. A wire can be cut, so that what is sent on it vanishes
 * and nothing is refused, and it can be made slow. Needs root, {@code ip}, {@code unshare} and
 * {@code nsenter}; no other host is reached, and no other address than those of 198.18.0.0/15 (RFC
 * 2544, for tests) is used.
 *
 * <p>Nothing stays behind: a namespace lives as long as a process in it, its wires as long as it,
 * and the process that holds it ends when this JVM does, however that ends. Of one thread.
 */
public final class Namespaces implements Wiring {
  private static final int CLIENTS = 0;

  private final int net;
  private final int size;

  /** {@code cat} with a pipe from here as its input. */
  private final Map<Integer, Process> holders = new TreeMap<>();

  private Namespaces(int net, int size) {
    this.net = net;
    this.size = size;
  }

  /** Empty if this host or this user can't have them. */
  public static Optional<Namespaces> create(int size) {
    Namespaces namespaces = new Namespaces(new SplittableRandom().nextInt(1, 250), size);
    try {
      namespaces.make();
      return Optional.of(namespaces);
    } catch (IOException | IllegalStateException e) {
      namespaces.close();
      return Optional.empty();
    }
  }

  private void make() throws IOException {
    Path own = Files.readSymbolicLink(Path.of("/proc/self/ns/net"));
    for (int node = 1; node <= size; node++) {
      Process holder = new ProcessBuilder("unshare", "--net", "cat").start();
      holders.put(node, holder);
      Path link = Path.of(namespace(node));
      while (holder.isAlive() && Files.readSymbolicLink(link).equals(own)) {
        Thread.onSpinWait();
      }
      inside(node, "ip link set lo up");
      run("ip link add %s type veth peer name n0 netns %d", deviceOfClients(node), holder.pid());
      connect(CLIENTS, node);
      for (int other = 1; other < node; other++) {
        run(
            "ip link add n%d netns %d type veth peer name n%d netns %d",
            node, holders.get(other).pid(), other, holder.pid());
        connect(other, node);
      }
    }
  }

  private void connect(int one, int other) {
    plug(one, other);
    plug(other, one);
  }

  private void plug(int here, int there) {
    inside(
        here,
        "ip addr add %s peer %s dev %s",
        address(here, there),
        address(there, here),
        device(here, there));
    inside(here, "ip link set %s up", device(here, there));
  }

  /** A node has one address on all its wires, the clients one for each. */
  private String address(int node, int there) {
    return "198.18.%d.%d".formatted(net, node == CLIENTS ? 100 + there : node);
  }

  private String device(int here, int there) {
    return here == CLIENTS ? deviceOfClients(there) : "n" + there;
  }

  private String deviceOfClients(int node) {
    return "vitrine" + net + "n" + node;
  }

  private String namespace(int node) {
    return "/proc/" + holders.get(node).pid() + "/ns/net";
  }

  @Override
  public String host(int node) {
    return address(node, CLIENTS);
  }

  @Override
  public List<String> prefix(int node) {
    return List.of("nsenter", "--net=" + namespace(node));
  }

  /** From now on neither hears the other. */
  public void cut(int one, int other) {
    misdirect(one, other);
    misdirect(other, one);
  }

  /** To an Ethernet address that nobody has, it vanishes. */
  private void misdirect(int here, int there) {
    inside(
        here,
        "ip neigh replace %s lladdr 02:00:00:00:00:01 dev %s nud permanent",
        address(there, here),
        device(here, there));
  }

  public void heal(int one, int other) {
    inside(one, "ip neigh del %s dev %s", address(other, one), device(one, other));
    inside(other, "ip neigh del %s dev %s", address(one, other), device(other, one));
  }

  /**
   * What the node sends waits in a queue, as on a line so narrow that 5,000 bytes take this long.
   */
  public void slow(int node, int delayMs) {
    for (String device : devices(node)) {
      inside(
          node,
          "tc qdisc replace dev %s root tbf rate %dkbit burst 5000 latency 10s",
          device,
          40_000 / delayMs);
    }
  }

  public void fast(int node) {
    for (String device : devices(node)) {
      inside(node, "tc qdisc del dev %s root", device);
    }
  }

  private List<String> devices(int node) {
    List<String> devices = new ArrayList<>();
    for (int there = CLIENTS; there <= size; there++) {
      if (there != node) {
        devices.add(device(node, there));
      }
    }
    return devices;
  }

  private void inside(int node, String command, Object... values) {
    List<String> all = new ArrayList<>(node == CLIENTS ? List.of() : prefix(node));
    all.addAll(Arrays.asList(command.formatted(values).split(" ")));
    run(all);
  }

  private static void run(String command, Object... values) {
    run(Arrays.asList(command.formatted(values).split(" ")));
  }

  private static void run(List<String> command) {
    try {
      Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
      String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      if (process.waitFor() != 0) {
        throw new IllegalStateException(String.join(" ", command) + ": " + output.strip());
      }
    } catch (IOException e) {
      throw new IllegalStateException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  /** After the nodes have ended. */
  @Override
  public void close() {
    for (Process holder : holders.values()) {
      holder.destroy();
    }
    try {
      for (Process holder : holders.values()) {
        holder.waitFor(10, TimeUnit.SECONDS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
