package dev.vitrine.controller;

import dev.vitrine.metadata.MetadataImage;
import dev.vitrine.metadata.SecurityImage.QuotaKey;
import dev.vitrine.protocol.Errors;
import dev.vitrine.protocol.message.AlterClientQuotasRequest;
import dev.vitrine.protocol.message.AlterClientQuotasRequest.OpData;
import dev.vitrine.protocol.message.AlterClientQuotasResponse;
import dev.vitrine.protocol.message.ClientQuotaRecord;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;

/**
 * AlterClientQuotas v0-1 (KIP-546): what is set for a user, a client id, both, or an address
 * (KIP-612), and for the default of each. An entity that is refused leaves the others alone; what
 * is set already makes no record. On the quorum loop.
 */
final class ClientQuotaControl {
  private static final String USER = "user";
  private static final String CLIENT_ID = "client-id";
  private static final String IP = "ip";

  /** Of the parts of an entity, in answers and records. */
  private static final List<String> ORDER = List.of(CLIENT_ID, USER, IP);

  private static final double WHOLE = 1e-6;

  private enum Kind {
    INT(Integer.MAX_VALUE, "an INT"),
    LONG(Long.MAX_VALUE, "a LONG"),
    DOUBLE(Double.MAX_VALUE, null);

    final double max;
    final String name;

    Kind(double max, String name) {
      this.max = max;
      this.name = name;
    }
  }

  private static final Map<String, Kind> CLIENT_KEYS =
      Map.of(
          "producer_byte_rate", Kind.LONG,
          "consumer_byte_rate", Kind.LONG,
          "request_percentage", Kind.DOUBLE,
          "controller_mutation_rate", Kind.DOUBLE);
  private static final Map<String, Kind> IP_KEYS = Map.of("connection_creation_rate", Kind.INT);

  private final Predicate<String> isHost;

  /**
   * @param isHost whether it is an address or the name of a host
   */
  ClientQuotaControl(Predicate<String> isHost) {
    this.isHost = isHost;
  }

  AlterClientQuotasResponse alter(AlterClientQuotasRequest request, Draft draft) {
    Map<Map<String, String>, ControllerException> results = new LinkedHashMap<>();
    Draft.Mark start = draft.mark();
    for (AlterClientQuotasRequest.EntryData entry : request.entries()) {
      Map<String, String> entity = entity(entry);
      Draft.Mark mark = draft.mark();
      ControllerException refusal = null;
      try {
        Map<String, Double> ops = ops(entry);
        // An entity that comes twice is refused, though what was asked first is done.
        if (results.containsKey(entity) || ops == null) {
          throw refused("Ignoring duplicate entity ClientQuotaEntity(entries=" + entity + ")");
        }
        alterOne(entity, ops, draft);
      } catch (ControllerException e) {
        draft.reset(mark);
        refusal = e;
      }
      results.put(entity, refusal);
    }
    if (request.validateOnly()) {
      draft.reset(start);
    }
    AlterClientQuotasResponse response = new AlterClientQuotasResponse();
    results.forEach((entity, refusal) -> response.entries().add(result(entity, refusal)));
    return response;
  }

  /** As Kafka takes it: of two parts of one type the last one counts. */
  private static Map<String, String> entity(AlterClientQuotasRequest.EntryData entry) {
    Map<String, String> parts = new LinkedHashMap<>();
    entry.entity().forEach(part -> parts.put(part.entityType(), part.entityName()));
    Map<String, String> entity = new LinkedHashMap<>();
    for (String type : ORDER) {
      if (parts.containsKey(type)) {
        entity.put(type, parts.remove(type));
      }
    }
    entity.putAll(parts);
    return entity;
  }

  /** Null if a key is there twice: Kafka says then that the entity is. */
  private static Map<String, Double> ops(AlterClientQuotasRequest.EntryData entry) {
    Map<String, Double> ops = new LinkedHashMap<>();
    for (OpData op : entry.ops()) {
      if (ops.containsKey(op.key())) {
        return null;
      }
      ops.put(op.key(), op.remove() ? null : op.value());
    }
    return ops;
  }

  private static AlterClientQuotasResponse.EntryData result(
      Map<String, String> entity, ControllerException refusal) {
    AlterClientQuotasResponse.EntryData result =
        new AlterClientQuotasResponse.EntryData()
            .errorCode(refusal == null ? 0 : refusal.error().code())
            .errorMessage(refusal == null ? null : refusal.getMessage());
    entity.forEach(
        (type, name) ->
            result
                .entity()
                .add(new AlterClientQuotasResponse.EntityData().entityType(type).entityName(name)));
    return result;
  }

  private void alterOne(Map<String, String> entity, Map<String, Double> ops, Draft draft) {
    Map<String, Kind> keys = keysOf(entity);
    Map<String, Double> current = current(entity, draft.image());
    ops.forEach(
        (key, value) -> {
          if (value != null) {
            check(keys, key, value);
          }
          if (value == null ? current.containsKey(key) : !value.equals(current.get(key))) {
            draft.add(
                record(entity).key(key).value(value == null ? 0 : value).remove(value == null));
          }
        });
  }

  private static Map<String, Double> current(Map<String, String> entity, MetadataImage image) {
    Map<String, Double> current = new TreeMap<>();
    String text = QuotaKey.of(record(entity)).entity();
    image
        .security()
        .clientQuotas()
        .forEach(
            (key, record) -> {
              if (key.entity().equals(text)) {
                current.put(key.key(), record.value());
              }
            });
    return current;
  }

  private static ClientQuotaRecord record(Map<String, String> entity) {
    List<ClientQuotaRecord.EntityData> parts = new ArrayList<>();
    entity.forEach(
        (type, name) ->
            parts.add(new ClientQuotaRecord.EntityData().entityType(type).entityName(name)));
    return new ClientQuotaRecord().entity(parts);
  }

  /** What may be set for such an entity. */
  private Map<String, Kind> keysOf(Map<String, String> entity) {
    if (entity.isEmpty()) {
      throw refused("Invalid empty client quota entity");
    }
    entity.forEach(
        (type, name) -> {
          if (!type.equals(USER) && !type.equals(CLIENT_ID) && !type.equals(IP)) {
            throw refused("Unhandled client quota entity type: " + type);
          }
          if (name != null && name.isEmpty()) {
            throw refused("Empty " + type + " not supported");
          }
        });
    if (!entity.containsKey(IP)) {
      return CLIENT_KEYS;
    }
    if (entity.size() > 1) {
      throw refused(
          "Invalid quota entity combination, IP entity shouldnot be combined with User or ClientId");
    }
    String ip = entity.get(IP);
    if (ip != null && !isHost.test(ip)) {
      throw refused(ip + " is not a valid IP or resolvable host.");
    }
    return IP_KEYS;
  }

  private static void check(Map<String, Kind> keys, String key, double value) {
    Kind kind = keys.get(key);
    if (kind == null) {
      throw refused("Invalid configuration key " + key);
    }
    if (Double.isNaN(value) || Double.isInfinite(value)) {
      throw refused("Quota " + key + " must be a finite number");
    }
    if (value <= 0) {
      throw refused("Quota " + key + " must be greater than 0");
    }
    if (kind == Kind.DOUBLE) {
      return;
    }
    if (value > kind.max) {
      throw refused("Proposed value for " + key + " is too large for " + kind.name + ".");
    }
    if (Math.abs(value % 1.0) > WHOLE) {
      throw refused(key + " cannot be a fractional value.");
    }
  }

  private static ControllerException refused(String why) {
    return new ControllerException(Errors.INVALID_REQUEST, why);
  }
}
