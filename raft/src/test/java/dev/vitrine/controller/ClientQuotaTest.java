package dev.vitrine.controller;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.vitrine.protocol.ApiMessage;
import dev.vitrine.protocol.Errors;
import dev.vitrine.protocol.message.*;
import dev.vitrine.protocol.message.AlterClientQuotasRequest.EntityData;
import dev.vitrine.protocol.message.AlterClientQuotasRequest.EntryData;
import dev.vitrine.protocol.message.AlterClientQuotasRequest.OpData;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/**
 * AlterClientQuotas, and the quota of mutations; answers and texts are those of Apache Kafka 4.4.
 */
class ClientQuotaTest {
  private final ControllerFixture f = new ControllerFixture();

  ClientQuotaTest() {
    f.config.isHost(name -> name.matches("[0-9.]+|localhost")).quotaWindows(11, 1000);
    f.start().up(1, 2, 3);
  }

  private static EntityData part(String type, String name) {
    return new EntityData().entityType(type).entityName(name);
  }

  private static OpData set(String key, double value) {
    return new OpData().key(key).value(value);
  }

  private static OpData remove(String key) {
    return new OpData().key(key).remove(true);
  }

  private static EntryData entry(List<EntityData> entity, OpData... ops) {
    return new EntryData().entity(entity).ops(List.of(ops));
  }

  private AlterClientQuotasResponse alter(EntryData... entries) {
    return f.ask(new AlterClientQuotasRequest().entries(List.of(entries)));
  }

  private void assertRefused(String message, List<EntityData> entity, OpData... ops) {
    long end = f.image().offset();
    AlterClientQuotasResponse r = alter(entry(entity, ops));
    assertEquals(1, r.entries().size());
    assertEquals(message, r.entries().get(0).errorMessage());
    assertEquals(Errors.INVALID_REQUEST.code(), r.entries().get(0).errorCode());
    assertEquals(end, f.image().offset(), "nothing is written");
  }

  private Map<String, Double> quotas() {
    Map<String, Double> all = new TreeMap<>();
    f.image()
        .security()
        .clientQuotas()
        .forEach((key, r) -> all.put(key.entity() + " " + key.key(), r.value()));
    return all;
  }

  @Test
  void refusesEntities() {
    OpData one = set("producer_byte_rate", 1);
    OpData connections = set("connection_creation_rate", 1);
    assertRefused("Invalid empty client quota entity", List.of(), one);
    assertRefused("Unhandled client quota entity type: foo", List.of(part("foo", "x")), one);
    assertRefused("Empty user not supported", List.of(part("user", "")), one);
    assertRefused("Empty client-id not supported", List.of(part("client-id", "")), one);
    String combination =
        "Invalid quota entity combination, IP entity shouldnot be combined with User or ClientId";
    assertRefused(combination, List.of(part("ip", "1.2.3.4"), part("user", "u")), connections);
    assertRefused(combination, List.of(part("client-id", null), part("ip", null)), connections);
    assertRefused(
        "no.such.host is not a valid IP or resolvable host.",
        List.of(part("ip", "no.such.host")),
        connections);
  }

  @Test
  void refusesKeysAndValues() {
    List<EntityData> user = List.of(part("user", "u"));
    List<EntityData> ip = List.of(part("ip", "1.2.3.4"));
    assertRefused(
        "Invalid configuration key connection_creation_rate",
        user,
        set("connection_creation_rate", 1));
    assertRefused("Invalid configuration key producer_byte_rate", ip, set("producer_byte_rate", 1));
    assertRefused("Invalid configuration key nope", user, set("nope", 1));
    assertRefused(
        "Quota producer_byte_rate must be greater than 0", user, set("producer_byte_rate", 0));
    assertRefused(
        "Quota request_percentage must be greater than 0", user, set("request_percentage", -1));
    assertRefused(
        "producer_byte_rate cannot be a fractional value.", user, set("producer_byte_rate", 1.5));
    assertRefused(
        "Proposed value for consumer_byte_rate is too large for a LONG.",
        user,
        set("consumer_byte_rate", 1e19));
    assertRefused(
        "Proposed value for connection_creation_rate is too large for an INT.",
        ip,
        set("connection_creation_rate", 3e9));
    assertRefused(
        "Quota producer_byte_rate must be a finite number",
        user,
        set("producer_byte_rate", Double.NaN));
    assertRefused(
        "Quota request_percentage must be a finite number",
        user,
        set("request_percentage", Double.POSITIVE_INFINITY));
    // One bad key, and nothing of the entity is set.
    assertRefused(
        "Quota consumer_byte_rate must be greater than 0",
        user,
        set("producer_byte_rate", 1),
        set("consumer_byte_rate", 0));
  }

  @Test
  void anEntityThatComesTwiceIsRefusedThoughTheFirstIsSet() {
    List<EntityData> user = List.of(part("user", "u"));
    AlterClientQuotasResponse r =
        alter(entry(user, set("producer_byte_rate", 1)), entry(user, set("producer_byte_rate", 2)));
    assertEquals(1, r.entries().size());
    String twice = "Ignoring duplicate entity ClientQuotaEntity(entries={user=u})";
    assertEquals(twice, r.entries().get(0).errorMessage());
    assertEquals(Map.of("user=1:u; producer_byte_rate", 1.0), quotas());
    assertRefused(twice, user, set("producer_byte_rate", 3), set("producer_byte_rate", 4));
  }

