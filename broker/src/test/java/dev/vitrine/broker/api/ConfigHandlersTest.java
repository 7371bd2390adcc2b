package dev.vitrine.broker.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.vitrine.config.KafkaConfig;
import dev.vitrine.metadata.ConfigResource;
import dev.vitrine.metadata.LiveConfig;
import dev.vitrine.metadata.MetadataImage;
import dev.vitrine.protocol.ApiMessage;
import dev.vitrine.protocol.Errors;
import dev.vitrine.protocol.MessageWriter;
import dev.vitrine.protocol.Uuid;
import dev.vitrine.protocol.message.AlterConfigsRequest;
import dev.vitrine.protocol.message.AlterConfigsResponse;
import dev.vitrine.protocol.message.ApiKeys;
import dev.vitrine.protocol.message.ConfigRecord;
import dev.vitrine.protocol.message.DescribeConfigsRequest;
import dev.vitrine.protocol.message.DescribeConfigsResponse;
import dev.vitrine.protocol.message.DescribeConfigsResponse.DescribeConfigsResourceResult;
import dev.vitrine.protocol.message.DescribeConfigsResponse.DescribeConfigsResult;
import dev.vitrine.protocol.message.IncrementalAlterConfigsRequest;
import dev.vitrine.protocol.message.IncrementalAlterConfigsResponse;
import dev.vitrine.protocol.message.ListConfigResourcesRequest;
import dev.vitrine.protocol.message.ListConfigResourcesResponse;
import dev.vitrine.protocol.message.RequestHeader;
import dev.vitrine.protocol.message.TopicRecord;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/**
 * DescribeConfigs, the two AlterConfigs and ListConfigResources over an image, without a network.
 */
class ConfigHandlersTest {
  private static final byte SET = 0;
  private static final byte DELETE = 1;
  private static final byte APPEND = 2;

  private final LiveConfig config =
      new LiveConfig(
          KafkaConfig.parse(
              Map.of(
                  "process.roles", "broker",
                  "node.id", "1",
                  "controller.quorum.voters", "9@localhost:9093",
                  "controller.listener.names", "CONTROLLER",
                  "log.retention.ms", "5000",
                  "ssl.key.password", "secret")));

  private MetadataImage image =
      MetadataImage.EMPTY.apply(new TopicRecord().name("t").topicId(new Uuid(1, 2)));
  private final SortedMap<String, String> levels = new TreeMap<>(Map.of("root", "INFO"));
  private boolean validateOnly;

  private final Loggers loggers =
      new Loggers() {
        @Override
        public SortedMap<String, String> levels() {
          return levels;
        }

        @Override
        public void set(String name, String level) {
          levels.put(name, level);
        }

        @Override
        public void unset(String name) {
          levels.put(name, levels.get(ROOT));
        }
      };

  private ApiMessage answer;
  private ApiMessage forwarded;

  private final Responder responder =
      new Responder() {
        @Override
        public void respond(ApiMessage response) {
          answer = response;
        }

        @Override
        public void respondNothing() {
          throw new AssertionError();
        }

        @Override
        public void close() {
          throw new AssertionError();
        }
      };

  @Test
  void describesATopic() {
    set(ConfigResource.TOPIC, "t", "segment.bytes", "2000000");
    set(ConfigResource.BROKER, "", "compression.type", "gzip");
    DescribeConfigsResult result = describe(ConfigResource.TOPIC, "t", null);
    assertEquals(37, result.configs().size());
    assertEquals("2000000", entry(result, "segment.bytes").value());
    assertEquals(1, entry(result, "segment.bytes").configSource());
    assertEquals(2, entry(result, "segment.bytes").synonyms().size());
    assertEquals(3, entry(result, "compression.type").configSource());
    assertEquals("5000", entry(result, "retention.ms").value());
    assertEquals(4, entry(result, "retention.ms").configSource());
    assertFalse(entry(result, "retention.ms").documentation().isEmpty());
    DescribeConfigsResult one =
        describe(ConfigResource.TOPIC, "t", List.of("cleanup.policy", "foo"));
    assertEquals(1, one.configs().size());
  }

