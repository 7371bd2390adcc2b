package dev.vitrine.metadata;

import dev.vitrine.protocol.ApiMessage;
import dev.vitrine.protocol.Uuid;
import dev.vitrine.protocol.message.AccessControlEntryRecord;
import dev.vitrine.protocol.message.ClientQuotaRecord;
import dev.vitrine.protocol.message.DelegationTokenRecord;
import dev.vitrine.protocol.message.RemoveUserScramCredentialRecord;
import dev.vitrine.protocol.message.UserScramCredentialRecord;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.pcollections.PMap;
import org.pcollections.TreePMap;

/**
 * Who may do what and how much: ACLs, SCRAM credentials, delegation tokens and client quotas, each
 * kept as the record that set it, so that a snapshot loses nothing. The records in it must not be
 * changed by anybody. Immutable.
 */
public record SecurityImage(
    PMap<Uuid, AccessControlEntryRecord> acls,
    PMap<ScramKey, UserScramCredentialRecord> scramCredentials,
    PMap<String, DelegationTokenRecord> delegationTokens,
    PMap<QuotaKey, ClientQuotaRecord> clientQuotas) {
  static final SecurityImage EMPTY =
      new SecurityImage(TreePMap.empty(), TreePMap.empty(), TreePMap.empty(), TreePMap.empty());

  /** A credential belongs to a user and a mechanism (1 SCRAM-SHA-256, 2 SCRAM-SHA-512). */
  public record ScramKey(String user, byte mechanism) implements Comparable<ScramKey> {
    @Override
    public int compareTo(ScramKey o) {
      int c = user.compareTo(o.user);
      return c != 0 ? c : Byte.compare(mechanism, o.mechanism);
    }
  }

  /**
   * A quota belongs to an entity, such as a user with a client id, and a key.
   *
   * @param entity the text form of the entity, its parts sorted by type; only for order
   */
  public record QuotaKey(String entity, String key) implements Comparable<QuotaKey> {
    public static QuotaKey of(ClientQuotaRecord r) {
      List<ClientQuotaRecord.EntityData> parts = new ArrayList<>(r.entity());
      parts.sort(Comparator.comparing(ClientQuotaRecord.EntityData::entityType));
      StringBuilder text = new StringBuilder();
      for (ClientQuotaRecord.EntityData part : parts) {
        // A name may hold any character: its length keeps two entities from looking the same.
        String name = part.entityName();
        text.append(part.entityType()).append(name == null ? "*" : "=" + name.length() + ":");
        text.append(name == null ? "" : name).append(';');
      }
      return new QuotaKey(text.toString(), r.key());
    }

    @Override
    public int compareTo(QuotaKey o) {
      int c = entity.compareTo(o.entity);
      return c != 0 ? c : key.compareTo(o.key);
    }
  }

  SecurityImage with(AccessControlEntryRecord r) {
    return new SecurityImage(
        acls.plus(r.id(), r), scramCredentials, delegationTokens, clientQuotas);
  }

  SecurityImage withoutAcl(Uuid id) {
    return new SecurityImage(acls.minus(id), scramCredentials, delegationTokens, clientQuotas);
  }

  SecurityImage with(UserScramCredentialRecord r) {
    return new SecurityImage(
        acls,
        scramCredentials.plus(new ScramKey(r.name(), r.mechanism()), r),
        delegationTokens,
        clientQuotas);
  }

  SecurityImage without(RemoveUserScramCredentialRecord r) {
    return new SecurityImage(
        acls,
        scramCredentials.minus(new ScramKey(r.name(), r.mechanism())),
        delegationTokens,
        clientQuotas);
  }

  SecurityImage with(DelegationTokenRecord r) {
    return new SecurityImage(
        acls, scramCredentials, delegationTokens.plus(r.tokenId(), r), clientQuotas);
  }

  SecurityImage withoutToken(String tokenId) {
    return new SecurityImage(acls, scramCredentials, delegationTokens.minus(tokenId), clientQuotas);
  }

  SecurityImage with(ClientQuotaRecord r) {
    QuotaKey key = QuotaKey.of(r);
    return new SecurityImage(
        acls,
        scramCredentials,
        delegationTokens,
        r.remove() ? clientQuotas.minus(key) : clientQuotas.plus(key, r));
  }

  void addRecords(List<ApiMessage> to) {
    to.addAll(clientQuotas.values());
    to.addAll(acls.values());
    to.addAll(scramCredentials.values());
    to.addAll(delegationTokens.values());
  }
}
