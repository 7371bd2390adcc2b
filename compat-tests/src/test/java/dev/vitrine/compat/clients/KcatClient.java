package dev.vitrine.compat.clients;

import java.util.List;
import java.util.Optional;

/** Debian's kcat. It writes the same headers with all records, and no timestamps. */
final class KcatClient implements MatrixClient {
  @Override
  public String name() {
    return "kcat";
  }

  @Override
  public Optional<String> missing() {
    return Programs.succeeds(List.of("kcat", "-V"))
        ? Optional.empty()
        : Optional.of("there is no kcat (Debian's package kcat)");
  }

  @Override
  public ClientSession open(String bootstrap) {
    return new KcatSession(bootstrap, ClientMatrix.log(this));
  }

  @Override
  public boolean writesHeadersAndTimestamps() {
    return false;
  }
}
