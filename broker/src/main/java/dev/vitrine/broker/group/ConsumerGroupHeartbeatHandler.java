package dev.vitrine.broker.group;

import dev.vitrine.broker.api.ApiHandler;
import dev.vitrine.broker.api.RequestContext;
import dev.vitrine.broker.api.Responder;
import dev.vitrine.config.GroupSettings;
import dev.vitrine.metadata.FeaturesImage;
import dev.vitrine.metadata.MetadataImage;
import dev.vitrine.protocol.ApiMessage;
import dev.vitrine.protocol.Errors;
import dev.vitrine.protocol.message.ConsumerGroupHeartbeatRequest;

/**
 * ConsumerGroupHeartbeat 0–1 (KIP-848): a member joins (epoch 0), stays, leaves (-1), or leaves to
 * come back as the same static member (-2).
 *
 * <ul>
 *   <li>Version 0: a member that joins without an id is given one. From version 1 on the client
 *       makes it (KIP-1082), and may subscribe by a pattern.
 *   <li>UNSUPPORTED_VERSION unless the feature group.version is at 1 and {@code
 *       group.coordinator.rebalance.protocols} has consumer.
 *   <li>What is missing or contradicts itself is INVALID_REQUEST; an assignor that is not in {@code
 *       group.consumer.assignors} UNSUPPORTED_ASSIGNOR.
 *   <li>The rest is the group's to decide: {@link ConsumerGroups}.
 * </ul>
 */
final class ConsumerGroupHeartbeatHandler implements ApiHandler {
  private static final int CLIENT_MEMBER_ID_VERSION = 1;

  private final GroupRouter router;
  private final GroupSettings settings;

  ConsumerGroupHeartbeatHandler(GroupRouter router, GroupSettings settings) {
    this.router = router;
    this.settings = settings;
  }

  /**
   * Whether the cluster and this broker have consumer groups. A broker that has just been started
   * does not know that of the cluster, and is not to say no: clients take that as final.
   */
  static boolean isEnabled(GroupRouter router, GroupSettings settings) {
    MetadataImage image = router.image();
    return settings.consumer().enabled()
        && (image == MetadataImage.EMPTY
            || image.features().level(FeaturesImage.GROUP_VERSION) >= 1);
  }

  @Override
  public void handle(RequestContext context, ApiMessage message, Responder responder) {
    ConsumerGroupHeartbeatRequest request = (ConsumerGroupHeartbeatRequest) message;
    if (!isEnabled(router, settings)) {
      responder.respond(ConsumerGroups.refusal(Errors.UNSUPPORTED_VERSION, null));
      return;
    }
    try {
      check(request, context.version());
    } catch (GroupException e) {
      responder.respond(ConsumerGroups.refusal(e.error(), e.getMessage()));
      return;
    }
    Caller caller = Caller.of(context);
    router.route(
        request.groupId(),
        groups -> groups.consumers().heartbeat(caller, request, responder::respond),
        error -> responder.respond(ConsumerGroups.refusal(error, error.message())));
  }

  private void check(ConsumerGroupHeartbeatRequest r, short version) {
    int epoch = r.memberEpoch();
    if (version >= CLIENT_MEMBER_ID_VERSION || epoch > 0 || epoch == -1) {
      require(!isBlank(r.memberId()), "MemberId can't be empty.");
    }
    require(!isBlank(r.groupId()), "GroupId can't be empty.");
    require(r.instanceId() == null || !isBlank(r.instanceId()), "InstanceId can't be empty.");
    require(r.rackId() == null || !isBlank(r.rackId()), "RackId can't be empty.");
    if (epoch == ConsumerMembership.JOIN_EPOCH) {
      require(
          r.rebalanceTimeoutMs() != -1, "RebalanceTimeoutMs must be provided in first request.");
      require(
          r.topicPartitions() != null && r.topicPartitions().isEmpty(),
          "TopicPartitions must be empty when (re-)joining.");
      require(
          r.subscribedTopicNames() != null || r.subscribedTopicRegex() != null,
          "Either SubscribedTopicNames or SubscribedTopicRegex must be non-null when"
              + " (re-)joining.");
    } else if (epoch == ConsumerMembership.STATIC_LEAVE_EPOCH) {
      require(r.instanceId() != null, "InstanceId can't be null.");
    } else {
      require(epoch > ConsumerMembership.STATIC_LEAVE_EPOCH, "MemberEpoch is invalid.");
    }
    String assignor = r.serverAssignor();
    if (assignor != null && !settings.consumer().assignors().contains(assignor)) {
      throw new GroupException(
          Errors.UNSUPPORTED_ASSIGNOR,
          "ServerAssignor "
              + assignor
              + " is not supported. Supported assignors: "
              + String.join(", ", settings.consumer().assignors())
              + ".");
    }
  }

  private static boolean isBlank(String s) {
    return s == null || s.trim().isEmpty();
  }

  private static void require(boolean holds, String otherwise) {
    if (!holds) {
      throw new GroupException(Errors.INVALID_REQUEST, otherwise);
    }
  }
}
