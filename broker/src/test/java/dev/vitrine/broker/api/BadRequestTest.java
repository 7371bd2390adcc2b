package dev.vitrine.broker.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.vitrine.broker.api.RawClient.Bytes;
import dev.vitrine.protocol.message.ApiKeys;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * What is no request of ours, and what Apache Kafka 4.4.0 did with the same bytes. Kafka closes the
 * connection without an answer, and writes the reason twice as an ERROR with a stack trace; here it
 * is one WARN line with Kafka's words.
 */
class BadRequestTest {
  private static final int METADATA = 3;
  private static final int API_VERSIONS = 18;

  private final TestServer server =
      new TestServer(ListenerType.BROKER)
          .withMetadata()
          .withHeld(ApiKeys.PRODUCE)
          .withHeld(ApiKeys.JOIN_GROUP)
          .listen();

  @AfterEach
  void close() {
    server.close();
  }

  private static Bytes metadata(int correlationId) {
    return Bytes.header(METADATA, 0, correlationId).i32(0);
  }

  private static Bytes apiVersions(int version, String name, String softwareVersion) {
    return Bytes.flexibleHeader(API_VERSIONS, version, 7).compact(name).compact(softwareVersion);
  }

  private void assertCloses(Bytes bad, String why) {
    try (RawClient other = server.client();
        RawClient client = server.client()) {
      client.send(metadata(1));
      assertEquals(1, client.receiveId());
      server.log.clear();
      client.send(bad);
      assertTrue(client.isClosed());
      assertEquals(1, server.log.lines().size(), server.log.lines().toString());
      String id =
          "127.0.0.1:" + server.server.port() + "-127.0.0.1:" + client.socket.getLocalPort();
      assertTrue(
          server
              .log
              .lines()
              .get(0)
              .matches(
                  "WARN Closing socket for \\Q"
                      + id
                      + "\\E-\\d+ because of error: \\Q"
                      + why
                      + "\\E.*"),
          server.log.lines().get(0));
      other.send(metadata(2));
      assertEquals(2, other.receiveId());
    }
  }

  /** InvalidRequestException ... Caused by IllegalArgumentException: Unexpected api key: 999. */
  @Test
  void unknownApi() {
    for (int key : new int[] {999, -1, 4, 5, 6, 7}) {
      assertCloses(
          Bytes.header(key, 0, 7),
          "Error parsing request header. Our best guess of the apiKeyId is: "
              + (key + ": Unexpected api key: " + key));
    }
  }

  /**
   * UnsupportedVersionException: Received request for api with key 3 (Metadata) and unsupported
   * version 99. Produce 2 too, although ApiVersions tells it from 0.
   */
  @Test
  void unsupportedVersion() {
    assertCloses(
        Bytes.header(METADATA, 99, 7).i32(0),
        "Received request for api with key 3 (METADATA) and unsupported version 99");
    assertCloses(
        Bytes.header(METADATA, -1, 7).i32(0),
        "Received request for api with key 3 (METADATA) and unsupported version -1");
    assertCloses(
        Bytes.header(0, 2, 7).i16(1).i32(1000).i32(0),
        "Received request for api with key 0 (PRODUCE) and unsupported version 2");
  }

  /**
   * InvalidRequestException: Received request for disabled api with key 52 (VOTE) and version 0.
   */
  @Test
  void apiOfAnotherListener() {
    assertCloses(
        Bytes.flexibleHeader(52, 0, 7).i8(0).i8(1).i8(0),
        "Received request for disabled api with key 52 (VOTE) and version 0");
  }

  /**
   * InvalidRequestException: Error parsing request header. Our best guess of the apiKeyId is: 3 (-1
   * for the empty frame).
   */
  @Test
  void malformedHeader() {
    String text = "Error parsing request header. Our best guess of the apiKeyId is: ";
    assertCloses(new Bytes(), text + "-1");
    assertCloses(new Bytes().i8(0).i8(3).i8(0), text + "3");
    assertCloses(new Bytes().i16(3).i16(0).i32(1), text + "3");
    assertCloses(new Bytes().i16(3).i16(0).i32(1).i16(100), text + "3");
    // No tagged fields where version 99 must have them.
    assertCloses(Bytes.header(API_VERSIONS, 99, 7), text + "18");
  }

