package dev.vitrine.compat.differential;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.IntNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.vitrine.compat.Await;
import dev.vitrine.protocol.message.ApiKeys;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Plays one script on both sides in step: each request goes to both before either answer is read.
 * Used by one thread.
 */
final class Player {
  private static final int POLL_MS = 20;
  private static final long SETTLE_NANOS = Await.LIMIT.toNanos() / 5;
  private static final String NEVER = "never what is waited for";
  private static final boolean SHOW = Boolean.getBoolean("show");

  private final Script script;
  private final Side ours;
  private final Side kafkas;
  private final Comparison comparison;
  private int loop;
  private int requests;

  Player(Script script, Side ours, Side kafkas, Comparison comparison) {
    this.script = script;
    this.ours = ours;
    this.kafkas = kafkas;
    this.comparison = comparison;
  }

  /** How many requests each side was sent. */
  int requests() {
    return requests;
  }

  void play() throws Exception {
    List<Integer> loops = script.loop() == null ? List.of(0) : Apis.loop(script.loop());
    for (int v : loops) {
      loop = v;
      for (Side side : sides()) {
        side.closeConnections();
        side.variables.clear();
        side.variables.put("v", IntNode.valueOf(v));
        side.variables.put("s", TextNode.valueOf(own("")));
      }
      for (Step step : script.steps()) {
        try {
          play(step);
        } catch (RuntimeException e) {
          throw new IllegalArgumentException(
              script.name() + ":" + step.line() + " (v " + v + "): " + e.getMessage(), e);
        }
      }
    }
    ours.closeConnections();
    kafkas.closeConnections();
  }

  private List<Side> sides() {
    return List.of(ours, kafkas);
  }

  /** A name that no other script has. */
  private String own(String name) {
    String loopName = script.loop() == null ? "" : "-" + loop;
    return script.name() + loopName + (name.isEmpty() ? "" : "-" + name);
  }

  private void play(Step step) throws Exception {
    if (step instanceof Step.Request request) {
      for (int version : Apis.versions(Apis.named(request.api()), request.versions(), loop)) {
        request(request, version);
      }
    } else if (step instanceof Step.Await await) {
      Side.Sent sent = ours.pending(await.connection());
      Answer left = ours.receive(await.connection());
      Answer right = kafkas.receive(await.connection());
      show("await @" + await.connection(), left, right);
      compare(step.line(), Apis.name(sent.api()), sent.version(), left, right);
      capture(await.captures(), left, right);
    } else if (step instanceof Step.Bytes bytes) {
      bytes(bytes);
    } else if (step instanceof Step.Close close) {
      ours.disconnect(close.connection());
      kafkas.disconnect(close.connection());
    } else if (step instanceof Step.Let let) {
      for (Side side : sides()) {
        side.variables.put(let.name(), side.resolve(TextNode.valueOf(let.value())));
      }
    } else if (step instanceof Step.Topic topic) {
      topic(topic);
    } else if (step instanceof Step.Group group) {
      group(group);
    }
  }

  private void request(Step.Request request, int version) throws Exception {
    ApiKeys api = Apis.named(request.api());
    Step.Options how = request.how();
    for (Side side : sides()) {
      side.variables.put("version", IntNode.valueOf(version));
      side.send(request.connection(), api, version, request.body(), how.header());
    }
    requests++;
    if (how.later()) {
      return;
    }
    if (how.silent()) {
      // What comes next is the answer to something else.
      probe(request, version);
      return;
    }
    Answer right = settled(kafkas, request, api, version);
    if (right.outcome().equals(NEVER)) {
      throw new IllegalArgumentException("Kafka's answer never holds it: " + right.tree());
    }
    Answer left = settled(ours, request, api, version);
    boolean closes =
        !how.closes().isEmpty() && Apis.versions(api, how.closes(), loop).contains(version);
    show(request.api() + " v" + version + " " + ours.resolve(request.body()), left, right);
    comparison.name(how.name());
    compare(request.line(), request.api(), version, left, right);
    comparison.name("");
    if (right.outcome().equals("closed") != closes) {
      throw new IllegalArgumentException(
          "version " + version + ": Kafka's connection is " + right.outcome());
    }
    capture(how.captures(), left, right);
  }

  private void probe(Step.Request request, int version) throws IOException {
    ObjectNode body = Json.READER.createObjectNode();
    body.put("clientSoftwareName", "differential").put("clientSoftwareVersion", "1");
    ObjectNode header = Json.READER.createObjectNode();
    for (Side side : sides()) {
      side.send(request.connection(), ApiKeys.API_VERSIONS, 3, body, header);
    }
    Answer left = ours.receive(request.connection());
    Answer right = kafkas.receive(request.connection());
    compare(
        request.line(),
        request.api(),
        version,
        new Answer(left.outcome(), header),
        new Answer(right.outcome(), header));
  }

  /** The answer; if it is to hold something, the first that does. */
  private Answer settled(Side side, Step.Request request, ApiKeys api, int version)
      throws Exception {
    Answer answer = side.receive(request.connection());
    long deadline = System.nanoTime() + SETTLE_NANOS;
    while (!holds(side, answer, request.how().until())) {
      if (System.nanoTime() > deadline) {
        return new Answer(NEVER, answer.tree());
      }
      Thread.sleep(POLL_MS);
      side.send(request.connection(), api, version, request.body(), request.how().header());
      answer = side.receive(request.connection());
    }
    return answer;
  }

