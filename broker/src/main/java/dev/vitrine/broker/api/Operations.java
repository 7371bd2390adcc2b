package dev.vitrine.broker.api;

/**
 * The operations that a client may do, as bits by Kafka's numbers of them (KIP-430). Nobody is
 * refused anything here, so each is what the kind of resource knows.
 */
final class Operations {
  /** Read, write, create, delete, alter, describe, and describe and alter configs. */
  static final int ON_TOPIC = 0b1101_1111_1000;

  /** Create, alter, describe, cluster action, describe and alter configs, idempotent write. */
  static final int ON_CLUSTER = 0b1_1111_1010_0000;

  private Operations() {}
}
