package dev.vitrine.seam;

/** Where a server listens: a host name or address, and a port. */
public record Endpoint(String host, int port) {
  @Override
  public String toString() {
    return (host.indexOf(':') >= 0 ? "[" + host + "]" : host) + ":" + port;
  }
}
