package dev.vitrine.broker.group;

import java.io.Closeable;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor;
import org.apache.kafka.clients.consumer.internals.ConsumerProtocol;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.ApiMessageType;
import org.apache.kafka.common.message.ConsumerGroupDescribeResponseData;
import org.apache.kafka.common.message.ConsumerGroupHeartbeatResponseData;
import org.apache.kafka.common.message.CreateTopicsRequestData;
import org.apache.kafka.common.message.CreateTopicsResponseData;
import org.apache.kafka.common.message.DeleteGroupsRequestData;
import org.apache.kafka.common.message.DeleteGroupsResponseData;
import org.apache.kafka.common.message.DescribeGroupsRequestData;
import org.apache.kafka.common.message.DescribeGroupsResponseData;
import org.apache.kafka.common.message.HeartbeatRequestData;
import org.apache.kafka.common.message.HeartbeatResponseData;
import org.apache.kafka.common.message.JoinGroupRequestData;
import org.apache.kafka.common.message.JoinGroupResponseData;
import org.apache.kafka.common.message.LeaveGroupRequestData;
import org.apache.kafka.common.message.ListGroupsRequestData;
import org.apache.kafka.common.message.ListGroupsResponseData;
import org.apache.kafka.common.message.OffsetCommitRequestData;
import org.apache.kafka.common.message.OffsetDeleteRequestData;
import org.apache.kafka.common.message.OffsetFetchRequestData;
import org.apache.kafka.common.message.RequestHeaderData;
import org.apache.kafka.common.message.ResponseHeaderData;
import org.apache.kafka.common.message.SyncGroupRequestData;
import org.apache.kafka.common.message.SyncGroupResponseData;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.ObjectSerializationCache;

/**
 * A conversation with a group coordinator, by Kafka's own classes, written down: for Apache Kafka
 * and for ours it must be the same, but for the ids, which are numbered. The broker needs a topic
 * {@code t} with two partitions and short timeouts; {@link #main} makes the topic and prints what
 * an Apache Kafka says.
 */
class GroupTranscript {
  static final Pattern MEMBER_ID =
      Pattern.compile("(\\w+)-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}");

  private final int port;
  private final Uuid topicId;
  final List<String> lines = new ArrayList<>();
  final Map<String, String> names = new HashMap<>();

  GroupTranscript(int port, Uuid topicId) {
    this.port = port;
    this.topicId = topicId;
    names.put(topicId.toString(), "TOPIC-ID");
  }

  /** Port of an Apache Kafka; prints its transcript. */
  public static void main(String[] args) throws IOException {
    int port = Integer.parseInt(args[0]);
    new GroupTranscript(port, makeTopics(port)).run().forEach(System.out::println);
  }

  /** The id of topic t. */
  static Uuid makeTopics(int port) throws IOException {
    GroupTranscript t = new GroupTranscript(port, Uuid.ZERO_UUID);
    CreateTopicsRequestData create = new CreateTopicsRequestData().setTimeoutMs(10_000);
    for (String name : List.of("t", "__consumer_offsets")) {
      create
          .topics()
          .add(
              new CreateTopicsRequestData.CreatableTopic()
                  .setName(name)
                  .setNumPartitions(name.equals("t") ? 2 : 1)
                  .setReplicationFactor((short) 1));
    }
    Uuid id;
    try (Client c = t.client()) {
      CreateTopicsResponseData made =
          (CreateTopicsResponseData) c.send(create, 7).receive("CreateTopics");
      id = made.topics().find("t").topicId();
    }
    ApiMessage answer;
    do {
      answer = t.ask("", heartbeat("nobody", "m", 1), 4);
    } while (((HeartbeatResponseData) answer).errorCode() != 25);
    return id;
  }

  Client client() throws IOException {
    return new Client(new Socket("127.0.0.1", port));
  }

  /** One connection. */
  final class Client implements Closeable {
    private final Socket socket;
    private ApiMessageType api;
    private short version;
    private String asked;

    Client(Socket socket) throws IOException {
      this.socket = socket;
      socket.setSoTimeout(20_000);
    }

