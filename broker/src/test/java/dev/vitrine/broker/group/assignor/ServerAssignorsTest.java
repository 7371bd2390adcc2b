package dev.vitrine.broker.group.assignor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import org.junit.jupiter.api.Test;

class ServerAssignorsTest {
  @Test
  void offersKafkasTwoInItsOrder() {
    ServerAssignors all = ServerAssignors.all();
    assertEquals(List.of("uniform", "range"), List.copyOf(all.names()));
    assertEquals("uniform", all.preferred().name());
    assertEquals("range", all.get("range").name());
    assertNull(all.get("sticky"));
  }

  @Test
  void offersWhatIsConfigured() {
    ServerAssignors some = ServerAssignors.of(List.of("range"));
    assertEquals("range", some.preferred().name());
    assertNull(some.get("uniform"));
    assertThrows(IllegalArgumentException.class, () -> ServerAssignors.of(List.of("sticky")));
    assertThrows(IllegalArgumentException.class, () -> ServerAssignors.of(List.of()));
  }
}
