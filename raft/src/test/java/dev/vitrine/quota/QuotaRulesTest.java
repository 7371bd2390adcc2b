package dev.vitrine.quota;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;

import dev.vitrine.metadata.MetadataImage;
import dev.vitrine.protocol.message.ClientQuotaRecord;
import dev.vitrine.protocol.message.ClientQuotaRecord.EntityData;
import dev.vitrine.quota.QuotaRules.Match;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.apache.kafka.common.metrics.Metrics;
import org.apache.kafka.common.metrics.Quota;
import org.apache.kafka.common.security.auth.KafkaPrincipal;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.network.Session;
import org.apache.kafka.server.config.ClientQuotaManagerConfig;
import org.apache.kafka.server.quota.ClientQuotaEntity.ConfigEntity;
import org.apache.kafka.server.quota.ClientQuotaManager;
import org.junit.jupiter.api.Test;

/**
 * Which limit counts for whom, beside what Kafka's own class says, and what it has clients wait.
 */
class QuotaRulesTest {
  private static final List<String> USERS = List.of("ANONYMOUS", "alice", "bob");
  private static final List<String> CLIENTS = List.of("", "c1", "c2", "c3");

  private static EntityData part(String type, String name) {
    return new EntityData().entityType(type).entityName(name);
  }

  private static ClientQuotaRecord record(String key, double value, EntityData... parts) {
    return new ClientQuotaRecord().key(key).value(value).entity(List.of(parts));
  }

  private static QuotaRules rules(MetadataImage image) {
    return QuotaRules.of(image.security());
  }

  /** One entity as both know it. */
  private record Entity(
      List<EntityData> ours, Optional<ConfigEntity> user, Optional<ConfigEntity> client) {
    static Entity of(int user, int client) {
      List<EntityData> parts = new ArrayList<>();
      Optional<ConfigEntity> theirUser = Optional.empty();
      Optional<ConfigEntity> theirClient = Optional.empty();
      if (user >= 0) {
        String name = user == 0 ? null : USERS.get(user % USERS.size());
        parts.add(part("user", name));
        theirUser =
            Optional.of(
                name == null
                    ? ClientQuotaManager.DEFAULT_USER_ENTITY
                    : new ClientQuotaManager.UserEntity(name));
      }
      if (client >= 0) {
        String name = client == 0 ? null : CLIENTS.get(client);
        parts.add(part("client-id", name));
        theirClient =
            Optional.of(
                name == null
                    ? ClientQuotaManager.DEFAULT_USER_CLIENT_ID
                    : new ClientQuotaManager.ClientIdEntity(name));
      }
      return new Entity(parts, theirUser, theirClient);
    }
  }

  @Property(tries = 200)
  void theLimitAndWhoSharesItAreKafkas(@ForAll long seed) throws Exception {
    Random random = new Random(seed);
    try (Metrics metrics = new Metrics()) {
      ClientQuotaManager theirs =
          new ClientQuotaManager(
              new ClientQuotaManagerConfig(4, 1),
              metrics,
              org.apache.kafka.server.quota.QuotaType.PRODUCE,
              Time.SYSTEM,
              "");
      try {
        MetadataImage image = MetadataImage.EMPTY;
        QuotaSensors sensors = new QuotaSensors(4, 1000);
        long now = System.currentTimeMillis();
        for (int step = 0; step < 15; step++) {
          Entity e = Entity.of(random.nextInt(5) - 1, random.nextInt(5) - 1);
          if (e.ours.isEmpty()) {
            continue;
          }
          boolean remove = random.nextInt(4) == 0;
          int limit = 1 + random.nextInt(1000);
          ClientQuotaRecord record = new ClientQuotaRecord().key("producer_byte_rate");
          image = image.apply(record.entity(e.ours).value(limit).remove(remove));
          theirs.updateQuota(
              e.user, e.client, remove ? Optional.empty() : Optional.of(new Quota(limit, true)));
          now += random.nextInt(700);
          compare(theirs, rules(image), sensors, random, now);
        }
      } finally {
        theirs.shutdown();
      }
    }
  }

  private static void compare(
      ClientQuotaManager theirs, QuotaRules ours, QuotaSensors sensors, Random random, long now)
      throws Exception {
    for (String user : USERS) {
      for (String client : CLIENTS) {
        String who = user + "/" + client;
        Match match = ours.match(QuotaType.PRODUCE, user, client);
        Quota quota = theirs.quota(user, client);
        double limit = match == null ? Long.MAX_VALUE : match.limit();
        assertEquals(quota.bound(), limit, who);
        if (match == null) {
          continue;
        }
        Session session =
            new Session(
                new KafkaPrincipal(KafkaPrincipal.USER_TYPE, user),
                InetAddress.getLoopbackAddress());
        Map<String, String> tags = theirs.getOrCreateQuotaSensors(session, client).metricTags();
        assertEquals(tags.get("user"), match.bucket().user(), who);
        assertEquals(tags.get("client-id"), match.bucket().clientId(), who);
        int bytes = random.nextInt(3000);
        int expected = theirs.recordAndGetThrottleTimeMs(session, client, bytes, now);
        assertEquals(
            expected, sensors.record(QuotaType.PRODUCE, match, bytes, now), 1, who + " waits");
      }
    }
  }

  @Test
  void eachTypeHasItsOwnLimits() {
    MetadataImage image =
        MetadataImage.EMPTY
            .apply(record("producer_byte_rate", 1, part("user", null)))
            .apply(record("request_percentage", 2, part("client-id", "c")))
            .apply(record("controller_mutation_rate", 3, part("client-id", "c"), part("user", "u")))
            .apply(record("connection_creation_rate", 4, part("ip", "1.2.3.4")));
    QuotaRules rules = rules(image);
    assertEquals(1, rules.match(QuotaType.PRODUCE, "u", "c").limit());
    assertEquals(2, rules.match(QuotaType.REQUEST, "u", "c").limit());
    assertEquals(3, rules.match(QuotaType.CONTROLLER_MUTATION, "u", "c").limit());
    assertNull(rules.match(QuotaType.FETCH, "u", "c"));
    assertNull(rules.match(QuotaType.REQUEST, "u", null));
    assertEquals(1, rules.match(QuotaType.PRODUCE, "u", null).limit());
  }

  @Test
  void limitsForAddressesAreNoneForClients() {
    MetadataImage image =
        MetadataImage.EMPTY.apply(record("connection_creation_rate", 4, part("ip", null)));
    assertSame(QuotaRules.NONE, rules(image));
    assertEquals("ANONYMOUS", QuotaRules.userOf("User:ANONYMOUS"));
  }
}