  private static boolean holds(Side side, Answer answer, Map<String, JsonNode> until) {
    return until.entrySet().stream()
        .allMatch(
            wanted -> {
              JsonNode found =
                  wanted.getKey().endsWith(".length")
                      ? length(answer.at(wanted.getKey().replaceFirst("\\.length$", "")))
                      : answer.at(wanted.getKey());
              return found != null
                  && found.asText().equals(side.resolve(wanted.getValue()).asText());
            });
  }

  private static JsonNode length(JsonNode array) {
    return array == null ? null : IntNode.valueOf(array.size());
  }

  private void bytes(Step.Bytes bytes) throws IOException {
    requests++;
    ApiKeys api =
        bytes.answer().isEmpty() ? ApiKeys.API_VERSIONS : Apis.named(bytes.answer().get(0));
    int version = bytes.answer().isEmpty() ? 0 : Integer.parseInt(bytes.answer().get(1));
    for (Side side : sides()) {
      side.write(bytes.connection(), Encoder.hex(bytes.hex()), bytes.framed());
    }
    Answer left = ours.receive(bytes.connection(), api, version, -1);
    Answer right = kafkas.receive(bytes.connection(), api, version, -1);
    show("bytes " + bytes.hex(), left, right);
    compare(bytes.line(), Apis.name(api), version, left, right);
    if (right.outcome().equals("closed") != bytes.answer().isEmpty()) {
      throw new IllegalArgumentException("Kafka's connection is " + right.outcome());
    }
  }

  private void compare(int line, String api, int version, Answer left, Answer right) {
    comparison.compare(line, api, version, left, right);
  }

  private void capture(Map<String, String> captures, Answer left, Answer right) {
    captures.forEach(
        (name, path) -> {
          capture(ours, name, path, left);
          capture(kafkas, name, path, right);
        });
  }

  private static void capture(Side side, String name, String path, Answer answer) {
    JsonNode value = answer.at(path);
    if (value == null) {
      throw new IllegalArgumentException("nothing at " + path + " in " + answer);
    }
    side.variables.put(name, value);
  }

  private void topic(Step.Topic topic) throws Exception {
    for (Side side : sides()) {
      side.variables.put(topic.name(), TextNode.valueOf(own(topic.name())));
    }
    ObjectNode create = Json.READER.createObjectNode().put("timeoutMs", 30_000);
    ObjectNode one = create.putArray("topics").addObject();
    one.put("name", own(topic.name()));
    one.put("numPartitions", topic.partitions()).put("replicationFactor", 1);
    var configs = one.putArray("configs");
    topic.configs().forEach((k, v) -> configs.addObject().put("name", k).put("value", v));
    request(made(topic.line(), "CreateTopics", create, Map.of(), Map.of()), 7);
    ObjectNode metadata = Json.READER.createObjectNode().put("allowAutoTopicCreation", false);
    metadata.putArray("topics").addObject().put("name", own(topic.name()));
    Map<String, JsonNode> led =
        Map.of(
            "topics[0].errorCode",
            IntNode.valueOf(0),
            "topics[0].partitions.length",
            IntNode.valueOf(topic.partitions()),
            "topics[0].partitions[0].errorCode",
            IntNode.valueOf(0));
    request(
        made(
            topic.line(),
            "Metadata",
            metadata,
            Map.of(topic.name() + ".id", "topics[0].topicId"),
            led),
        12);
    lead(topic);
  }

  /** Kafka tells of a leader before it leads. */
  private void lead(Step.Topic topic) throws Exception {
    ObjectNode list = Json.READER.createObjectNode().put("replicaId", -1);
    ObjectNode one = list.putArray("topics").addObject().put("name", own(topic.name()));
    var partitions = one.putArray("partitions");
    Map<String, JsonNode> leads = new LinkedHashMap<>();
    for (int i = 0; i < topic.partitions(); i++) {
      partitions.addObject().put("partitionIndex", i).put("timestamp", -1);
      leads.put("topics[0].partitions[" + i + "].errorCode", IntNode.valueOf(0));
    }
    request(made(topic.line(), "ListOffsets", list, Map.of(), leads), 7);
  }

  private void group(Step.Group group) throws Exception {
    for (Side side : sides()) {
      side.variables.put(group.name(), TextNode.valueOf(own(group.name())));
    }
    ObjectNode find = Json.READER.createObjectNode();
    find.putArray("coordinatorKeys").add(own(group.name()));
    Map<String, JsonNode> found = Map.of("coordinators[0].errorCode", IntNode.valueOf(0));
    request(made(group.line(), "FindCoordinator", find, Map.of(), found), 4);
    ObjectNode fetch = Json.READER.createObjectNode();
    fetch.put("groupId", own(group.name())).putArray("topics");
    Map<String, JsonNode> loaded = Map.of("errorCode", IntNode.valueOf(0));
    request(made(group.line(), "OffsetFetch", fetch, Map.of(), loaded), 7);
  }

  private static Step.Request made(
      int line,
      String api,
      ObjectNode body,
      Map<String, String> captures,
      Map<String, JsonNode> until) {
    ObjectNode header = Json.READER.createObjectNode();
    Step.Options how = new Step.Options(header, captures, until, "", false, false, "");
    return new Step.Request(line, api, "", Script.DEFAULT_CONNECTION, body, how);
  }

  private static void show(String what, Answer left, Answer right) {
    if (SHOW) {
      System.out.println(what + "\n    ours   " + left + "\n    Kafka's " + right);
    }
  }
}