  @Test
  void describesThisBrokerAndAll() {
    set(ConfigResource.BROKER, "1", "log.retention.ms", "7000");
    set(ConfigResource.BROKER, "", "log.retention.ms", "6000");
    DescribeConfigsResult result = describe(ConfigResource.BROKER, "1", List.of());
    assertTrue(result.configs().size() >= 350);
    assertEquals("7000", entry(result, "log.retention.ms").value());
    assertEquals(2, entry(result, "log.retention.ms").configSource());
    assertFalse(entry(result, "log.retention.ms").readOnly());
    assertTrue(entry(result, "node.id").readOnly());
    assertNull(entry(result, "ssl.key.password").value());
    assertTrue(entry(result, "ssl.key.password").isSensitive());
    assertEquals(1, describe(ConfigResource.BROKER, "", null).configs().size());
  }

  @Test
  void refusesToDescribe() {
    assertRefused(Errors.UNKNOWN_TOPIC_OR_PARTITION, "", ConfigResource.TOPIC, "nope");
    assertRefused(
        Errors.INVALID_TOPIC_EXCEPTION,
        "Topic name is invalid: the empty string is not allowed",
        ConfigResource.TOPIC,
        "");
    assertRefused(
        Errors.INVALID_REQUEST,
        "Unexpected broker id, expected 1 or empty string, but received 7",
        ConfigResource.BROKER,
        "7");
    assertRefused(
        Errors.INVALID_REQUEST,
        "Broker id must be an integer, but it is: x",
        ConfigResource.BROKER,
        "x");
    assertRefused(Errors.INVALID_REQUEST, "Group name must not be empty", ConfigResource.GROUP, "");
    assertRefused(
        Errors.INVALID_REQUEST,
        "Client metrics subscription name must not be empty",
        ConfigResource.CLIENT_METRICS,
        "");
    assertRefused(Errors.INVALID_REQUEST, Errors.INVALID_REQUEST.message(), (byte) 3, "x");
  }

  @Test
  void everyVersionCanBeWritten() {
    for (short version = 1; version <= 4; version++) {
      describe(ConfigResource.TOPIC, "t", null);
      answer.write(new MessageWriter(Unpooled.buffer()), version);
    }
  }

  @Test
  void passesOnWhatItDoesNotRefuse() {
    alter(change(ConfigResource.BROKER, "1", "node.id", "2", SET));
    assertNull(forwarded);
    assertAltered(Errors.INVALID_REQUEST, "Cannot update these configs dynamically: [node.id]");
    alter(change(ConfigResource.BROKER, "1", "num.io.threads", "2", APPEND));
    assertAltered(
        Errors.INVALID_CONFIG, "Config value append is not allowed for config key: num.io.threads");
    alter(change(ConfigResource.BROKER, "2", "num.io.threads", "2", SET));
    assertAltered(Errors.INVALID_REQUEST, "Unexpected broker id, expected 1, but received 2");
    alter(
        change(ConfigResource.BROKER, "1", "log.roll.ms", "0", SET),
        change(ConfigResource.TOPIC, "t", "retention.ms", "1", SET),
        change(ConfigResource.BROKER, "", "log.roll.ms", "70", SET));
    assertEquals(2, ((IncrementalAlterConfigsRequest) forwarded).resources().size());
    assertAltered(
        Errors.INVALID_REQUEST,
        "requirement failed: log.roll.ms must be greater than or equal to 1");
  }

  @Test
  void describesItsLoggers() {
    levels.put("dev.vitrine", "WARN");
    DescribeConfigsResult result = describe(ConfigResource.BROKER_LOGGER, "1", null);
    assertEquals(2, result.configs().size());
    DescribeConfigsResourceResult entry = entry(result, "dev.vitrine");
    assertEquals("WARN", entry.value());
    assertEquals(6, entry.configSource());
    assertFalse(entry.readOnly());
    assertEquals(1, describe(ConfigResource.BROKER_LOGGER, "1", List.of("root")).configs().size());
    assertRefused(
        Errors.INVALID_REQUEST, "Broker id must not be empty", ConfigResource.BROKER_LOGGER, "");
    assertRefused(
        Errors.INVALID_REQUEST,
        "Unexpected broker id, expected 1 but received 2",
        ConfigResource.BROKER_LOGGER,
        "2");
  }

