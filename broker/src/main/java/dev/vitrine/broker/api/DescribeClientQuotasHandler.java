package dev.vitrine.broker.api;

import dev.vitrine.metadata.MetadataImage;
import dev.vitrine.protocol.ApiMessage;
import dev.vitrine.protocol.Errors;
import dev.vitrine.protocol.message.ClientQuotaRecord;
import dev.vitrine.protocol.message.DescribeClientQuotasRequest;
import dev.vitrine.protocol.message.DescribeClientQuotasRequest.ComponentData;
import dev.vitrine.protocol.message.DescribeClientQuotasResponse;
import dev.vitrine.protocol.message.DescribeClientQuotasResponse.EntityData;
import dev.vitrine.protocol.message.DescribeClientQuotasResponse.EntryData;
import dev.vitrine.protocol.message.DescribeClientQuotasResponse.ValueData;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;

/**
 * DescribeClientQuotas 0–1 (KIP-546): what is set for users, client ids and addresses, out of the
 * image. A strict filter asks for entities of just the parts that it names, any other for those
 * that have these parts among theirs.
 */
public final class DescribeClientQuotasHandler implements ApiHandler {
  private static final byte EXACT = 0;
  private static final byte DEFAULT = 1;
  private static final byte SPECIFIED = 2;

  private static final String IP = "ip";
  private static final List<String> TYPES = List.of(IP, "user", "client-id");

  private final Supplier<MetadataImage> metadata;

  public DescribeClientQuotasHandler(Supplier<MetadataImage> metadata) {
    this.metadata = metadata;
  }

  @Override
  public void handle(RequestContext context, ApiMessage message, Responder responder) {
    DescribeClientQuotasRequest request = (DescribeClientQuotasRequest) message;
    Map<String, ComponentData> filter = new TreeMap<>();
    for (ComponentData component : request.components()) {
      Refusal refusal = refusal(component, filter);
      if (refusal != null) {
        responder.respond(refusal.answer());
        return;
      }
      filter.put(component.entityType(), component);
    }
    if (filter.containsKey(IP) && filter.size() > 1) {
      responder.respond(
          Refusal.invalid(
                  "Invalid entity filter component combination. IP filter component should not be"
                      + " used with user or clientId filter component.")
              .answer());
      return;
    }
    responder.respond(describe(filter, request.strict()));
  }

  private record Refusal(Errors error, String message) {
    static Refusal invalid(String message) {
      return new Refusal(Errors.INVALID_REQUEST, message);
    }

    DescribeClientQuotasResponse answer() {
      return new DescribeClientQuotasResponse()
          .errorCode(error.code())
          .errorMessage(message)
          .entries(null);
    }
  }

  /** Null if the component can be taken. */
  private static Refusal refusal(ComponentData c, Map<String, ComponentData> before) {
    String type = c.entityType();
    if (type.isEmpty()) {
      return Refusal.invalid("Invalid empty entity type.");
    }
    if (before.containsKey(type)) {
      return Refusal.invalid(
          "Entity type " + type + " cannot appear more than once in the filter.");
    }
    if (!TYPES.contains(type)) {
      return new Refusal(Errors.UNSUPPORTED_VERSION, "Unsupported entity type " + type);
    }
    return switch (c.matchType()) {
      case EXACT ->
          c.match() != null
              ? null
              : Refusal.invalid(
                  "Request specified MATCH_TYPE_EXACT, but set match string to null.");
      case DEFAULT -> c.match() == null ? null : alsoSpecified("MATCH_TYPE_DEFAULT");
      case SPECIFIED -> c.match() == null ? null : alsoSpecified("MATCH_TYPE_SPECIFIED");
      default -> Refusal.invalid("Unknown match type " + c.matchType());
    };
  }

  private static Refusal alsoSpecified(String matchType) {
    return Refusal.invalid(
        "Request specified " + matchType + ", but also specified a match string.");
  }

  private DescribeClientQuotasResponse describe(Map<String, ComponentData> filter, boolean strict) {
    DescribeClientQuotasResponse response = new DescribeClientQuotasResponse().errorMessage("");
    // What belongs to one entity stands together.
    String entity = null;
    EntryData entry = null;
    for (var quota : metadata.get().security().clientQuotas().entrySet()) {
      ClientQuotaRecord record = quota.getValue();
      if (!matches(record, filter, strict)) {
        continue;
      }
      if (!quota.getKey().entity().equals(entity)) {
        entity = quota.getKey().entity();
        entry = new EntryData();
        for (ClientQuotaRecord.EntityData part : record.entity()) {
          entry
              .entity()
              .add(new EntityData().entityType(part.entityType()).entityName(part.entityName()));
        }
        response.entries().add(entry);
      }
      entry.values().add(new ValueData().key(record.key()).value(record.value()));
    }
    return response;
  }

  private static boolean matches(
      ClientQuotaRecord record, Map<String, ComponentData> filter, boolean strict) {
    if (strict && record.entity().size() != filter.size()) {
      return false;
    }
    int matched = 0;
    for (ClientQuotaRecord.EntityData part : record.entity()) {
      ComponentData c = filter.get(part.entityType());
      if (c == null) {
        continue;
      }
      boolean fits =
          switch (c.matchType()) {
            case EXACT -> c.match().equals(part.entityName());
            case DEFAULT -> part.entityName() == null;
            default -> true;
          };
      if (!fits) {
        return false;
      }
      matched++;
    }
    return matched == filter.size();
  }
}
