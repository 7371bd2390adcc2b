package dev.vitrine.broker.group;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.ConsumerGroupDescribeRequestData;
import org.apache.kafka.common.message.ConsumerGroupDescribeResponseData;
import org.apache.kafka.common.message.ConsumerGroupHeartbeatRequestData;
import org.apache.kafka.common.message.ConsumerGroupHeartbeatResponseData;
import org.apache.kafka.common.message.DeleteGroupsRequestData;
import org.apache.kafka.common.message.JoinGroupRequestData;
import org.apache.kafka.common.message.JoinGroupResponseData;
import org.apache.kafka.common.message.ListGroupsRequestData;
import org.apache.kafka.common.message.OffsetDeleteRequestData;
import org.apache.kafka.common.message.OffsetFetchRequestData;
import org.apache.kafka.common.protocol.ApiMessage;

/**
 * A conversation with the coordinator of consumer groups (KIP-848), with members of both protocols.
 * The broker needs {@code group.consumer.assignment.interval.ms=0} and {@code
 * group.consumer.max.size=3} beside what {@link GroupTranscript} needs; {@link #main} prints what
 * an Apache Kafka says.
 */
final class ConsumerGroupTranscript extends GroupTranscript {
  private final Uuid topic;

  ConsumerGroupTranscript(int port, Uuid topic) {
    super(port, topic);
    this.topic = topic;
  }

  /** Port of an Apache Kafka; prints its transcript. */
  public static void main(String[] args) throws IOException {
    int port = Integer.parseInt(args[0]);
    new ConsumerGroupTranscript(port, makeTopics(port)).run().forEach(System.out::println);
  }

  @Override
  List<String> run() throws IOException {
    badRequests();
    oneMember();
    offsets();
    twoMembers();
    staticMembers();
    assignors();
    patterns();
    conversions();
    deletions();
    return lines;
  }

  // ---- requests

  private static ConsumerGroupHeartbeatRequestData beat(String group, String member, int epoch) {
    return new ConsumerGroupHeartbeatRequestData()
        .setGroupId(group)
        .setMemberId(member)
        .setMemberEpoch(epoch);
  }

  private static ConsumerGroupHeartbeatRequestData enter(
      String group, String member, String... topics) {
    return beat(group, member, 0)
        .setRebalanceTimeoutMs(30_000)
        .setSubscribedTopicNames(Arrays.asList(topics))
        .setTopicPartitions(List.of());
  }

  private ConsumerGroupHeartbeatRequestData owning(
      ConsumerGroupHeartbeatRequestData r, Integer... partitions) {
    return r.setTopicPartitions(
        partitions.length == 0
            ? List.of()
            : List.of(
                new ConsumerGroupHeartbeatRequestData.TopicPartitions()
                    .setTopicId(topic)
                    .setPartitions(Arrays.asList(partitions))));
  }

  private static ConsumerGroupDescribeRequestData explain(String... groups) {
    return new ConsumerGroupDescribeRequestData().setGroupIds(List.of(groups));
  }

  private static OffsetFetchRequestData fetchAs(
      OffsetFetchRequestData.OffsetFetchRequestGroup group, String member, int epoch) {
    return new OffsetFetchRequestData()
        .setGroups(List.of(group.setMemberId(member).setMemberEpoch(epoch)));
  }

  /** The answer has a random id, which gets a name. */
  private String askNew(String what, ApiMessage request, int version) throws IOException {
    ApiMessage answer = ask(what, request, version);
    String id =
        answer instanceof JoinGroupResponseData j
            ? j.memberId()
            : ((ConsumerGroupHeartbeatResponseData) answer).memberId();
    if (id != null && !id.isEmpty()) {
      String name = "NEW-ID" + names.size();
      names.put(id, name);
      lines.replaceAll(l -> l.replace(id, name));
    }
    return id;
  }

  private static JoinGroupRequestData malformed(String group, String member) {
    JoinGroupRequestData r = join(group, member, null);
    r.protocols().iterator().next().setMetadata(new byte[] {0});
    return r;
  }