  /** InvalidRequestException: Error getting request for apiKey: METADATA, apiVersion: 0, ... */
  @Test
  void malformedBody() {
    String text = "Error getting request for apiKey: METADATA, apiVersion: 0";
    assertCloses(Bytes.header(METADATA, 0, 7).i16(0), text);
    assertCloses(Bytes.header(METADATA, 0, 7), text);
    assertCloses(Bytes.header(METADATA, 0, 7).i32(1 << 30), text);
    assertCloses(Bytes.header(METADATA, 0, 7).i32(-1), text);
  }

  /** Kafka ignores them, for each API. */
  @Test
  void bytesBehindTheRequest() {
    try (RawClient client = server.client()) {
      client.send(metadata(5).raw("xyz")).send(metadata(6));
      assertEquals(5, client.receiveId());
      assertEquals(6, client.receiveId());
      assertEquals(List.of(), server.log.lines());
    }
  }

  /** A null client id is one; any other negative length counts as null too. */
  @Test
  void nullClientId() {
    try (RawClient client = server.client()) {
      client.send(new Bytes().i16(3).i16(0).i32(5).i16(-1).i32(0));
      assertEquals(5, client.receiveId());
      client.send(new Bytes().i16(3).i16(0).i32(6).i16(-2).i32(0));
      assertEquals(6, client.receiveId());
    }
  }

  /** Kafka answers the first and then closes; the third is never seen. */
  @Test
  void whatStandsBeforeIsAnswered() {
    try (RawClient client = server.client()) {
      client.send(metadata(1)).send(Bytes.header(999, 0, 2)).send(metadata(3));
      assertEquals(1, client.receiveId());
      assertTrue(client.isClosed());
      assertEquals(1, server.log.lines().size());
    }
  }

  /**
   * The frame 00000010 00000007 0023 00000001 0012 0000 0005: version 0 of the body, error 35, and
   * the range of ApiVersions itself; the same for version -1. The connection stays.
   */
  @Test
  void apiVersionsOfAnUnknownVersion() {
    try (RawClient client = server.client()) {
      client.send(apiVersions(99, "x", "1").i8(0));
      assertEquals("00000007002300000001001200000005", client.receiveHex());
      client.send(Bytes.header(API_VERSIONS, -1, 7));
      assertEquals("00000007002300000001001200000005", client.receiveHex());
      client.send(metadata(8));
      assertEquals(8, client.receiveId());
      assertEquals(List.of(), server.log.lines());
    }
  }

  /** The frame 0000000c 00000007 002a 01 00000000 00: INVALID_REQUEST. The connection stays. */
  @Test
  void softwareNamesThatAreNone() {
    try (RawClient client = server.client()) {
      for (String name : List.of("", "-bad name", "a.", ".a", "a_b", "a/b", "\u00e9")) {
        client.send(apiVersions(3, name, "1.0").i8(0));
        assertEquals("00000007002a010000000000", client.receiveHex(), name);
        client.send(apiVersions(3, "ok", name).i8(0));
        assertEquals("00000007002a010000000000", client.receiveHex(), name);
      }
      for (String name : List.of("a", "a-b", "A.1", "a".repeat(120))) {
        client.send(apiVersions(3, name, "1.0").i8(0));
        assertTrue(client.receiveHex().startsWith("000000070000"), name);
      }
      assertEquals(List.of(), server.log.lines());
    }
  }

  /**
   * KIP-1242: one of cluster id and node id without the other is INVALID_REQUEST (42); a broker
   * that is not the one meant answers REBOOTSTRAP_REQUIRED (129).
   */
  @Test
  void apiVersionsForAnotherNode() {
    try (RawClient client = server.client()) {
      assertEquals("002a", errorOf(client, TestServer.CLUSTER_ID, -1));
      assertEquals("002a", errorOf(client, null, 1));
      assertEquals("0081", errorOf(client, TestServer.CLUSTER_ID, 2));
      assertEquals("0081", errorOf(client, TestServer.CLUSTER_ID, -2));
      assertEquals("0081", errorOf(client, "another", 1));
      assertEquals("0081", errorOf(client, "", 1));
      assertEquals("0000", errorOf(client, TestServer.CLUSTER_ID, 1));
      assertEquals("0000", errorOf(client, null, -1));
    }
  }

  private static String errorOf(RawClient client, String clusterId, int nodeId) {
    Bytes request = apiVersions(5, "ok", "1");
    Bytes named = clusterId == null ? request.i8(0) : request.compact(clusterId);
    client.send(named.i32(nodeId).i8(0));
    return HexFormat.of().formatHex(client.receive(), 4, 6);
  }
}
