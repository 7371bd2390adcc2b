package dev.vitrine.config;

/** How a listener's connections are secured, with the number of Kafka's registration records. */
public enum SecurityProtocol {
  PLAINTEXT(0),
  SSL(1),
  SASL_PLAINTEXT(2),
  SASL_SSL(3);

  private final short id;

  SecurityProtocol(int id) {
    this.id = (short) id;
  }

  public short id() {
    return id;
  }
}