  // ---- the conversation

  private void badRequests() throws IOException {
    ask("no member id", enter("g", "", "t"), 1);
    ask("no group id", enter("", "m", "t"), 1);
    ask("blank group id", enter(" ", "m", "t"), 0);
    ask("empty instance", enter("g", "m", "t").setInstanceId(""), 1);
    ask("empty rack", enter("g", "m", "t").setRackId(""), 1);
    ask("no time-out", enter("g", "m", "t").setRebalanceTimeoutMs(-1), 1);
    ask("no partitions", enter("g", "m", "t").setTopicPartitions(null), 1);
    ask("some partitions", owning(enter("g", "m", "t"), 0), 1);
    ask("no topics", enter("g", "m").setSubscribedTopicNames(null), 1);
    ask("no instance", beat("g", "m", -2), 1);
    ask("bad epoch", beat("g", "m", -3), 1);
    ask("no member id", beat("g", "", 1), 0);
    ask("no member id", beat("g", "", -1), 0);
    ask("unknown assignor", enter("g", "m", "t").setServerAssignor("x"), 1);
    ask("unknown group", beat("g", "m", 1), 1);
    ask("unknown group", beat("g", "m", -1), 1);
    ask("unknown group", beat("g", "m", -2).setInstanceId("i"), 1);
    ask("bad pattern", enter("g", "m").setSubscribedTopicRegex("(["), 1);
    ask("what is left of it", explain("g", "", "x"), 1);
    ask("no group", explain(), 0);
    String id = askNew("the broker makes the id", enter("old", "", "t"), 0);
    ask("leave", beat("old", id, -1), 0);
  }

  private void oneMember() throws IOException {
    ask("join", enter("g", "m1", "t"), 1);
    ask("stay", beat("g", "m1", 2), 1);
    ask("describe", explain("g").setIncludeAuthorizedOperations(true), 1);
    ask("describe", explain("g"), 0);
    ask("as a classic group", describe("g"), 5);
    ask("as a classic group", describe("g"), 6);
    ask("list", new ListGroupsRequestData(), 5);
    ask("list types", new ListGroupsRequestData().setTypesFilter(List.of("Consumer")), 5);
    ask("list types", new ListGroupsRequestData().setTypesFilter(List.of("classic")), 5);
    ask("list states", new ListGroupsRequestData().setStatesFilter(List.of("stable")), 4);
    ask("list states", new ListGroupsRequestData().setStatesFilter(List.of("Empty")), 5);
    ask("ahead", beat("g", "m1", 3), 1);
    ask("behind, owns nothing", owning(beat("g", "m1", 0).setMemberEpoch(1)), 1);
    ask("far behind", beat("g", "m1", 1), 1);
    ask("another", beat("g", "m2", 2), 1);
    ask("another leaves", beat("g", "m2", -1), 1);
    ask("unknown instance", beat("g", "m1", 2).setInstanceId("i"), 1);
    ask("unknown instance leaves", beat("g", "m1", -1).setInstanceId("i"), 1);
    ask("all again", owning(enter("g", "m1", "t").setMemberEpoch(2), 0, 1), 1);
    ask("join again", enter("g", "m1", "t"), 1);
    ask("topics change", beat("g", "m1", 2).setSubscribedTopicNames(List.of("t", "none")), 1);
    ask("assignor changes", beat("g", "m1", 3).setServerAssignor("range"), 1);
    ask("and back", beat("g", "m1", 4).setServerAssignor("uniform"), 1);
    ask("no topics", beat("g", "m1", 5).setSubscribedTopicNames(List.of()), 1);
    ask("still owns them", owning(beat("g", "m1", 5), 0, 1), 1);
    ask("in between", explain("g"), 1);
    ask("owns none", owning(beat("g", "m1", 5)), 1);
    ask("topics again", beat("g", "m1", 6).setSubscribedTopicNames(List.of("t")), 1);
    ask("a rack", beat("g", "m1", 7).setRackId("r1"), 1);
    ask("describe", explain("g"), 1);
  }

