package dev.vitrine.protocol;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;

import dev.vitrine.protocol.message.ApiKeys;
import dev.vitrine.protocol.message.CoordinatorRecordType;
import dev.vitrine.protocol.message.MetadataRecordType;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.apache.kafka.common.message.ApiMessageType.ListenerType;
import org.junit.jupiter.api.Test;

/** The generated enums against Kafka's. */
class ApiKeysTest {
  private static List<String> names(Enum<?>[] values) {
    return Arrays.stream(values).map(Enum::name).sorted().collect(Collectors.toList());
  }

  @Test
  void theApisAreKafkas() {
    List<org.apache.kafka.common.protocol.ApiKeys> kafkas =
        Arrays.stream(org.apache.kafka.common.protocol.ApiKeys.values())
            .filter(k -> k.hasValidVersion())
            .collect(Collectors.toList());
    assertEquals(
        kafkas.stream().map(Enum::name).sorted().collect(Collectors.toList()),
        names(ApiKeys.values()));
    for (org.apache.kafka.common.protocol.ApiKeys kafka : kafkas) {
      ApiKeys ours = ApiKeys.valueOf(kafka.name());
      assertEquals(kafka.id, ours.id());
      assertSame(ours, ApiKeys.forId(kafka.id));
      assertEquals(kafka.messageType.lowestSupportedVersion(), ours.lowestVersion(), kafka.name);
      assertEquals(kafka.latestVersion(false), ours.highestVersion(), kafka.name);
      assertEquals(kafka.inScope(ListenerType.BROKER), ours.isBrokerApi(), kafka.name);
      assertEquals(kafka.inScope(ListenerType.CONTROLLER), ours.isControllerApi(), kafka.name);
      for (short v = kafka.messageType.lowestSupportedVersion(); v <= kafka.latestVersion(); v++) {
        String what = kafka.name + " v" + v;
        assertEquals(kafka.requestHeaderVersion(v), ours.requestHeaderVersion(v), what);
        assertEquals(kafka.responseHeaderVersion(v), ours.responseHeaderVersion(v), what);
      }
      assertEquals(kafka.id, ours.newRequest().apiKey());
      assertEquals(kafka.id, ours.newResponse().apiKey());
      assertNotSame(ours.newRequest(), ours.newRequest());
    }
    for (int id : new int[] {-1, 4, 5, 6, 7, 32767, Integer.MIN_VALUE, Integer.MAX_VALUE}) {
      assertNull(ApiKeys.forId(id));
    }
  }

  @Test
  void theMetadataRecordsAreKafkas() {
    assertEquals(
        names(org.apache.kafka.common.metadata.MetadataRecordType.values()),
        names(MetadataRecordType.values()));
    for (org.apache.kafka.common.metadata.MetadataRecordType kafka :
        org.apache.kafka.common.metadata.MetadataRecordType.values()) {
      MetadataRecordType ours = MetadataRecordType.valueOf(kafka.name());
      assertEquals(kafka.id(), ours.id());
      assertSame(ours, MetadataRecordType.forId(kafka.id()));
      assertEquals(kafka.lowestSupportedVersion(), ours.lowestVersion());
      assertEquals(kafka.highestSupportedVersion(), ours.highestVersion());
      assertEquals(kafka.id(), ours.newRecord().apiKey());
    }
    assertNull(MetadataRecordType.forId(99));
  }

  @Test
  void theCoordinatorRecordsAreKafkas() {
    assertEquals(
        names(org.apache.kafka.coordinator.group.generated.CoordinatorRecordType.values()),
        names(CoordinatorRecordType.values()));
    for (org.apache.kafka.coordinator.group.generated.CoordinatorRecordType kafka :
        org.apache.kafka.coordinator.group.generated.CoordinatorRecordType.values()) {
      CoordinatorRecordType ours = CoordinatorRecordType.valueOf(kafka.name());
      assertEquals(kafka.id(), ours.id());
      assertSame(ours, CoordinatorRecordType.forId(kafka.id()));
      assertEquals(kafka.lowestSupportedVersion(), ours.lowestVersion());
      assertEquals(kafka.highestSupportedVersion(), ours.highestVersion());
      assertEquals(
          kafka.newRecordKey().getClass().getSimpleName(),
          ours.newKey().getClass().getSimpleName());
      assertEquals(
          kafka.newRecordValue().getClass().getSimpleName(),
          ours.newValue().getClass().getSimpleName());
    }
    assertNull(CoordinatorRecordType.forId(99));
  }

  @Test
  void theErrorsAreKafkas() {
    assertEquals(names(org.apache.kafka.common.protocol.Errors.values()), names(Errors.values()));
    for (org.apache.kafka.common.protocol.Errors kafka :
        org.apache.kafka.common.protocol.Errors.values()) {
      Errors ours = Errors.valueOf(kafka.name());
      assertEquals(kafka.code(), ours.code(), kafka.name());
      assertEquals(kafka.message(), ours.message(), kafka.name());
      assertSame(ours, Errors.forCode(kafka.code()));
    }
    for (short code : new short[] {-2, 9999, Short.MIN_VALUE, Short.MAX_VALUE}) {
      assertSame(Errors.UNKNOWN_SERVER_ERROR, Errors.forCode(code));
    }
  }
}