  @Test
  void changesItsLoggers() {
    levels.put("dev.vitrine", "WARN");
    alter(change(ConfigResource.BROKER_LOGGER, "1", "dev.vitrine", "DEBUG", SET));
    assertAltered(Errors.NONE, null);
    assertNull(forwarded);
    assertEquals("DEBUG", levels.get("dev.vitrine"));
    alter(change(ConfigResource.BROKER_LOGGER, "1", "dev.vitrine", "", DELETE));
    assertEquals("INFO", levels.get("dev.vitrine"));
    validateOnly = true;
    alter(change(ConfigResource.BROKER_LOGGER, "1", "dev.vitrine", "TRACE", SET));
    assertAltered(Errors.NONE, null);
    assertEquals("INFO", levels.get("dev.vitrine"));
  }

  @Test
  void refusesKeysThatComeTwiceAndNothingAsAValueBeforeAnythingElse() {
    for (byte type : new byte[] {ConfigResource.BROKER_LOGGER, ConfigResource.BROKER, 99}) {
      IncrementalAlterConfigsRequest.AlterConfigsResource twice =
          change(type, "nobody", "a", null, SET);
      twice.configs().addAll(change(type, "nobody", "a", "1", SET).configs());
      alter(twice);
      assertAltered(Errors.INVALID_REQUEST, "Error due to duplicate config keys");
      IncrementalAlterConfigsRequest.AlterConfigsResource nothing =
          change(type, "nobody", "a", null, SET);
      nothing.configs().addAll(change(type, "nobody", "b", null, APPEND).configs());
      alter(nothing);
      assertAltered(Errors.INVALID_REQUEST, "Null value not supported for : a, b");
      assertNull(forwarded);
    }
  }

  @Test
  void refusesChangesOfLoggersAsAWhole() {
    levels.put("dev.vitrine", "WARN");
    IncrementalAlterConfigsRequest.AlterConfigsResource two =
        change(ConfigResource.BROKER_LOGGER, "1", "dev.vitrine", "DEBUG", SET);
    two.configs()
        .addAll(change(ConfigResource.BROKER_LOGGER, "1", "nobody", "DEBUG", SET).configs());
    alter(two, change(ConfigResource.TOPIC, "t", "retention.ms", "1", SET));
    assertAltered(Errors.INVALID_CONFIG, "Logger nobody does not exist!");
    assertEquals(1, ((IncrementalAlterConfigsRequest) forwarded).resources().size());
    assertEquals("WARN", levels.get("dev.vitrine"));
    assertLoggerRefused(
        Errors.INVALID_REQUEST, "Removing the log level of the root logger is not allowed", DELETE);
    assertLoggerRefused(
        Errors.INVALID_REQUEST,
        "APPEND operation is not allowed for the BROKER_LOGGER resource",
        APPEND);
    assertLoggerRefused(
        Errors.INVALID_CONFIG,
        "Cannot set the log level of root to LOUD as it is not a supported log level."
            + " Valid log levels are DEBUG, ERROR, FATAL, INFO, TRACE, WARN",
        SET);
    alter(change(ConfigResource.BROKER_LOGGER, "2", "root", "INFO", SET));
    assertAltered(Errors.INVALID_REQUEST, "Unexpected node id. Expected 1, but received 2");
    alter(change(ConfigResource.BROKER_LOGGER, "", "root", "INFO", SET));
    assertAltered(Errors.INVALID_REQUEST, "Node id must be an integer, but it is: ");
    IncrementalAlterConfigsRequest.AlterConfigsResource one =
        change(ConfigResource.BROKER_LOGGER, "1", "root", "DEBUG", SET);
    alter(one, one);
    assertAltered(Errors.INVALID_REQUEST, "Each resource must appear at most once.");
    assertEquals("INFO", levels.get("root"));
  }

  private void assertLoggerRefused(Errors error, String message, byte operation) {
    alter(change(ConfigResource.BROKER_LOGGER, "1", "root", "LOUD", operation));
    assertAltered(error, message);
  }

  @Test
  void replaces() {
    AlterConfigsRequest request = new AlterConfigsRequest();
    for (String value : List.of("x", "9")) {
      AlterConfigsRequest.AlterConfigsResource resource =
          new AlterConfigsRequest.AlterConfigsResource()
              .resourceType(ConfigResource.BROKER)
              .resourceName("1");
      resource
          .configs()
          .add(new AlterConfigsRequest.AlterableConfig().name("background.threads").value(value));
      request.resources().add(resource);
    }
    new AlterConfigsHandler(() -> image, config, this::forward)
        .handle(context(ApiKeys.ALTER_CONFIGS, 2), request, responder);
    assertEquals(1, ((AlterConfigsRequest) forwarded).resources().size());
    assertEquals(
        "Invalid value x for configuration background.threads: Not a number of type INT",
        ((AlterConfigsResponse) answer).responses().get(0).errorMessage());
  }