  private void offsets() throws IOException {
    ask("commit", with(commit("g", "m1", 7), "t", 0, 10, "a"), 9);
    ask("by id", with(commit("g", "m1", 7), "t", 1, 11, "b"), 10);
    ask("old version", with(commit("g", "m1", 7), "t", 0, 10, "a"), 8);
    ask("behind, owned since then", with(commit("g", "m1", 6), "t", 0, 9, "a"), 9);
    ask("ahead", with(commit("g", "m1", 8), "t", 0, 10, "a"), 9);
    ask("nobody", with(commit("g", "m9", 7), "t", 0, 10, "a"), 9);
    ask("without a member", with(commit("g", "", -1), "t", 0, 10, "a"), 9);
    for (int v : new int[] {9, 10}) {
      ask("fetch", fetchAs(fetchGroup("g", "t", 0, 1), "m1", 7), v);
      ask("all", fetchAs(fetchGroup("g", null), "m1", 7), v);
      ask("behind", fetchAs(fetchGroup("g", "t", 0), "m1", 6), v);
      ask("nobody", fetchAs(fetchGroup("g", "t", 0), "m9", 7), v);
      ask("no member", fetchAs(fetchGroup("g", "t", 0), null, -1), v);
      ask("stable", fetchAs(fetchGroup("g", "t", 0), "m1", 6).setRequireStable(true), v);
    }
    ask("old version", fetchAs(fetchGroup("g", "t", 0), null, -1), 8);
    OffsetDeleteRequestData.OffsetDeleteRequestTopicCollection topics =
        new OffsetDeleteRequestData.OffsetDeleteRequestTopicCollection();
    topics.add(
        new OffsetDeleteRequestData.OffsetDeleteRequestTopic()
            .setName("t")
            .setPartitions(
                List.of(
                    new OffsetDeleteRequestData.OffsetDeleteRequestPartition()
                        .setPartitionIndex(0))));
    ask("delete", new OffsetDeleteRequestData().setGroupId("g").setTopics(topics), 0);
    ask("delete", new DeleteGroupsRequestData().setGroupsNames(List.of("g")), 2);
  }

  private void twoMembers() throws IOException {
    ask("second", enter("g", "m2", "t"), 1);
    ask("describe", explain("g"), 1);
    ask("first hears of it", beat("g", "m1", 7), 1);
    ask("describe", explain("g"), 1);
    ask("commit what it is to give up", with(commit("g", "m1", 7), "t", 1, 12, "c"), 9);
    ask("second waits", beat("g", "m2", 8), 1);
    ask("first gives up", owning(beat("g", "m1", 7), 0), 1);
    ask("commit what it gave up", with(commit("g", "m1", 7), "t", 1, 13, "c"), 9);
    ask("the answer was lost", owning(beat("g", "m1", 7), 0), 1);
    ask("but it owns more", owning(beat("g", "m1", 7), 0, 1), 1);
    ask("second gets it", beat("g", "m2", 8), 1);
    ask("describe", explain("g"), 1);
    ask("third", enter("g", "m3", "t"), 1);
    ask("fourth", enter("g", "m4", "t"), 1);
    ask("third leaves", beat("g", "m3", -1), 1);
    ask("describe", explain("g"), 1);
    ask("first hears", beat("g", "m1", 8), 1);
    ask("second leaves", beat("g", "m2", -1), 1);
    ask("first hears", beat("g", "m1", 10), 1);
    ask("first leaves", beat("g", "m1", -1), 1);
    ask("describe", explain("g"), 1);
    ask("commit to an empty group", with(commit("g", "", -1), "t", 0, 20, "d"), 9);
    ask("commit as a member", with(commit("g", "m1", 11), "t", 0, 20, "d"), 9);
  }

