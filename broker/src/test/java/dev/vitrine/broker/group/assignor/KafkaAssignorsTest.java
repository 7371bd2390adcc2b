package dev.vitrine.broker.group.assignor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.vitrine.protocol.Uuid;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * Our assignors against those of Apache Kafka, on groups that are drawn at random and then change.
 */
class KafkaAssignorsTest {
  private static final int SEEDS = 500;
  private static final int STEPS = 6;

  private final ServerAssignor kafkaRange =
      new KafkaAssignor(new org.apache.kafka.coordinator.group.assignor.RangeAssignor());
  private final ServerAssignor kafkaUniform =
      new KafkaAssignor(new org.apache.kafka.coordinator.group.assignor.UniformAssignor());

  @Test
  void haveKafkasNames() {
    assertEquals(kafkaUniform.name(), new UniformAssignor().name());
    assertEquals(kafkaRange.name(), new RangeAssignor().name());
  }

  @Test
  void rangeIsEqual() {
    RangeAssignor ours = new RangeAssignor();
    for (long seed = 0; seed < SEEDS; seed++) {
      RandomGroups groups = new RandomGroups(seed, 12, 8, 12);
      AssignmentInput input = groups.draw();
      for (int step = 0; step < STEPS; step++) {
        Map<String, Map<Uuid, Set<Integer>>> result = ours.assign(input);
        assertEquals(kafkaRange.assign(input), result, "seed " + seed + ", step " + step);
        input = groups.disturb(RandomGroups.with(input, result));
      }
    }
  }

  /** Kafka's own result depends on the order of hash maps, so what counts is how good it is. */
  @Test
  void uniformIsAtLeastAsLevelAndMovesAsLittle() {
    UniformAssignor ours = new UniformAssignor();
    long ourMoves = 0;
    long kafkaMoves = 0;
    for (long seed = 0; seed < SEEDS; seed++) {
      RandomGroups groups = new RandomGroups(seed, 12, 8, 12);
      AssignmentInput input = groups.draw();
      for (int step = 0; step < STEPS; step++) {
        Map<String, Map<Uuid, Set<Integer>>> result = ours.assign(input);
        Quality q = Quality.of(input, result);
        Quality kafka = Quality.of(input, kafkaUniform.assign(input));
        String where = "seed " + seed + ", step " + step + ": " + q + ", Kafka " + kafka;
        assertTrue(q.squares() <= kafka.squares(), where);
        if (q.squares() == kafka.squares()) {
          ourMoves += q.moves();
          kafkaMoves += kafka.moves();
        }
        input = groups.disturb(RandomGroups.with(input, result));
      }
    }
    assertTrue(ourMoves <= kafkaMoves, ourMoves + " moves, Kafka's " + kafkaMoves);
  }
}