  @Test
  void lists() {
    set(ConfigResource.GROUP, "g", "consumer.session.timeout.ms", "46000");
    set(ConfigResource.CLIENT_METRICS, "m", "interval.ms", "1000");
    assertEquals(List.of("16 m"), list(0));
    assertEquals(List.of("32 g", "16 m", "2 t"), list(1));
    assertEquals(List.of("2 t"), list(1, ConfigResource.TOPIC));
    list(1, (byte) 3);
    assertEquals(
        Errors.UNSUPPORTED_VERSION.code(), ((ListConfigResourcesResponse) answer).errorCode());
  }

  private void set(byte type, String name, String key, String value) {
    image =
        image.apply(
            new ConfigRecord().resourceType(type).resourceName(name).name(key).value(value));
  }

  private DescribeConfigsResult describe(byte type, String name, List<String> keys) {
    DescribeConfigsRequest request =
        new DescribeConfigsRequest().includeSynonyms(true).includeDocumentation(true);
    request
        .resources()
        .add(
            new DescribeConfigsRequest.DescribeConfigsResource()
                .resourceType(type)
                .resourceName(name)
                .configurationKeys(keys));
    new DescribeConfigsHandler(() -> image, config, loggers)
        .handle(context(ApiKeys.DESCRIBE_CONFIGS, 4), request, responder);
    return ((DescribeConfigsResponse) answer).results().get(0);
  }

  private static DescribeConfigsResourceResult entry(DescribeConfigsResult result, String name) {
    return result.configs().stream().filter(e -> e.name().equals(name)).findFirst().orElseThrow();
  }

  private void assertRefused(Errors error, String message, byte type, String name) {
    DescribeConfigsResult result = describe(type, name, null);
    assertEquals(error.code(), result.errorCode());
    assertEquals(message, result.errorMessage());
  }

  private static IncrementalAlterConfigsRequest.AlterConfigsResource change(
      byte type, String name, String key, String value, byte operation) {
    IncrementalAlterConfigsRequest.AlterConfigsResource resource =
        new IncrementalAlterConfigsRequest.AlterConfigsResource()
            .resourceType(type)
            .resourceName(name);
    resource
        .configs()
        .add(
            new IncrementalAlterConfigsRequest.AlterableConfig()
                .name(key)
                .value(value)
                .configOperation(operation));
    return resource;
  }

  private void alter(IncrementalAlterConfigsRequest.AlterConfigsResource... resources) {
    new IncrementalAlterConfigsHandler(
            () -> image, config, new LoggerChanges(loggers, 1), this::forward)
        .handle(
            context(ApiKeys.INCREMENTAL_ALTER_CONFIGS, 1),
            new IncrementalAlterConfigsRequest()
                .resources(List.of(resources))
                .validateOnly(validateOnly),
            responder);
  }

  private void assertAltered(Errors error, String message) {
    IncrementalAlterConfigsResponse response = (IncrementalAlterConfigsResponse) answer;
    assertEquals(error.code(), response.responses().get(0).errorCode());
    assertEquals(message, response.responses().get(0).errorMessage());
  }

  private void forward(RequestContext context, ApiMessage request, Consumer<ApiMessage> answered) {
    forwarded = request;
    answered.accept(context.api().newResponse());
  }

  private List<String> list(int version, Byte... kinds) {
    new ListConfigResourcesHandler(() -> image)
        .handle(
            context(ApiKeys.LIST_CONFIG_RESOURCES, version),
            new ListConfigResourcesRequest().resourceTypes(List.of(kinds)),
            responder);
    List<String> found = new ArrayList<>();
    ((ListConfigResourcesResponse) answer)
        .configResources()
        .forEach(r -> found.add(r.resourceType() + " " + r.resourceName()));
    return found;
  }

  private static RequestContext context(ApiKeys api, int version) {
    RequestHeader header =
        new RequestHeader().requestApiKey(api.id()).requestApiVersion((short) version);
    return new RequestContext(null, header, "User:ANONYMOUS", "/127.0.0.1", null);
  }
}
