package dev.vitrine.broker.api;

import dev.vitrine.broker.observe.ShardMeters;
import dev.vitrine.seam.Connection;
import dev.vitrine.seam.ConnectionListener;
import dev.vitrine.seam.Network;
import dev.vitrine.seam.Shard;
import io.netty.buffer.ByteBufAllocator;
import java.util.function.Function;

/**
 * What all connections of one listener have in common; to be given to {@link Network#listen}.
 *
 * @param name as in {@code listeners}, such as {@code PLAINTEXT}
 * @param allocator where the buffers of answers come from
 * @param maxIdleMs {@code connections.max.idle.ms}; negative for no limit
 * @param allowances what its clients may do
 * @param meters who counts on a shard
 */
public record ApiListener(
    String name,
    ApiTable table,
    ByteBufAllocator allocator,
    long maxIdleMs,
    Allowances allowances,
    Function<Shard, ShardMeters> meters)
    implements Network.Acceptor {
  /** Without any limits; nobody will ask what was counted. */
  public ApiListener(String name, ApiTable table, ByteBufAllocator allocator, long maxIdleMs) {
    this(name, table, allocator, maxIdleMs, Allowances.UNLIMITED);
  }

  /** Nobody will ask what was counted. */
  public ApiListener(
      String name,
      ApiTable table,
      ByteBufAllocator allocator,
      long maxIdleMs,
      Allowances allowances) {
    this(name, table, allocator, maxIdleMs, allowances, shard -> new ShardMeters());
  }

  @Override
  public void arrived(Network.Arrival arrival) {
    if (allowances.limits() == null) {
      arrival.accept(null);
    } else {
      allowances.limits().arrived(name, arrival);
    }
  }

  @Override
  public ConnectionListener accepted(Connection connection, Shard shard) {
    return new ApiConnection(this, connection, shard);
  }
}
