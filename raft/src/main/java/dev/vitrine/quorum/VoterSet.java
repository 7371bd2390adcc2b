package dev.vitrine.quorum;

import dev.vitrine.protocol.Uuid;
import dev.vitrine.seam.Endpoint;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Who votes, in the order of their ids. Of {@code controller.quorum.voters} the directory ids are
 * not known ({@link Uuid#ZERO}, kraft.version 0).
 */
public record VoterSet(List<Voter> voters) {
  /** One voter and where its controller listener is. */
  public record Voter(int id, Uuid directoryId, Endpoint endpoint) {}

  public VoterSet {
    voters = voters.stream().sorted(Comparator.comparingInt(Voter::id)).toList();
    for (int i = 1; i < voters.size(); i++) {
      if (voters.get(i).id == voters.get(i - 1).id) {
        throw new IllegalArgumentException("voter " + voters.get(i).id + " is named twice");
      }
    }
  }

  /**
   * Reads {@code 1@host:9093,2@[::1]:9093}, the form of {@code controller.quorum.voters}.
   *
   * @throws IllegalArgumentException if it is not of that form; the message says which part
   */
  public static VoterSet parse(String text) {
    List<Voter> voters = new ArrayList<>();
    for (String part : text.split(",")) {
      String p = part.trim();
      int at = p.indexOf('@');
      int colon = p.lastIndexOf(':');
      try {
        int id = Integer.parseInt(p.substring(0, at));
        int port = Integer.parseInt(p.substring(colon + 1));
        String host = p.substring(at + 1, colon);
        if (host.startsWith("[") && host.endsWith("]")) {
          host = host.substring(1, host.length() - 1);
        }
        if (id < 0 || port < 0 || port > 65535 || host.isEmpty()) {
          throw new NumberFormatException();
        }
        voters.add(new Voter(id, Uuid.ZERO, new Endpoint(host, port)));
      } catch (NumberFormatException | StringIndexOutOfBoundsException e) {
        throw new IllegalArgumentException("not a voter of the form id@host:port: '" + p + "'");
      }
    }
    return new VoterSet(voters);
  }

  /** Null if there is no such voter. */
  public Voter voter(int id) {
    for (Voter v : voters) {
      if (v.id == id) {
        return v;
      }
    }
    return null;
  }

  public boolean contains(int id) {
    return voter(id) != null;
  }

  /** Whether this replica votes: the directories may only differ if one of them is not known. */
  boolean contains(ReplicaKey key) {
    Voter v = voter(key.id());
    return v != null
        && (v.directoryId.equals(Uuid.ZERO)
            || !key.hasDirectory()
            || v.directoryId.equals(key.directoryId()));
  }

  public int size() {
    return voters.size();
  }

  int majority() {
    return voters.size() / 2 + 1;
  }
}
