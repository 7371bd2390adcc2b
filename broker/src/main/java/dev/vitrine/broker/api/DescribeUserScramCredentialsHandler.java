package dev.vitrine.broker.api;

import dev.vitrine.metadata.MetadataImage;
import dev.vitrine.metadata.SecurityImage.ScramKey;
import dev.vitrine.protocol.ApiMessage;
import dev.vitrine.protocol.Errors;
import dev.vitrine.protocol.message.DescribeUserScramCredentialsRequest;
import dev.vitrine.protocol.message.DescribeUserScramCredentialsRequest.UserName;
import dev.vitrine.protocol.message.DescribeUserScramCredentialsResponse;
import dev.vitrine.protocol.message.DescribeUserScramCredentialsResponse.CredentialInfo;
import dev.vitrine.protocol.message.DescribeUserScramCredentialsResponse.DescribeUserScramCredentialsResult;
import dev.vitrine.protocol.message.UserScramCredentialRecord;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * DescribeUserScramCredentials 0 (KIP-554): of which users there are credentials, without what is
 * secret in them. Nobody can make one here, but the log may be one of Apache Kafka's; and {@code
 * kafka-configs} asks whenever it describes users.
 */
public final class DescribeUserScramCredentialsHandler implements ApiHandler {
  private final Supplier<MetadataImage> metadata;

  public DescribeUserScramCredentialsHandler(Supplier<MetadataImage> metadata) {
    this.metadata = metadata;
  }

  @Override
  public void handle(RequestContext context, ApiMessage message, Responder responder) {
    List<UserName> asked = ((DescribeUserScramCredentialsRequest) message).users();
    Map<ScramKey, UserScramCredentialRecord> all = metadata.get().security().scramCredentials();
    // By user, and whether it was asked for more than once.
    Map<String, Boolean> users = new LinkedHashMap<>();
    if (asked == null || asked.isEmpty()) {
      all.keySet().forEach(key -> users.put(key.user(), false));
    } else {
      asked.forEach(user -> users.merge(user.name(), false, (a, b) -> true));
    }
    DescribeUserScramCredentialsResponse response =
        new DescribeUserScramCredentialsResponse().errorMessage("");
    users.forEach((user, twice) -> response.results().add(result(user, twice, all)));
    responder.respond(response);
  }

  private static DescribeUserScramCredentialsResult result(
      String user, boolean twice, Map<ScramKey, UserScramCredentialRecord> all) {
    DescribeUserScramCredentialsResult result =
        new DescribeUserScramCredentialsResult().user(user).errorMessage("");
    if (twice) {
      return result
          .errorCode(Errors.DUPLICATE_RESOURCE.code())
          .errorMessage(
              "Cannot describe SCRAM credentials for the same user twice in a single request: "
                  + user);
    }
    all.forEach(
        (key, record) -> {
          if (key.user().equals(user)) {
            result
                .credentialInfos()
                .add(
                    new CredentialInfo()
                        .mechanism(key.mechanism())
                        .iterations(record.iterations()));
          }
        });
    return !result.credentialInfos().isEmpty()
        ? result
        : result
            .errorCode(Errors.RESOURCE_NOT_FOUND.code())
            .errorMessage("Attempt to describe a user credential that does not exist: " + user);
  }
}