    Client send(ApiMessage request, int v) throws IOException {
      version = (short) v;
      api = ApiMessageType.fromApiKey(request.apiKey());
      asked = request.toString();
      RequestHeaderData header =
          new RequestHeaderData()
              .setRequestApiKey(request.apiKey())
              .setRequestApiVersion(version)
              .setCorrelationId(1)
              .setClientId("client");
      short headerVersion = api.requestHeaderVersion(version);
      ObjectSerializationCache cache = new ObjectSerializationCache();
      int size = header.size(cache, headerVersion) + request.size(cache, version);
      ByteBuffer out = ByteBuffer.allocate(4 + size).putInt(size);
      header.write(new ByteBufferAccessor(out), cache, headerVersion);
      request.write(new ByteBufferAccessor(out), cache, version);
      new DataOutputStream(socket.getOutputStream()).write(out.array());
      return this;
    }

    ApiMessage receive(String what) throws IOException {
      DataInputStream in = new DataInputStream(socket.getInputStream());
      byte[] bytes = new byte[in.readInt()];
      in.readFully(bytes);
      ByteBuffer b = ByteBuffer.wrap(bytes);
      new ResponseHeaderData().read(new ByteBufferAccessor(b), api.responseHeaderVersion(version));
      ApiMessage response = api.newResponse();
      response.read(new ByteBufferAccessor(b), version);
      sort(response);
      lines.add("# " + what);
      lines.add("> v" + version + " " + plain(asked));
      lines.add("< " + plain(response.toString()));
      return response;
    }

    @Override
    public void close() throws IOException {
      socket.close();
    }
  }

  /** Kafka's order is that of its hash tables. */
  private void sort(ApiMessage response) {
    if (response instanceof ListGroupsResponseData r) {
      r.groups().sort(Comparator.comparing(ListGroupsResponseData.ListedGroup::groupId));
    } else if (response instanceof DeleteGroupsResponseData r) {
      r.results()
          .sort(Comparator.comparing(DeleteGroupsResponseData.DeletableGroupResult::groupId));
    } else if (response instanceof DescribeGroupsResponseData r) {
      r.groups().forEach(g -> g.members().sort(Comparator.comparing(m -> plain(m.memberId()))));
    } else if (response instanceof ConsumerGroupHeartbeatResponseData r) {
      if (r.assignment() != null) {
        r.assignment().topicPartitions().forEach(t -> t.partitions().sort(null));
      }
    } else if (response instanceof ConsumerGroupDescribeResponseData r) {
      r.groups().forEach(this::sort);
    } else if (response instanceof JoinGroupResponseData r) {
      r.members().sort(Comparator.comparing(m -> plain(m.memberId())));
    }
  }

  private void sort(ConsumerGroupDescribeResponseData.DescribedGroup g) {
    g.members().sort(Comparator.comparing(m -> plain(m.memberId())));
    for (ConsumerGroupDescribeResponseData.Member m : g.members()) {
      m.assignment().topicPartitions().forEach(t -> t.partitions().sort(null));
      m.targetAssignment().topicPartitions().forEach(t -> t.partitions().sort(null));
    }
  }

  private String plain(String text) {
    Matcher m = MEMBER_ID.matcher(text);
    StringBuilder out = new StringBuilder();
    while (m.find()) {
      String name = names.computeIfAbsent(m.group(), id -> m.group(1) + "-ID" + names.size());
      m.appendReplacement(out, name);
    }
    m.appendTail(out);
    String plain = out.toString();
    for (Map.Entry<String, String> e : names.entrySet()) {
      plain = plain.replace(e.getKey(), e.getValue());
    }
    return plain;
  }

  final ApiMessage ask(String what, ApiMessage request, int version) throws IOException {
    try (Client c = client()) {
      return c.send(request, version).receive(what);
    }
  }

  List<String> lines() {
    return lines;
  }

  List<String> run() throws IOException {
    strangers();
    oneMember();
    offsets();
    reads();
    twoMembers();
    staticMembers();
    deletions();
    return lines;
  }

  // ---- requests

  static JoinGroupRequestData join(String group, String memberId, String instance) {
    JoinGroupRequestData r =
        new JoinGroupRequestData()
            .setGroupId(group)
            .setMemberId(memberId)
            .setGroupInstanceId(instance)
            .setProtocolType("consumer")
            .setSessionTimeoutMs(30_000)
            .setRebalanceTimeoutMs(30_000);
    // Version 0, topics [t], no user data.
    byte[] subscription = {0, 0, 0, 0, 0, 1, 0, 1, 't', -1, -1, -1, -1};
    r.protocols()
        .add(
            new JoinGroupRequestData.JoinGroupRequestProtocol()
                .setName("range")
                .setMetadata(subscription));
    return r;
  }

