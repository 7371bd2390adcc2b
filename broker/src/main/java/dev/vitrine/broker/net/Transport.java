package dev.vitrine.broker.net;

import io.netty.channel.IoHandlerFactory;
import io.netty.channel.ServerChannel;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;

/**
 * How this system waits for sockets: epoll on Linux, which also has {@code sendfile}, else what
 * Java has. Chosen once for the process, since loops and channels must be of the same kind. Any
 * thread.
 */
enum Transport {
  EPOLL,
  NIO;

  static final Transport CURRENT = Epoll.isAvailable() ? EPOLL : NIO;

  IoHandlerFactory ioHandlers() {
    return this == EPOLL ? EpollIoHandler.newFactory() : NioIoHandler.newFactory();
  }

  SocketChannel newSocket() {
    return this == EPOLL ? new EpollSocketChannel() : new NioSocketChannel();
  }

  /** Registers with {@code loop} only later; not yet bound. */
  ServerChannel newServerSocket() {
    return this == EPOLL ? new EpollServerSocketChannel() : new NioServerSocketChannel();
  }
}
