package dev.vitrine.broker.control;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.vitrine.broker.api.ApiTable;
import dev.vitrine.broker.api.ListenerType;
import dev.vitrine.protocol.Errors;
import dev.vitrine.protocol.message.ApiKeys;
import dev.vitrine.protocol.message.EnvelopeRequest;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

/** What makes an Envelope good, and what Kafka says to each that is not. */
class OpenEnvelopeTest {
  private static final String USER_X = "0000 0555736572 0278 00 00";
  private static final String DELETE_TOPICS = "0014 0001 00000005 ffff 00000000 00000064";
  private static final String HERE = "7f000001";

  private final ApiTable table =
      new ApiTable(ListenerType.CONTROLLER)
          .add(ApiKeys.DELETE_TOPICS, (c, m, r) -> {})
          .add(ApiKeys.BROKER_HEARTBEAT, (c, m, r) -> {});

  private OpenEnvelope open(String principal, String address, String data)
      throws OpenEnvelope.Refused {
    return OpenEnvelope.open(
        new EnvelopeRequest()
            .requestPrincipal(principal == null ? null : bytes(principal))
            .clientHostAddress(bytes(address))
            .requestData(bytes(data)),
        table,
        entry -> entry.api() == ApiKeys.DELETE_TOPICS);
  }

  private static byte[] bytes(String hex) {
    return HexFormat.of().parseHex(hex.replace(" ", ""));
  }

  private void refused(Errors error, String principal, String address, String data) {
    assertEquals(
        error,
        assertThrows(OpenEnvelope.Refused.class, () -> open(principal, address, data)).error());
  }

  @Test
  void aGoodOneIsOpened() throws Exception {
    OpenEnvelope open = open(USER_X, HERE, DELETE_TOPICS);
    assertEquals("User:x", open.principal());
    assertEquals("/127.0.0.1", open.address());
    assertEquals(ApiKeys.DELETE_TOPICS, open.api());
    assertEquals(5, open.header().correlationId());
  }

  @Test
  void thePrincipalIsLookedAtFirst() {
    Errors bad = Errors.PRINCIPAL_DESERIALIZATION_FAILURE;
    refused(bad, null, "", "");
    refused(bad, "", HERE, DELETE_TOPICS);
    refused(bad, "0000000000000000", HERE, DELETE_TOPICS);
    refused(bad, "0009 0555736572 0278 00 00", HERE, DELETE_TOPICS);
  }

  @Test
  void thenTheAddress() {
    refused(Errors.INVALID_REQUEST, USER_X, "7f0001", "");
    refused(Errors.INVALID_REQUEST, USER_X, "", DELETE_TOPICS);
  }

  @Test
  void thenTheRequest() {
    refused(Errors.UNSUPPORTED_VERSION, USER_X, HERE, "");
    refused(Errors.UNSUPPORTED_VERSION, USER_X, HERE, "7f03 0000 00000001 ffff");
    refused(Errors.UNSUPPORTED_VERSION, USER_X, HERE, "0014 0063 00000005 ffff 00000000 00000064");
    refused(Errors.UNSUPPORTED_VERSION, USER_X, HERE, "0014 0001 00000005 ffff 00000000");
    refused(Errors.INVALID_REQUEST, USER_X, HERE, "003f 0000 00000005 ffff 00");
    refused(Errors.INVALID_REQUEST, USER_X, HERE, "0003 0000 00000001 ffff 00000000");
    refused(Errors.UNSUPPORTED_VERSION, USER_X, HERE, "001e 0002 00000001 ffff 00");
  }
}
