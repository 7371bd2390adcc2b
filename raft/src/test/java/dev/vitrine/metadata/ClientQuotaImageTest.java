package dev.vitrine.metadata;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.vitrine.protocol.ApiMessage;
import dev.vitrine.protocol.MessageWriter;
import dev.vitrine.protocol.message.ClientQuotaRecord;
import dev.vitrine.protocol.message.ClientQuotaRecord.EntityData;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.quota.ClientQuotaEntity;
import org.apache.kafka.image.ClientQuotasDelta;
import org.apache.kafka.image.ClientQuotasImage;

/** Kafka makes the same of our records of quotas, from the log as from a snapshot. */
class ClientQuotaImageTest {
  private static final String[] NAMES = {null, "a", "a;b", "", "é", "user=1:a;"};
  private static final String[] KEYS = {"producer_byte_rate", "request_percentage"};

  @Property(tries = 200)
  void logAndSnapshotAreReadByKafka(@ForAll long seed) {
    Random random = new Random(seed);
    MetadataImage image = MetadataImage.EMPTY;
    ClientQuotasImage theirs = ClientQuotasImage.EMPTY;
    for (int step = 0; step < 5; step++) {
      List<ApiMessage> records = new ArrayList<>();
      for (int i = random.nextInt(8); i > 0; i--) {
        ClientQuotaRecord record = random(random);
        image = image.apply(record);
        records.add(record);
      }
      theirs = apply(theirs, records);
      assertEquals(quotas(theirs), quotas(image));
      assertEquals(quotas(theirs), quotas(apply(ClientQuotasImage.EMPTY, image.records())));
    }
  }

  private static ClientQuotaRecord random(Random random) {
    List<EntityData> entity = new ArrayList<>();
    if (random.nextInt(4) == 0) {
      entity.add(new EntityData().entityType("ip").entityName(NAMES[random.nextInt(2)]));
    } else {
      int parts = random.nextInt(3) + 1;
      for (int i = 0; i < 2; i++) {
        if ((parts & 1 << i) != 0) {
          String name = NAMES[random.nextInt(NAMES.length)];
          entity.add(
              random.nextInt(entity.size() + 1),
              new EntityData().entityType(i == 0 ? "user" : "client-id").entityName(name));
        }
      }
    }
    return new ClientQuotaRecord()
        .entity(entity)
        .key(KEYS[random.nextInt(KEYS.length)])
        .value(random.nextInt(1000) / 8.0)
        .remove(random.nextInt(3) == 0);
  }

  private static ClientQuotasImage apply(ClientQuotasImage to, List<ApiMessage> records) {
    ClientQuotasDelta delta = new ClientQuotasDelta(to);
    for (ApiMessage record : records) {
      short version = RecordVersions.of(record);
      ByteBuf bytes = Unpooled.buffer();
      record.write(new MessageWriter(bytes), version);
      delta.replay(
          new org.apache.kafka.common.metadata.ClientQuotaRecord(
              new ByteBufferAccessor(bytes.nioBuffer()), version));
    }
    return delta.apply();
  }

  private static Map<String, Map<String, Double>> quotas(ClientQuotasImage image) {
    Map<String, Map<String, Double>> all = new TreeMap<>();
    image
        .entities()
        .forEach(
            (entity, quotas) ->
                all.put(
                    new TreeMap<>(entity.entries()).toString(), new TreeMap<>(quotas.quotas())));
    return all;
  }

  private static Map<String, Map<String, Double>> quotas(MetadataImage image) {
    Map<String, Map<String, Double>> all = new TreeMap<>();
    for (ClientQuotaRecord record : image.security().clientQuotas().values()) {
      Map<String, String> entity = new TreeMap<>();
      record.entity().forEach(part -> entity.put(part.entityType(), part.entityName()));
      all.computeIfAbsent(
              new TreeMap<>(new ClientQuotaEntity(entity).entries()).toString(),
              k -> new TreeMap<>())
          .put(record.key(), record.value());
    }
    return all;
  }
}