  /** Of a consumer that says which partitions of t it owns. */
  static JoinGroupRequestData join(String group, String memberId, String instance, int... owned) {
    JoinGroupRequestData r = join(group, memberId, instance);
    ConsumerPartitionAssignor.Subscription s =
        new ConsumerPartitionAssignor.Subscription(
            List.of("t"),
            null,
            Arrays.stream(owned).mapToObj(p -> new TopicPartition("t", p)).toList());
    byte[] bytes = new byte[ConsumerProtocol.serializeSubscription(s).remaining()];
    ConsumerProtocol.serializeSubscription(s).get(bytes);
    r.protocols().iterator().next().setMetadata(bytes);
    return r;
  }

  /** The leader gives itself all of t. */
  static SyncGroupRequestData syncAll(String group, String memberId, int generation) {
    ByteBuffer all =
        ConsumerProtocol.serializeAssignment(
            new ConsumerPartitionAssignor.Assignment(
                List.of(new TopicPartition("t", 0), new TopicPartition("t", 1))));
    byte[] bytes = new byte[all.remaining()];
    all.get(bytes);
    SyncGroupRequestData r = sync(group, memberId, generation);
    r.assignments()
        .add(
            new SyncGroupRequestData.SyncGroupRequestAssignment()
                .setMemberId(memberId)
                .setAssignment(bytes));
    return r;
  }

  static SyncGroupRequestData sync(String group, String memberId, int generation) {
    return new SyncGroupRequestData()
        .setGroupId(group)
        .setMemberId(memberId)
        .setGenerationId(generation);
  }

  static SyncGroupRequestData assign(SyncGroupRequestData r, String... memberIds) {
    for (String m : memberIds) {
      r.assignments()
          .add(
              new SyncGroupRequestData.SyncGroupRequestAssignment()
                  .setMemberId(m)
                  .setAssignment(new byte[] {1, 2, (byte) r.assignments().size()}));
    }
    return r;
  }

  static HeartbeatRequestData heartbeat(String group, String memberId, int generation) {
    return new HeartbeatRequestData()
        .setGroupId(group)
        .setMemberId(memberId)
        .setGenerationId(generation);
  }

  static LeaveGroupRequestData leave(String group, String memberId, String instance) {
    return new LeaveGroupRequestData()
        .setGroupId(group)
        .setMembers(
            List.of(
                new LeaveGroupRequestData.MemberIdentity()
                    .setMemberId(memberId)
                    .setGroupInstanceId(instance)));
  }

  static DescribeGroupsRequestData describe(String... groups) {
    return new DescribeGroupsRequestData().setGroups(List.of(groups));
  }

  static OffsetCommitRequestData commit(String group, String memberId, int generation) {
    return new OffsetCommitRequestData()
        .setGroupId(group)
        .setMemberId(memberId)
        .setGenerationIdOrMemberEpoch(generation);
  }

  final OffsetCommitRequestData with(
      OffsetCommitRequestData r, String topic, int partition, long offset, String metadata) {
    r.topics()
        .add(
            new OffsetCommitRequestData.OffsetCommitRequestTopic()
                .setName(topic)
                .setTopicId(topic.equals("t") ? topicId : new Uuid(3, 3))
                .setPartitions(
                    List.of(
                        new OffsetCommitRequestData.OffsetCommitRequestPartition()
                            .setPartitionIndex(partition)
                            .setCommittedOffset(offset)
                            .setCommittedMetadata(metadata))));
    return r;
  }

  static OffsetFetchRequestData fetch(String group, String topic, Integer... partitions) {
    OffsetFetchRequestData r = new OffsetFetchRequestData().setGroupId(group);
    return r.setTopics(
        topic == null
            ? null
            : List.of(
                new OffsetFetchRequestData.OffsetFetchRequestTopic()
                    .setName(topic)
                    .setPartitionIndexes(List.of(partitions))));
  }

