package dev.vitrine.broker.fault;

import dev.vitrine.seam.Connection;
import dev.vitrine.seam.ConnectionListener;
import dev.vitrine.seam.Endpoint;
import dev.vitrine.seam.Network;
import dev.vitrine.seam.Shard;
import io.netty.buffer.ByteBufAllocator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A network whose connections can be made late, and silent. Any thread.
 *
 * <p>All that two nodes say to each other goes over connections that one of them dialled, to an
 * endpoint that tells who the other is. So a link is cut when each of the two holds what it sends
 * and receives over those that it dialled itself, and lets no new ones come about; what clients
 * have dialled is not touched. Delays are for all connections of the node, whoever dialled.
 */
public final class FaultNetwork implements Network {
  private final Network network;
  private final Set<FaultConnection> connections = ConcurrentHashMap.newKeySet();
  private volatile LinkFaults faults = LinkFaults.NONE;

  public FaultNetwork(Network network) {
    this.network = network;
  }

  public LinkFaults faults() {
    return faults;
  }

  /** From now on. What is held and no longer has to be goes on its way, in its order. */
  public void set(LinkFaults now) {
    faults = now;
    connections.forEach(FaultConnection::faultsChanged);
  }

  void add(FaultConnection connection) {
    connections.add(connection);
  }

  void remove(FaultConnection connection) {
    connections.remove(connection);
  }

  Network real() {
    return network;
  }

  @Override
  public Connection connect(Endpoint to, Shard shard, ConnectionListener listener) {
    return FaultConnection.dial(this, to, shard, listener);
  }

  @Override
  public Server listen(
      Endpoint at, List<? extends Shard> shards, int maxFrameBytes, Acceptor acceptor) {
    return network.listen(
        at,
        shards,
        maxFrameBytes,
        new Acceptor() {
          @Override
          public void arrived(Arrival arrival) {
            acceptor.arrived(arrival);
          }

          @Override
          public ConnectionListener accepted(Connection connection, Shard shard) {
            return FaultConnection.accepted(FaultNetwork.this, connection, shard, acceptor);
          }
        });
  }

  @Override
  public String resolve(String host) {
    return network.resolve(host);
  }

  @Override
  public ByteBufAllocator allocator() {
    return network.allocator();
  }
}
