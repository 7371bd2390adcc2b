package dev.vitrine.quota;

import dev.vitrine.metadata.SecurityImage;
import dev.vitrine.protocol.message.ClientQuotaRecord;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Which limit counts for whom, of all that is set for users and client ids. Immutable: any thread
 * may ask. What is set for addresses is not in here.
 */
public final class QuotaRules {
  public static final QuotaRules NONE = new QuotaRules(Map.of());

  /** How an entity's default is called; nobody can have this as a name. */
  private static final String DEFAULT = "";

  /** By type, and then by whom it is for. */
  private final List<Map<Entity, Double>> limits = new ArrayList<>();

  /**
   * Whom a limit was set for.
   *
   * @param user null if it is for a client id alone, {@link #DEFAULT} for every user that has none
   * @param clientId likewise
   */
  private record Entity(String user, String clientId) implements Comparable<Entity> {
    @Override
    public int compareTo(Entity o) {
      int c = compare(user, o.user);
      return c != 0 ? c : compare(clientId, o.clientId);
    }

    private static int compare(String a, String b) {
      return a == null || b == null ? Boolean.compare(b == null, a == null) : a.compareTo(b);
    }
  }

  /**
   * Who shares one limit. A limit for a user is shared by all its client ids, one for a client id
   * by all users of it, and one for both is theirs alone; defaults give each their own.
   *
   * @param user empty if it is shared by all users
   * @param clientId empty if it is shared by all client ids
   */
  public record Bucket(String user, String clientId) {}

  /** A limit, and who shares it. */
  public record Match(Bucket bucket, double limit) {}

  private QuotaRules(Map<SecurityImage.QuotaKey, ClientQuotaRecord> records) {
    for (int i = 0; i < QuotaType.values().length; i++) {
      limits.add(new TreeMap<>());
    }
    for (ClientQuotaRecord r : records.values()) {
      QuotaType type = QuotaType.of(r.key());
      Entity entity = entity(r);
      if (type != null && entity != null) {
        limits.get(type.ordinal()).put(entity, r.value());
      }
    }
  }

  /** Of all the quotas in an image. */
  public static QuotaRules of(SecurityImage image) {
    QuotaRules rules = new QuotaRules(image.clientQuotas());
    return rules.limits.stream().allMatch(Map::isEmpty) ? NONE : rules;
  }

  /** Null if it is for something else than users and client ids. */
  private static Entity entity(ClientQuotaRecord r) {
    String user = null;
    String clientId = null;
    for (ClientQuotaRecord.EntityData part : r.entity()) {
      String name = part.entityName() == null ? DEFAULT : part.entityName();
      switch (part.entityType()) {
        case "user" -> user = name;
        case "client-id" -> clientId = name;
        default -> {
          return null;
        }
      }
    }
    return user == null && clientId == null ? null : new Entity(user, clientId);
  }

  /** Whether anything of this type is limited for anybody. */
  public boolean limits(QuotaType type) {
    return !limits.get(type.ordinal()).isEmpty();
  }

  /**
   * The limit that counts, of the eight that may be set, in Kafka's order. A client without an id
   * is, as in Kafka, only limited by what is set for its user alone or for every user.
   *
   * @param clientId null and empty are the same
   * @return null if there is none
   */
  public Match match(QuotaType type, String user, String clientId) {
    Map<Entity, Double> of = limits.get(type.ordinal());
    if (of.isEmpty()) {
      return null;
    }
    if (clientId == null || clientId.isEmpty()) {
      return first(of, new Bucket(user, ""), new Entity(user, null), new Entity(DEFAULT, null));
    }
    Bucket both = new Bucket(user, clientId);
    Match m = first(of, both, new Entity(user, clientId), new Entity(user, DEFAULT));
    if (m == null) {
      m = first(of, new Bucket(user, ""), new Entity(user, null));
    }
    if (m == null) {
      m = first(of, both, new Entity(DEFAULT, clientId), new Entity(DEFAULT, DEFAULT));
    }
    if (m == null) {
      m = first(of, new Bucket(user, ""), new Entity(DEFAULT, null));
    }
    return m != null
        ? m
        : first(
            of, new Bucket("", clientId), new Entity(null, clientId), new Entity(null, DEFAULT));
  }

  private static Match first(Map<Entity, Double> of, Bucket bucket, Entity... entities) {
    for (Entity e : entities) {
      Double limit = of.get(e);
      if (limit != null) {
        return new Match(bucket, limit);
      }
    }
    return null;
  }

  /** {@code ANONYMOUS} of {@code User:ANONYMOUS}. */
  public static String userOf(String principal) {
    return principal.substring(principal.indexOf(':') + 1);
  }
}