  final OffsetFetchRequestData.OffsetFetchRequestGroup fetchGroup(
      String group, String topic, Integer... partitions) {
    OffsetFetchRequestData.OffsetFetchRequestGroup r =
        new OffsetFetchRequestData.OffsetFetchRequestGroup().setGroupId(group);
    return r.setTopics(
        topic == null
            ? null
            : List.of(
                new OffsetFetchRequestData.OffsetFetchRequestTopics()
                    .setName(topic)
                    .setTopicId(topic.equals("t") ? topicId : new Uuid(3, 3))
                    .setPartitionIndexes(List.of(partitions))));
  }

  // ---- the conversation

  private void strangers() throws IOException {
    for (int v : new int[] {0, 4}) {
      ask("unknown group", heartbeat("nobody", "m", 1), v);
      ask("empty group id", heartbeat("", "m", 1), v);
    }
    ask("unknown group", sync("nobody", "m", 1), 0);
    ask("unknown group", sync("nobody", "m", 1), 3);
    ask("no protocol", sync("nobody", "m", 1), 5);
    ask("empty group id", sync("", "m", 1), 4);
    ask(
        "unknown group",
        sync("nobody", "m", 1).setProtocolName("range").setProtocolType("consumer"),
        5);
    ask("unknown group", new LeaveGroupRequestData().setGroupId("nobody").setMemberId("m"), 0);
    ask("unknown group", leave("nobody", "m", null), 3);
    ask("unknown group", leave("nobody", "", "i"), 5);
    ask("empty group id", leave("", "m", null), 5);
    ask("nobody leaves", leave("nobody", "m", null).setMembers(List.of()), 4);
    for (int v : new int[] {0, 5, 6, 7, 9}) {
      ask("unknown group, member id", join("nobody", "m", null), v);
      ask("empty group id", join("", "", null), v);
      ask("short session", join("nobody", "", null).setSessionTimeoutMs(1), v);
      ask("no protocols", join("nobody", "", null).setProtocolType(""), v);
    }
    ask("what the refused left behind", describe("nobody"), 6);
    ask("unknown", describe("unknown"), 0);
    ask("unknown", describe("unknown").setIncludeAuthorizedOperations(true), 5);
    ask("unknown and empty", describe("unknown", ""), 6);
  }

  private String one = "";

  private void oneMember() throws IOException {
    JoinGroupResponseData first =
        (JoinGroupResponseData) ask("first join", join("one", "", null), 9);
    ask("before the second join", describe("one"), 5);
    ask("pending member", heartbeat("one", first.memberId(), 0), 4);
    ask("pending member, instance", leave("one", "other", "i"), 5);
    JoinGroupResponseData second =
        (JoinGroupResponseData) ask("second join", join("one", first.memberId(), null), 9);
    one = second.memberId();
    ask("completing", describe("one"), 5);
    ask("before sync", heartbeat("one", one, 1), 4);
    ask("commit before sync", with(commit("one", one, 1), "t", 0, 1, ""), 8);
    ask("rejoin before sync", join("one", one, null), 9);
    ask("wrong protocol", sync("one", one, 1).setProtocolType("consumer").setProtocolName("x"), 5);
    ask("wrong type", sync("one", one, 1).setProtocolType("x").setProtocolName("range"), 5);
    ask("wrong generation", sync("one", one, 2), 3);
    ask(
        "sync",
        assign(
            sync("one", one, 1).setProtocolType("consumer").setProtocolName("range"), one, "other"),
        5);
    ask("sync again", sync("one", one, 1), 0);
    ask("heartbeat", heartbeat("one", one, 1), 4);
    ask("wrong generation", heartbeat("one", one, 7), 4);
    ask("unknown member", heartbeat("one", "m", 1), 4);
    ask("unknown instance", heartbeat("one", one, 1).setGroupInstanceId("i"), 4);
    ask("stable", describe("one"), 0);
    ask("stable", describe("one").setIncludeAuthorizedOperations(true), 6);
    ask("other protocol", joinWith("one", "sticky"), 9);
    ask("other type", join("one", "", null).setProtocolType("connect"), 9);
    ask("list", new ListGroupsRequestData(), 0);
    ask("list", new ListGroupsRequestData(), 5);
    ask("list stable", new ListGroupsRequestData().setStatesFilter(List.of("sTABLE", "x")), 4);
    ask("list no state", new ListGroupsRequestData().setStatesFilter(List.of("x")), 4);
    ask("list classic", new ListGroupsRequestData().setTypesFilter(List.of("Classic")), 5);
    ask("list consumer", new ListGroupsRequestData().setTypesFilter(List.of("consumer")), 5);
    ask("list no type", new ListGroupsRequestData().setTypesFilter(List.of("x")), 5);
  }

