package dev.vitrine.broker.api;

import dev.vitrine.protocol.Errors;
import dev.vitrine.protocol.message.IncrementalAlterConfigsRequest;
import dev.vitrine.protocol.message.IncrementalAlterConfigsRequest.AlterConfigsResource;
import dev.vitrine.protocol.message.IncrementalAlterConfigsRequest.AlterableConfig;
import dev.vitrine.protocol.message.IncrementalAlterConfigsResponse.AlterConfigsResourceResponse;
import java.util.ArrayList;
import java.util.List;

/**
 * What is wrong with a change of configuration whatever it is a change of, which Kafka's brokers
 * look at before anything else: a key twice, or nothing as a value. Any thread.
 */
final class ChangeShape {
  private static final byte DELETE = 1;

  private ChangeShape() {}

  /** Takes out of the request what has no good shape, and tells why. */
  static List<AlterConfigsResourceResponse> takeFrom(IncrementalAlterConfigsRequest request) {
    List<AlterConfigsResource> good = new ArrayList<>();
    List<AlterConfigsResourceResponse> refused = new ArrayList<>();
    for (AlterConfigsResource resource : request.resources()) {
      String why = isNamedTwice(request, resource) ? null : refusal(resource.configs());
      if (why == null) {
        good.add(resource);
      } else {
        refused.add(
            new AlterConfigsResourceResponse()
                .resourceType(resource.resourceType())
                .resourceName(resource.resourceName())
                .errorCode(Errors.INVALID_REQUEST.code())
                .errorMessage(why));
      }
    }
    request.resources(good);
    return refused;
  }

  /** Then that is what is told, and not here. */
  private static boolean isNamedTwice(
      IncrementalAlterConfigsRequest request, AlterConfigsResource resource) {
    return request.resources().stream()
        .anyMatch(
            other ->
                other != resource
                    && other.resourceType() == resource.resourceType()
                    && other.resourceName().equals(resource.resourceName()));
  }

  private static String refusal(List<AlterableConfig> changes) {
    if (changes.stream().map(AlterableConfig::name).distinct().count() < changes.size()) {
      return "Error due to duplicate config keys";
    }
    List<String> nulls =
        changes.stream()
            .filter(change -> change.configOperation() != DELETE && change.value() == null)
            .map(AlterableConfig::name)
            .toList();
    return nulls.isEmpty() ? null : "Null value not supported for : " + String.join(", ", nulls);
  }
}
