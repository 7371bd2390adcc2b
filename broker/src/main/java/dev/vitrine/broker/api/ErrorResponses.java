package dev.vitrine.broker.api;

import dev.vitrine.protocol.ApiMessage;
import dev.vitrine.protocol.Errors;
import dev.vitrine.protocol.message.AddOffsetsToTxnResponse;
import dev.vitrine.protocol.message.AddRaftVoterResponse;
import dev.vitrine.protocol.message.AllocateProducerIdsResponse;
import dev.vitrine.protocol.message.AlterPartitionResponse;
import dev.vitrine.protocol.message.ApiKeys;
import dev.vitrine.protocol.message.ApiVersionsResponse;
import dev.vitrine.protocol.message.AssignReplicasToDirsResponse;
import dev.vitrine.protocol.message.BeginQuorumEpochResponse;
import dev.vitrine.protocol.message.BrokerHeartbeatResponse;
import dev.vitrine.protocol.message.BrokerRegistrationResponse;
import dev.vitrine.protocol.message.ConsumerGroupHeartbeatResponse;
import dev.vitrine.protocol.message.ControllerRegistrationResponse;
import dev.vitrine.protocol.message.DescribeAclsResponse;
import dev.vitrine.protocol.message.DescribeClusterResponse;
import dev.vitrine.protocol.message.DescribeLogDirsResponse;
import dev.vitrine.protocol.message.DescribeQuorumResponse;
import dev.vitrine.protocol.message.DescribeUserScramCredentialsResponse;
import dev.vitrine.protocol.message.EndQuorumEpochResponse;
import dev.vitrine.protocol.message.EndTxnResponse;
import dev.vitrine.protocol.message.EnvelopeResponse;
import dev.vitrine.protocol.message.FetchSnapshotResponse;
import dev.vitrine.protocol.message.HeartbeatResponse;
import dev.vitrine.protocol.message.InitProducerIdResponse;
import dev.vitrine.protocol.message.JoinGroupResponse;
import dev.vitrine.protocol.message.LeaveGroupResponse;
import dev.vitrine.protocol.message.ListConfigResourcesResponse;
import dev.vitrine.protocol.message.ListGroupsResponse;
import dev.vitrine.protocol.message.ListPartitionReassignmentsResponse;
import dev.vitrine.protocol.message.ListTransactionsResponse;
import dev.vitrine.protocol.message.RemoveRaftVoterResponse;
import dev.vitrine.protocol.message.SyncGroupResponse;
import dev.vitrine.protocol.message.UnregisterBrokerResponse;
import dev.vitrine.protocol.message.UpdateFeaturesResponse;
import dev.vitrine.protocol.message.UpdateRaftVoterResponse;
import dev.vitrine.protocol.message.VoteResponse;

/**
 * The answer that says one error for all that was asked, in the shape that each API has for it: as
 * a whole, or for each topic, partition, group or resource of the request.
 */
public final class ErrorResponses {
  private ErrorResponses() {}

  /**
   * Null where no answer can say it: the connection is to be closed then. That is so for a Produce
   * with {@code acks=0}, and for APIs that are not known here.
   */
  public static ApiMessage of(ApiMessage request, short version, Errors error) {
    ApiKeys api = ApiKeys.forId(request.apiKey());
    ApiMessage each = EachErrorResponses.of(api, request, version, error);
    return each != null || api == ApiKeys.PRODUCE ? each : whole(api, version, error);
  }

  private static ApiMessage whole(ApiKeys api, short version, Errors e) {
    short code = e.code();
    return switch (api) {
      case API_VERSIONS -> new ApiVersionsResponse().errorCode(code);
      case JOIN_GROUP ->
          new JoinGroupResponse()
              .errorCode(code)
              .generationId(-1)
              .protocolName(version >= 7 ? null : "");
      case HEARTBEAT -> new HeartbeatResponse().errorCode(code);
      case LEAVE_GROUP -> new LeaveGroupResponse().errorCode(code);
      case SYNC_GROUP -> new SyncGroupResponse().errorCode(code);
      case LIST_GROUPS -> new ListGroupsResponse().errorCode(code);
      case INIT_PRODUCER_ID ->
          new InitProducerIdResponse().errorCode(code).producerId(-1).producerEpoch((short) -1);
      case ADD_OFFSETS_TO_TXN -> new AddOffsetsToTxnResponse().errorCode(code);
      case END_TXN -> new EndTxnResponse().errorCode(code);
      case DESCRIBE_ACLS -> new DescribeAclsResponse().errorCode(code).errorMessage(null);
      case DESCRIBE_LOG_DIRS -> new DescribeLogDirsResponse().errorCode(code);
      case LIST_PARTITION_REASSIGNMENTS ->
          new ListPartitionReassignmentsResponse().errorCode(code).errorMessage(null);
      case ADD_RAFT_VOTER -> new AddRaftVoterResponse().errorCode(code).errorMessage(e.message());
      case REMOVE_RAFT_VOTER ->
          new RemoveRaftVoterResponse().errorCode(code).errorMessage(e.message());
      case UPDATE_RAFT_VOTER -> new UpdateRaftVoterResponse().errorCode(code);
      case VOTE -> new VoteResponse().errorCode(code);
      case BEGIN_QUORUM_EPOCH -> new BeginQuorumEpochResponse().errorCode(code);
      case END_QUORUM_EPOCH -> new EndQuorumEpochResponse().errorCode(code);
      case DESCRIBE_QUORUM ->
          new DescribeQuorumResponse().errorCode(code).errorMessage(e.message());
      case ALTER_PARTITION -> new AlterPartitionResponse().errorCode(code);
      case UPDATE_FEATURES -> new UpdateFeaturesResponse().errorCode(code).errorMessage(null);
      case ENVELOPE -> new EnvelopeResponse().errorCode(code);
      case FETCH_SNAPSHOT -> new FetchSnapshotResponse().errorCode(code);
      case DESCRIBE_CLUSTER -> new DescribeClusterResponse().errorCode(code).errorMessage(null);
      case BROKER_REGISTRATION -> new BrokerRegistrationResponse().errorCode(code).brokerEpoch(-1);
      case BROKER_HEARTBEAT -> new BrokerHeartbeatResponse().errorCode(code);
      case UNREGISTER_BROKER ->
          new UnregisterBrokerResponse().errorCode(code).errorMessage(e.message());
      case ALLOCATE_PRODUCER_IDS -> new AllocateProducerIdsResponse().errorCode(code);
      case DESCRIBE_CLIENT_QUOTAS -> QuotaErrorResponses.describe(e);
      case DESCRIBE_USER_SCRAM_CREDENTIALS ->
          new DescribeUserScramCredentialsResponse().errorCode(code).errorMessage(null);
      case LIST_TRANSACTIONS -> new ListTransactionsResponse().errorCode(code);
      case CONSUMER_GROUP_HEARTBEAT ->
          new ConsumerGroupHeartbeatResponse().errorCode(code).errorMessage(null);
      case CONTROLLER_REGISTRATION ->
          new ControllerRegistrationResponse().errorCode(code).errorMessage(e.message());
      case ASSIGN_REPLICAS_TO_DIRS -> new AssignReplicasToDirsResponse().errorCode(code);
      case LIST_CONFIG_RESOURCES -> new ListConfigResourcesResponse().errorCode(code);
      default -> null;
    };
  }
}