  static JoinGroupRequestData joinWith(String group, String protocol) {
    JoinGroupRequestData r = join(group, "", null);
    r.protocols().clear();
    r.protocols()
        .add(
            new JoinGroupRequestData.JoinGroupRequestProtocol()
                .setName(protocol)
                .setMetadata(new byte[0]));
    return r;
  }

  private void offsets() throws IOException {
    for (int v : new int[] {2, 6, 8, 9, 10}) {
      ask("member", with(commit("one", one, 1), "t", 0, 10 + v, "meta"), v);
      ask("wrong generation", with(commit("one", one, 2), "t", 0, 1, ""), v);
      ask("unknown member", with(commit("one", "m", 1), "t", 0, 1, ""), v);
      ask("nobody of a group", with(commit("one", "", -1), "t", 0, 1, ""), v);
      ask("unknown group", with(commit("unknown", "m", 1), "t", 0, 1, ""), v);
      ask(
          "unknown topic and partition",
          with(with(with(commit("one", one, 1), "t", 1, 5, null), "t", 9, 5, ""), "u", 0, 5, ""),
          v);
    }
    ask("long metadata", with(commit("one", one, 1), "t", 0, 1, "x".repeat(4097)), 9);
    ask("no topics", commit("one", one, 1), 9);
    ask("no topics, unknown group", commit("unknown", "m", 1), 9);
    ask("simple", with(commit("simple", "", -1), "t", 0, 3, "s"), 9);
    ask("simple, member id", with(commit("simple", "m", -1), "t", 1, 4, "s"), 9);
    ask("simple, generation", with(commit("simple", "m", 0), "t", 1, 4, "s"), 9);
    ask(
        "retention",
        with(commit("simple", "", -1).setRetentionTimeMs(1_000_000), "t", 1, 6, ""),
        4);
    ask("empty group id", with(commit("", "", -1), "t", 0, 3, "e"), 9);
    ask("simple", describe("simple"), 6);
  }

  private void reads() throws IOException {
    for (int v : new int[] {1, 2, 5, 7}) {
      ask("read", fetch("one", "t", 0, 1, 9), v);
      ask("unknown group", fetch("unknown", "t", 0), v);
      ask("unknown topic", fetch("one", "u", 0), v);
      ask("empty group id", fetch("", "t", 0), v);
    }
    ask("all", fetch("one", null), 2);
    ask("all stable", fetch("one", null).setRequireStable(true), 7);
    ask("all of unknown", fetch("unknown", null), 7);
    for (int v : new int[] {8, 9, 10}) {
      OffsetFetchRequestData r = new OffsetFetchRequestData();
      r.groups().add(fetchGroup("one", "t", 0, 1));
      r.groups().add(fetchGroup("unknown", "t", 0));
      r.groups().add(fetchGroup("one", "u", 0));
      r.groups().add(fetchGroup("one", null));
      r.groups().add(fetchGroup("unknown", null));
      ask("several groups", r, v);
    }
    OffsetFetchRequestData member = new OffsetFetchRequestData();
    member.groups().add(fetchGroup("one", "t", 0).setMemberId("m").setMemberEpoch(5));
    ask("member of another kind", member, 9);
    ask("no groups", new OffsetFetchRequestData(), 8);
  }

