package dev.vitrine.quorum;

import dev.vitrine.metadata.VersionRange;
import dev.vitrine.protocol.Uuid;
import dev.vitrine.protocol.message.VotersRecord;
import dev.vitrine.seam.Endpoint;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Who votes, in the order of their ids. Of {@code controller.quorum.voters} the directory ids are
 * not known ({@link Uuid#ZERO}, kraft.version 0); in the log each voter has one (KIP-853).
 */
public record VoterSet(List<Voter> voters) {
  public static final VoterSet NONE = new VoterSet(List.of());

  /** Where a voter listens, by the name of the listener. */
  public record Listener(String name, Endpoint endpoint) {}

  /**
   * One voter.
   *
   * @param listeners of its controller role; the first is the one that the quorum uses
   * @param kraftVersions what it supports; 0 to 0 while it has not told
   */
  public record Voter(
      int id, Uuid directoryId, List<Listener> listeners, VersionRange kraftVersions) {

    /** One that the configuration names. */
    public static Voter fixed(int id, String listener, Endpoint endpoint) {
      return new Voter(
          id, Uuid.ZERO, List.of(new Listener(listener, endpoint)), VersionRange.of(0, 0));
    }

    ReplicaKey key() {
      return new ReplicaKey(id, directoryId);
    }

    /** Null if it has no such listener. */
    Endpoint endpoint(String listener) {
      for (Listener l : listeners) {
        if (l.name.equals(listener)) {
          return l.endpoint;
        }
      }
      return null;
    }

    /** Whether the replica is this voter: a voter without a directory is known by its id alone. */
    boolean is(ReplicaKey key) {
      return id == key.id()
          && (directoryId.equals(Uuid.ZERO) || directoryId.equals(key.directoryId()));
    }
  }

  public VoterSet {
    voters = voters.stream().sorted(Comparator.comparingInt(Voter::id)).toList();
    for (int i = 1; i < voters.size(); i++) {
      if (voters.get(i).id == voters.get(i - 1).id) {
        throw new IllegalArgumentException("voter " + voters.get(i).id + " is named twice");
      }
    }
  }

  static VoterSet of(VotersRecord record) {
    List<Voter> voters = new ArrayList<>();
    for (VotersRecord.Voter v : record.voters()) {
      List<Listener> listeners = new ArrayList<>();
      for (VotersRecord.Endpoint e : v.endpoints()) {
        listeners.add(new Listener(e.name(), new Endpoint(e.host(), e.port())));
      }
      voters.add(
          new Voter(
              v.voterId(),
              v.voterDirectoryId(),
              List.copyOf(listeners),
              new VersionRange(
                  v.kRaftVersionFeature().minSupportedVersion(),
                  v.kRaftVersionFeature().maxSupportedVersion())));
    }
    return new VoterSet(voters);
  }

  VotersRecord toRecord() {
    VotersRecord record = new VotersRecord().version((short) 0);
    for (Voter v : voters) {
      VotersRecord.Voter out =
          new VotersRecord.Voter().voterId(v.id).voterDirectoryId(v.directoryId);
      for (Listener l : v.listeners) {
        out.endpoints()
            .add(
                new VotersRecord.Endpoint()
                    .name(l.name)
                    .host(l.endpoint.host())
                    .port(l.endpoint.port()));
      }
      out.kRaftVersionFeature()
          .minSupportedVersion(v.kraftVersions.min())
          .maxSupportedVersion(v.kraftVersions.max());
      record.voters().add(out);
    }
    return record;
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

  /** Whether this replica votes. */
  boolean contains(ReplicaKey key) {
    Voter v = voter(key.id());
    return v != null && v.is(key);
  }

  public int size() {
    return voters.size();
  }

  int majority() {
    return voters.size() / 2 + 1;
  }

  VoterSet with(Voter voter) {
    List<Voter> all = new ArrayList<>(without(voter.id).voters);
    all.add(voter);
    return new VoterSet(all);
  }

  VoterSet without(int id) {
    return new VoterSet(voters.stream().filter(v -> v.id != id).toList());
  }

  /** As people read it. */
  String keys() {
    return voters.stream().map(v -> v.key().toString()).collect(Collectors.joining(", ", "[", "]"));
  }
}