  @Test
  void setsAndRemovesAndWritesNothingThatIsSo() {
    List<EntityData> both = List.of(part("user", "u"), part("client-id", null));
    EntryData set = entry(both, set("producer_byte_rate", 1000), set("request_percentage", 12.5));
    f.ask(new AlterClientQuotasRequest().entries(List.of(set)).validateOnly(true));
    assertEquals(Map.of(), quotas());
    AlterClientQuotasResponse r =
        alter(set, entry(List.of(part("ip", "localhost")), set("connection_creation_rate", 5)));
    assertEquals(List.of(0, 0), r.entries().stream().map(e -> (int) e.errorCode()).toList());
    assertNull(r.entries().get(0).errorMessage());
    Map<String, Double> all =
        Map.of(
            "client-id*;user=1:u; producer_byte_rate",
            1000.0,
            "client-id*;user=1:u; request_percentage",
            12.5,
            "ip=9:localhost; connection_creation_rate",
            5.0);
    assertEquals(all, quotas());
    long end = f.image().offset();
    alter(set, entry(List.of(part("user", "x")), remove("producer_byte_rate"), remove("nope")));
    assertEquals(end, f.image().offset());
    alter(entry(both, remove("producer_byte_rate"), set("request_percentage", 50)));
    assertEquals(end + 2, f.image().offset());
    assertEquals(50.0, quotas().get("client-id*;user=1:u; request_percentage"));
    assertEquals(2, quotas().size());
  }

  // --- mutations ---

  private CreateTopicsResponse create(int version, String client, String... names) {
    CreateTopicsRequest request = new CreateTopicsRequest();
    for (String name : names) {
      request
          .topics()
          .add(
              new CreateTopicsRequest.CreatableTopic()
                  .name(name)
                  .numPartitions(10)
                  .replicationFactor((short) 1));
    }
    return ask(request, version, client);
  }

  @SuppressWarnings("unchecked")
  private <T extends ApiMessage> T ask(ApiMessage request, int version, String client) {
    List<ApiMessage> answers = new ArrayList<>();
    RequestContext context =
        new RequestContext("User:ANONYMOUS", client, "PLAINTEXT", Long.MAX_VALUE);
    f.shard.run(() -> f.controller.handle(request, (short) version, context, answers::add));
    f.commit();
    assertEquals(1, answers.size());
    return (T) answers.get(0);
  }

  private static List<Errors> errors(CreateTopicsResponse r) {
    return r.topics().stream().map(t -> Errors.forCode(t.errorCode())).toList();
  }

  @Test
  void mutationsBeyondTheQuotaAreRefusedOrWaitedFor() {
    alter(entry(List.of(part("client-id", "m")), set("controller_mutation_rate", 1)));
    CreateTopicsResponse r = create(6, "m", "a", "b", "c");
    // Eleven are there; the second topic may overdraw, the third may not.
    assertEquals(List.of(Errors.NONE, Errors.NONE, Errors.THROTTLING_QUOTA_EXCEEDED), errors(r));
    assertNull(r.topics().get(2).errorMessage());
    assertEquals(9_000, r.throttleTimeMs());
    assertNull(f.image().topic("c"));
    r = create(6, "m", "c");
    assertEquals(List.of(Errors.THROTTLING_QUOTA_EXCEEDED), errors(r));
    assertTrue(r.throttleTimeMs() > 0);
    r = create(6, "other", "d");
    assertEquals(List.of(Errors.NONE), errors(r));
    assertEquals(0, r.throttleTimeMs());
    r = create(5, "m", "c");
    assertEquals(List.of(Errors.NONE), errors(r));
    assertEquals(19_000, r.throttleTimeMs(), 100);
    CreatePartitionsRequest grow = new CreatePartitionsRequest().timeoutMs(1000);
    grow.topics()
        .add(
            new CreatePartitionsRequest.CreatePartitionsTopic()
                .name("a")
                .count(11)
                .assignments(null));
    CreatePartitionsResponse grown = ask(grow, 3, "m");
    assertEquals(Errors.THROTTLING_QUOTA_EXCEEDED.code(), grown.results().get(0).errorCode());
    grown = ask(grow, 2, "m");
    assertEquals(0, grown.results().get(0).errorCode());
    assertTrue(grown.throttleTimeMs() > 19_000);
    DeleteTopicsRequest delete = new DeleteTopicsRequest().timeoutMs(1000).topicNames(List.of("a"));
    DeleteTopicsResponse deleted = ask(delete, 5, "m");
    assertEquals(Errors.THROTTLING_QUOTA_EXCEEDED.code(), deleted.responses().get(0).errorCode());
    assertNotNull(f.image().topic("a"));
    deleted = ask(delete, 4, "m");
    assertEquals(0, deleted.responses().get(0).errorCode());
    assertTrue(deleted.throttleTimeMs() > 30_000);
    assertNull(f.image().topic("a"));
  }

  @Test
  void whatIsOnlyValidatedCountsToo() {
    alter(entry(List.of(part("user", null)), set("controller_mutation_rate", 0.5)));
    CreateTopicsRequest request = new CreateTopicsRequest().validateOnly(true);
    request
        .topics()
        .add(
            new CreateTopicsRequest.CreatableTopic()
                .name("v")
                .numPartitions(7)
                .replicationFactor((short) 1));
    CreateTopicsResponse first = ask(request, 7, "x");
    assertEquals(List.of(Errors.NONE), errors(first));
    CreateTopicsResponse second = ask(request, 7, "y");
    assertEquals(List.of(Errors.THROTTLING_QUOTA_EXCEEDED), errors(second), "the user's quota");
    assertEquals(3_000, second.throttleTimeMs(), 100);
  }
}