  private void staticMembers() throws IOException {
    ask("static", enter("s", "a1", "t").setInstanceId("a"), 1);
    ask("another of it", enter("s", "a2", "t").setInstanceId("a"), 1);
    ask("fenced", beat("s", "a2", 2).setInstanceId("a"), 1);
    ask("another leaves", beat("s", "a2", -1).setInstanceId("a"), 1);
    ask("without its instance", beat("s", "a1", 2), 1);
    ask("leaves for a while", beat("s", "a1", -2).setInstanceId("a"), 1);
    ask("describe", explain("s"), 1);
    ask("commits while it is away", with(commit("s", "a1", 2), "t", 0, 5, "e"), 9);
    ask("comes back", enter("s", "a2", "t").setInstanceId("a"), 1);
    ask("describe", explain("s"), 1);
    ask("second", enter("s", "b1", "t").setInstanceId("b"), 1);
    ask("first hears", owning(beat("s", "a2", 2).setInstanceId("a"), 0, 1), 1);
    ask("first gives up", owning(beat("s", "a2", 2).setInstanceId("a"), 0), 1);
    ask("second gets it", beat("s", "b1", 3).setInstanceId("b"), 1);
    ask("leaves for a while", beat("s", "b1", -2).setInstanceId("b"), 1);
    ask("comes back with other topics", enter("s", "b2", "none").setInstanceId("b"), 1);
    ask("first gets all", beat("s", "a2", 3).setInstanceId("a"), 1);
    ask("leaves for good", beat("s", "a2", -1).setInstanceId("a"), 1);
    ask("an admin removes it", leave("s", "", "b"), 5);
    ask("describe", explain("s"), 1);
  }

  private void assignors() throws IOException {
    ask("range", enter("r", "m1", "t").setServerAssignor("range"), 1);
    ask("uniform", enter("r", "m2", "t").setServerAssignor("uniform"), 1);
    ask("uniform", enter("r", "m3", "t").setServerAssignor("uniform"), 1);
    ask("describe", explain("r"), 1);
    for (String m : List.of("m1", "m2", "m3")) {
      ask("leave", beat("r", m, -1), 1);
    }
    ask("describe", explain("r"), 1);
  }

  private static ConsumerGroupHeartbeatRequestData enterBy(
      String group, String member, String pattern) {
    return enter(group, member).setSubscribedTopicNames(null).setSubscribedTopicRegex(pattern);
  }

  /** Patterns are resolved behind the answers; nothing of the waiting is written down. */
  private void awaitEpoch(String group, int epoch) throws IOException {
    ConsumerGroupDescribeResponseData.DescribedGroup g;
    do {
      g = ((ConsumerGroupDescribeResponseData) ask("wait", explain(group), 1)).groups().get(0);
      lines.subList(lines.size() - 3, lines.size()).clear();
    } while (g.groupEpoch() < epoch);
  }

  private void patterns() throws IOException {
    ask("bad pattern", enterBy("p", "m1", "+"), 1);
    ask("by pattern", enterBy("p", "m1", "t|x.*"), 1);
    awaitEpoch("p", 2);
    ask("describe", explain("p"), 1);
    ask("it is resolved", beat("p", "m1", 1), 1);
    ask("the same pattern", enterBy("p", "m2", "t|x.*"), 1);
    ask("describe", explain("p"), 1);
    ask("no pattern any more", beat("p", "m2", 3).setSubscribedTopicRegex(""), 1);
    ask("describe", explain("p"), 1);
    ask("a name too", beat("p", "m1", 2).setSubscribedTopicNames(List.of("t")), 1);
    ask("names instead", beat("p", "m1", 5).setSubscribedTopicRegex(""), 1);
    ask("another pattern, too early", beat("p", "m1", 6).setSubscribedTopicRegex("t"), 1);
    ask("describe", explain("p"), 1);
    ask("bad pattern", beat("p", "m1", 6).setSubscribedTopicRegex("["), 1);
    ask("leave", beat("p", "m1", -1), 1);
    ask("leave", beat("p", "m2", -1), 1);
    ask("describe", explain("p"), 1);
  }

