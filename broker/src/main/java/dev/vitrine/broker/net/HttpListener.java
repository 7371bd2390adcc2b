package dev.vitrine.broker.net;

import dev.vitrine.seam.Endpoint;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.ServerChannel;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.QueryStringDecoder;
import io.netty.handler.timeout.ReadTimeoutHandler;
import io.netty.util.NetUtil;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.ArrayDeque;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * HTTP/1.1 for who watches and breaks this node. It has a loop of its own, so that nothing here
 * holds up a shard.
 *
 * <p>Takes GET and POST of bounded size. On a loopback address a request must call this host by an
 * address, as {@code localhost}, or as the listener is called: a page from elsewhere, whose name
 * was made to point here, does not. What changes something must show the token as {@code
 * Authorization: Bearer}.
 */
public final class HttpListener implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(HttpListener.class);
  private static final int MAX_LINE_BYTES = 4096;
  private static final int MAX_HEADER_BYTES = 8192;
  private static final int MAX_BODY_BYTES = 64 * 1024;
  private static final int IDLE_SECONDS = 60;

  private final NettyShard loop;
  private final Endpoint at;
  private final String token;
  private final HttpService service;
  private final ServerChannel channel = Transport.CURRENT.newServerSocket();

  private HttpListener(NettyShard loop, Endpoint at, String token, HttpService service) {
    this.loop = loop;
    this.at = at;
    this.token = token;
    this.service = service;
  }

  /**
   * @param loop of its own, closed with this
   * @param token that changes must show; null if there is none, and nothing may be changed
   * @throws UncheckedIOException if the address cannot be bound
   */
  public static HttpListener open(NettyShard loop, Endpoint at, String token, HttpService service) {
    HttpListener listener = new HttpListener(loop, at, token, service);
    listener.bind();
    return listener;
  }

  private void bind() {
    channel.config().setOption(ChannelOption.SO_REUSEADDR, true);
    channel.pipeline().addLast(new Accept());
    ChannelFuture registered = loop.loop().register(channel).awaitUninterruptibly();
    ChannelFuture bound =
        registered.isSuccess()
            ? channel.bind(new InetSocketAddress(at.host(), at.port())).awaitUninterruptibly()
            : registered;
    if (!bound.isSuccess()) {
      loop.close();
      throw new UncheckedIOException(
          new IOException("Cannot listen on " + at + ": " + bound.cause().getMessage()));
    }
  }

  /** The real port, also where 0 was asked for. */
  public int port() {
    return ((InetSocketAddress) channel.localAddress()).getPort();
  }

  @Override
  public void close() {
    loop.close();
  }

  private final class Accept extends ChannelInboundHandlerAdapter {
    @Override
    public void channelRead(ChannelHandlerContext context, Object accepted) {
      SocketChannel socket = (SocketChannel) accepted;
      socket
          .pipeline()
          .addLast(new ReadTimeoutHandler(IDLE_SECONDS))
          .addLast(new HttpServerCodec(MAX_LINE_BYTES, MAX_HEADER_BYTES, MAX_HEADER_BYTES))
          .addLast(new HttpObjectAggregator(MAX_BODY_BYTES, true))
          .addLast(new Requests());
      loop.loop().register(socket);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable error) {
      LOG.warn("Cannot accept a connection on {}: {}", at, error.toString());
    }
  }

  /**
   * The requests of one connection, answered one after the other: while an answer is on its way,
   * those that were read behind it wait, and no more are read.
   */
  private final class Requests extends SimpleChannelInboundHandler<FullHttpRequest> {
    private final ArrayDeque<FullHttpRequest> waiting = new ArrayDeque<>();
    private boolean busy;

    @Override
    protected void channelRead0(ChannelHandlerContext context, FullHttpRequest request) {
      if (busy) {
        waiting.add(request.retain());
      } else {
        start(context, request);
      }
    }

    private void start(ChannelHandlerContext context, FullHttpRequest request) {
      busy = true;
      context.channel().config().setAutoRead(false);
      boolean keepAlive = HttpUtil.isKeepAlive(request);
      answer(request, answer -> send(context, answer, keepAlive));
    }

    private void send(ChannelHandlerContext context, HttpAnswer answer, boolean keepAlive) {
      DefaultFullHttpResponse response =
          new DefaultFullHttpResponse(
              HttpVersion.HTTP_1_1,
              HttpResponseStatus.valueOf(answer.status()),
              Unpooled.copiedBuffer(answer.text(), StandardCharsets.UTF_8));
      response.headers().set(HttpHeaderNames.CONTENT_TYPE, answer.type());
      response.headers().set("x-content-type-options", "nosniff");
      response.headers().set(HttpHeaderNames.CACHE_CONTROL, "no-store");
      boolean stays = keepAlive && answer.status() < 400;
      HttpUtil.setContentLength(response, response.content().readableBytes());
      HttpUtil.setKeepAlive(response, stays);
      ChannelFuture sent = context.writeAndFlush(response);
      busy = false;
      if (!stays) {
        sent.addListener(ChannelFutureListener.CLOSE);
        return;
      }
      FullHttpRequest next = waiting.poll();
      if (next == null) {
        context.channel().config().setAutoRead(true);
        return;
      }
      try {
        start(context, next);
      } finally {
        next.release();
      }
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
      waiting.forEach(FullHttpRequest::release);
      waiting.clear();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable error) {
      LOG.debug("Closing a connection to {}", at, error);
      context.close();
    }
  }

  private void answer(FullHttpRequest request, Consumer<HttpAnswer> answer) {
    HttpAnswer refusal = refusal(request);
    if (refusal != null) {
      answer.accept(refusal);
      return;
    }
    try {
      HttpQuestion question = question(request);
      if (question.method().equals("POST") && !question.mayChange()) {
        answer.accept(
            new HttpAnswer(401, "this takes the token, as Authorization: Bearer TOKEN\n"));
        return;
      }
      service.answer(
          question,
          known ->
              answer.accept(
                  known == null
                      ? new HttpAnswer(404, "there is no " + question.path() + " here\n")
                      : known));
    } catch (IllegalArgumentException e) {
      answer.accept(HttpAnswer.wrong(e.getMessage() + "\n"));
    } catch (RuntimeException e) {
      LOG.error("Cannot answer {} {}", request.method(), request.uri(), e);
      answer.accept(new HttpAnswer(500, "this is a bug; the node's log says more\n"));
    }
  }

  /** Null for what may be answered. */
  private HttpAnswer refusal(FullHttpRequest request) {
    if (!request.decoderResult().isSuccess()) {
      return HttpAnswer.wrong("not HTTP, or too long\n");
    }
    if (!isOurs(request.headers().get(HttpHeaderNames.HOST))) {
      return new HttpAnswer(403, "there is no such host here\n");
    }
    boolean known =
        request.method().equals(HttpMethod.POST) || request.method().equals(HttpMethod.GET);
    return known ? null : new HttpAnswer(405, "only GET and POST\n");
  }

  private HttpQuestion question(FullHttpRequest request) {
    QueryStringDecoder query = new QueryStringDecoder(request.uri());
    Map<String, String> parameters = new TreeMap<>();
    query
        .parameters()
        .forEach(
            (name, values) -> {
              if (values.size() > 1) {
                throw new IllegalArgumentException(name + " is given more than once");
              }
              parameters.put(name, values.get(0));
            });
    return new HttpQuestion(
        request.method().name(),
        query.path(),
        parameters,
        request.content().toString(StandardCharsets.UTF_8),
        request.headers().get(HttpHeaderNames.ACCEPT),
        isToken(request.headers().get(HttpHeaderNames.AUTHORIZATION)));
  }

  private boolean isToken(String header) {
    return header != null
        && token != null
        && MessageDigest.isEqual(
            header.getBytes(StandardCharsets.UTF_8),
            ("Bearer " + token).getBytes(StandardCharsets.UTF_8));
  }

  private boolean isOurs(String host) {
    if (host == null) {
      return false;
    }
    if (!((InetSocketAddress) channel.localAddress()).getAddress().isLoopbackAddress()) {
      return true; // it is open to others, who may call it by a name that is not known here
    }
    String name = host.replaceFirst(":\\d{1,5}$", "").replaceFirst("^\\[(.*)]$", "$1");
    return name.equalsIgnoreCase("localhost")
        || name.equalsIgnoreCase(at.host())
        || NetUtil.isValidIpV4Address(name)
        || NetUtil.isValidIpV6Address(name);
  }
}
