package dev.vitrine.broker.group;

import dev.vitrine.protocol.message.JoinGroupRequest.JoinGroupRequestProtocol;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** One assignment protocol that a member can do, and what it says in it: opaque to the broker. */
record Protocol(String name, byte[] metadata) {
  static List<Protocol> of(List<JoinGroupRequestProtocol> requested) {
    List<Protocol> protocols = new ArrayList<>(requested.size());
    for (JoinGroupRequestProtocol p : requested) {
      protocols.add(new Protocol(p.name(), p.metadata()));
    }
    return protocols;
  }

  @Override
  public boolean equals(Object o) {
    return o instanceof Protocol p && name.equals(p.name) && Arrays.equals(metadata, p.metadata);
  }

  @Override
  public int hashCode() {
    return 31 * name.hashCode() + Arrays.hashCode(metadata);
  }
}