  private void conversions() throws IOException {
    JoinGroupResponseData first = (JoinGroupResponseData) ask("classic", join("c", "", null), 9);
    String a = first.memberId();
    JoinGroupResponseData joined = (JoinGroupResponseData) ask("classic", join("c", a, null), 9);
    ask("sync", syncAll("c", a, joined.generationId()), 5);
    ask("not a consumer group", explain("c"), 1);
    ask("not a member", beat("c", "m1", 1), 1);
    ask("leave", beat("c", "m1", -1), 1);
    ask("first of the new protocol, with other topics", enter("c", "m1", "none"), 1);
    ask("describe", explain("c"), 1);
    ask("describe", describe("c"), 6);
    ask("classic hears", heartbeat("c", a, 1), 4);
    ask("sync too early", sync("c", a, 1), 5);
    ask("classic rejoins", join("c", a, null, 0, 1), 9);
    ask("sync", sync("c", a, 2), 5);
    ask("the last of the new protocol leaves", beat("c", "m1", -1), 1);
    ask("not a consumer group", explain("c"), 1);
    ask("a classic one", describe("c"), 6);
    ask("heartbeat", heartbeat("c", a, 2), 4);
    ask("all leave", leave("c", a, null), 5);
    ask("empty classic group", enter("c", "m1", "t"), 1);
    String k = "k1";
    ask("classic joins, without owning", join("c", k, null), 9);
    ask("sync", sync("c", k, 3), 5);
    ask("wrong generation", heartbeat("c", k, 7), 4);
    ask("not classic", heartbeat("c", "m1", 2), 4);
    ask("nobody", heartbeat("c", "m9", 2), 4);
    ask("classic waits", heartbeat("c", k, 3), 4);
    ask("the other gives up", beat("c", "m1", 2), 1);
    ask("what it was asked for", owning(beat("c", "m1", 2), 0), 1);
    ask("classic hears", heartbeat("c", k, 3), 4);
    ask("classic rejoins", join("c", k, null), 9);
    ask("sync", sync("c", k, 3), 5);
    ask("sync, other protocol", sync("c", k, 3).setProtocolName("x"), 5);
    ask("sync, other type", sync("c", k, 3).setProtocolType("x"), 5);
    ask("describe", explain("c"), 1);
    ask("third", enter("c", "m2", "t"), 1);
    ask("classic hears", heartbeat("c", k, 3), 4);
    ask("sync too early", sync("c", k, 3), 5);
    ask("classic rejoins", join("c", k, null, 1), 9);
    ask("sync", sync("c", k, 4), 5);
    ask("third leaves", beat("c", "m2", -1), 1);
    ask("commit", with(commit("c", k, 4), "t", 0, 1, "f"), 9);
    ask("commit", with(commit("c", k, 4), "t", 0, 1, "f"), 2);
    ask("commit, wrong generation", with(commit("c", k, 5), "t", 0, 1, "f"), 9);
    ask("other type", join("c", "", null).setProtocolType("connect"), 9);
    ask("malformed", malformed("c", "k2"), 9);
    askNew("static, classic", join("c", "", "old"), 5);
    askNew("it is given its id first", join("c", "", null), 9);
    ask("describe", explain("c"), 1);
    ask("the static one leaves", leave("c", "", "old"), 5);
    ask("all of the new protocol leave", beat("c", "m1", -1), 1);
    ask("a classic one", describe("c"), 6);
    ask("all leave", leave("c", k, null), 5);
    ask("a group again", enter("c", "m1", "t"), 1);
    ask("leave", beat("c", "m1", -1), 1);
    ask("empty consumer group", join("c", "", null), 9);
    ask("describe", describe("c"), 6);
  }

  private void deletions() throws IOException {
    for (String group : List.of("g", "s", "r", "p", "c", "none")) {
      ask("delete", new DeleteGroupsRequestData().setGroupsNames(List.of(group)), 2);
    }
    ask("describe", explain("g", "s", "r", "c"), 1);
    ask("list", new ListGroupsRequestData(), 5);
  }
}
