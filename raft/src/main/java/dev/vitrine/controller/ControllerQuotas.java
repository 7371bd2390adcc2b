package dev.vitrine.controller;

import dev.vitrine.metadata.MetadataImage;
import dev.vitrine.metadata.SecurityImage;
import dev.vitrine.protocol.ApiMessage;
import dev.vitrine.protocol.message.CreatePartitionsRequest;
import dev.vitrine.protocol.message.CreateTopicsRequest;
import dev.vitrine.protocol.message.DeleteTopicsRequest;
import dev.vitrine.quota.MutationQuota;
import dev.vitrine.quota.QuotaRules;
import dev.vitrine.quota.QuotaSensors;
import dev.vitrine.quota.QuotaType;

/**
 * How much clients may still have the controller change (KIP-599). On the quorum loop. What it has
 * counted outlives a loss of leadership, as in Kafka, and is known to no other controller.
 */
final class ControllerQuotas {
  private static final int STRICT_CREATE_TOPICS = 6;
  private static final int STRICT_CREATE_PARTITIONS = 3;
  private static final int STRICT_DELETE_TOPICS = 5;

  private final QuotaSensors sensors;
  private SecurityImage known = MetadataImage.EMPTY.security();
  private QuotaRules rules = QuotaRules.NONE;

  ControllerQuotas(ControllerConfig config) {
    sensors = new QuotaSensors(config.quotaWindows(), config.quotaWindowMs());
  }

  /**
   * @param image what is committed: quotas count from then on
   */
  MutationQuota of(
      ApiMessage request, short version, RequestContext context, MetadataImage image, long nowMs) {
    if (image.security() != known) {
      known = image.security();
      rules = QuotaRules.of(known);
    }
    int strictSince = strictSince(request);
    if (strictSince < 0 || !rules.limits(QuotaType.CONTROLLER_MUTATION)) {
      return MutationQuota.UNLIMITED;
    }
    QuotaRules.Match match =
        rules.match(
            QuotaType.CONTROLLER_MUTATION,
            QuotaRules.userOf(context.principal()),
            context.clientId());
    return MutationQuota.of(sensors, match, version >= strictSince, nowMs);
  }

  /** The version since which the client knows the error; -1 for what changes no partitions. */
  private static int strictSince(ApiMessage request) {
    if (request instanceof CreateTopicsRequest) {
      return STRICT_CREATE_TOPICS;
    } else if (request instanceof CreatePartitionsRequest) {
      return STRICT_CREATE_PARTITIONS;
    }
    return request instanceof DeleteTopicsRequest ? STRICT_DELETE_TOPICS : -1;
  }
}
