package dev.vitrine.broker.api;

import dev.vitrine.protocol.ApiMessage;
import dev.vitrine.protocol.Errors;
import dev.vitrine.protocol.message.ApiKeys;
import dev.vitrine.protocol.message.ApiVersionsRequest;
import dev.vitrine.protocol.message.ApiVersionsResponse;
import java.util.regex.Pattern;

/**
 * ApiVersions 0–5: what this listener serves, from the {@link ApiTable} alone.
 *
 * <ul>
 *   <li>A version that is not known is answered in version 0 with UNSUPPORTED_VERSION and the range
 *       of ApiVersions itself (KIP-511).
 *   <li>Produce is told from 0 although it begins at 3: older librdkafka needs it (KAFKA-18659).
 *   <li>Below version 4 a supported feature whose minimum is 0 is left out (KAFKA-17011).
 *   <li>Version 5 may name the cluster and node that the client means (KIP-1242): only one of the
 *       two is INVALID_REQUEST, others than ours are REBOOTSTRAP_REQUIRED, which a controller
 *       listener does not check.
 * </ul>
 */
public final class ApiVersionsHandler implements ApiHandler {
  private static final Pattern SOFTWARE =
      Pattern.compile("[a-zA-Z0-9](?:[a-zA-Z0-9\\-.]*[a-zA-Z0-9])?");

  private final ApiTable table;
  private final FeatureSource features;
  private final String clusterId;
  private final int nodeId;

  public ApiVersionsHandler(ApiTable table, FeatureSource features, String clusterId, int nodeId) {
    this.table = table;
    this.features = features;
    this.clusterId = clusterId;
    this.nodeId = nodeId;
  }

  @Override
  public void handle(RequestContext context, ApiMessage message, Responder responder) {
    ApiVersionsRequest request = (ApiVersionsRequest) message;
    boolean named = request.clusterId() != null;
    if (context.version() >= 3 && !isValid(request) || named != (request.nodeId() != -1)) {
      responder.respond(error(Errors.INVALID_REQUEST));
    } else if (named
        && table.type() == ListenerType.BROKER
        && !(request.clusterId().equals(clusterId) && request.nodeId() == nodeId)) {
      responder.respond(error(Errors.REBOOTSTRAP_REQUIRED));
    } else {
      responder.respond(versions(context.version()));
    }
  }

  /** Whether name and version of the client's software are such as may stand in a metric. */
  static boolean isValid(ApiVersionsRequest request) {
    return SOFTWARE.matcher(request.clientSoftwareName()).matches()
        && SOFTWARE.matcher(request.clientSoftwareVersion()).matches();
  }

  static ApiVersionsResponse unsupportedVersion(ApiTable.Entry apiVersions) {
    ApiVersionsResponse response = error(Errors.UNSUPPORTED_VERSION);
    response.apiKeys().add(range(apiVersions));
    return response;
  }

  private static ApiVersionsResponse error(Errors error) {
    return new ApiVersionsResponse().errorCode(error.code());
  }

  private static ApiVersionsResponse.ApiVersion range(ApiTable.Entry entry) {
    return new ApiVersionsResponse.ApiVersion()
        .apiKey(entry.api().id())
        .minVersion(entry.api() == ApiKeys.PRODUCE ? 0 : entry.minVersion())
        .maxVersion(entry.maxVersion());
  }

  private ApiVersionsResponse versions(short version) {
    ApiVersionsResponse response = new ApiVersionsResponse();
    for (ApiTable.Entry entry : table.entries()) {
      response.apiKeys().add(range(entry));
    }
    for (FeatureSource.Feature f : features.supported()) {
      if (version >= 4 || f.min() > 0) {
        response
            .supportedFeatures()
            .add(
                new ApiVersionsResponse.SupportedFeatureKey()
                    .name(f.name())
                    .minVersion(f.min())
                    .maxVersion(f.max()));
      }
    }
    FeatureSource.Finalized finalized = features.finalized();
    response.finalizedFeaturesEpoch(finalized.epoch());
    for (FeatureSource.Feature f : finalized.features()) {
      response
          .finalizedFeatures()
          .add(
              new ApiVersionsResponse.FinalizedFeatureKey()
                  .name(f.name())
                  .minVersionLevel(f.min())
                  .maxVersionLevel(f.max()));
    }
    return response;
  }
}