  private void twoMembers() throws IOException {
    JoinGroupResponseData b =
        (JoinGroupResponseData) ask("second member", join("one", "", null), 9);
    try (Client ca = client();
        Client cb = client()) {
      cb.send(join("one", b.memberId(), null), 9);
      while (((HeartbeatResponseData) quiet(heartbeat("one", one, 1), 4)).errorCode() != 27) {
        Thread.yield();
      }
      ask("rebalancing", describe("one"), 5);
      ask("commit while rebalancing", with(commit("one", one, 1), "t", 0, 50, ""), 9);
      ask("sync while rebalancing", sync("one", one, 1), 3);
      JoinGroupResponseData joined =
          (JoinGroupResponseData) ca.send(join("one", one, null), 9).receive("leader rejoins");
      cb.receive("follower has joined");
      cb.send(sync("one", b.memberId(), 2), 3);
      ca.send(assign(sync("one", one, 2), one, b.memberId()), 3);
      ca.receive("leader's sync");
      SyncGroupResponseData s = (SyncGroupResponseData) cb.receive("follower's sync");
      if (joined.generationId() != 2 || s.errorCode() != 0) {
        throw new IllegalStateException(joined + " " + s);
      }
    }
    ask("follower rejoins as it is", join("one", b.memberId(), null), 5);
    ask("non-empty", new DeleteGroupsRequestData().setGroupsNames(List.of("one")), 2);
    ask("subscribed", offsetDelete("one", "t", 0, 9), 0);
    ask("follower leaves", leave("one", b.memberId(), null), 5);
    ask("leader hears", heartbeat("one", one, 2), 4);
    ask("leader leaves", new LeaveGroupRequestData().setGroupId("one").setMemberId(one), 2);
    ask("empty", describe("one"), 6);
    ask("join with an old id", join("one", one, null), 9);
  }

  ApiMessage quiet(ApiMessage request, int version) throws IOException {
    int before = lines.size();
    ApiMessage answer = ask("", request, version);
    while (lines.size() > before) {
      lines.remove(lines.size() - 1);
    }
    return answer;
  }

  private void staticMembers() throws IOException {
    JoinGroupResponseData a =
        (JoinGroupResponseData) ask("static member", join("static", "", "A"), 9);
    ask("sync", assign(sync("static", a.memberId(), 1).setGroupInstanceId("A"), a.memberId()), 3);
    JoinGroupResponseData again =
        (JoinGroupResponseData) ask("returns", join("static", "", "A"), 9);
    ask("old id", heartbeat("static", a.memberId(), 1), 4);
    ask("old id and instance", heartbeat("static", a.memberId(), 1).setGroupInstanceId("A"), 4);
    ask("old id joins", join("static", a.memberId(), "A"), 9);
    ask("old id syncs", sync("static", a.memberId(), 1).setGroupInstanceId("A"), 3);
    ask(
        "old id commits",
        with(commit("static", a.memberId(), 1).setGroupInstanceId("A"), "t", 0, 1, ""),
        9);
    ask("sync", sync("static", again.memberId(), 1).setGroupInstanceId("A"), 3);
    ask("returns to an old version", join("static", "", "A"), 5);
    ask("stable", describe("static"), 4);
    ask("fenced leave", leave("static", a.memberId(), "A"), 5);
    ask("unknown instance leaves", leave("static", "", "B"), 5);
    ask("leaves by instance", leave("static", "", "A"), 5);
    ask("empty", describe("static"), 4);
  }

  static OffsetDeleteRequestData offsetDelete(String group, String topic, Integer... partitions) {
    OffsetDeleteRequestData r = new OffsetDeleteRequestData().setGroupId(group);
    OffsetDeleteRequestData.OffsetDeleteRequestTopic t =
        new OffsetDeleteRequestData.OffsetDeleteRequestTopic().setName(topic);
    for (int p : partitions) {
      t.partitions()
          .add(new OffsetDeleteRequestData.OffsetDeleteRequestPartition().setPartitionIndex(p));
    }
    r.topics().add(t);
    return r;
  }

  private void deletions() throws IOException {
    ask("unknown group", offsetDelete("unknown", "t", 0), 0);
    ask("unknown topic", offsetDelete("one", "u", 0), 0);
    ask("empty group id", offsetDelete("", "t", 0), 0);
    ask("unknown topic, unknown group", offsetDelete("unknown", "u", 0), 0);
    ask("no topics", new OffsetDeleteRequestData().setGroupId("unknown"), 0);
    ask("delete", offsetDelete("one", "t", 0, 9), 0);
    ask("deleted", fetch("one", null), 7);
    for (int v = 0; v <= 3; v++) {
      ask(
          "delete groups",
          new DeleteGroupsRequestData()
              .setGroupsNames(List.of("unknown", v == 3 ? "one" : "x", "unknown")),
          v);
    }
    ask("delete the nameless", new DeleteGroupsRequestData().setGroupsNames(List.of("")), 2);
    ask("deleted", describe("one"), 6);
    ask("deleted", fetch("one", null), 7);
    ask("list", new ListGroupsRequestData().setTypesFilter(List.of("x", "classic")), 5);
  }
}
