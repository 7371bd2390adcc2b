package dev.vitrine.broker.api;

import dev.vitrine.broker.OneNode;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.CreateTopicsRequestData;
import org.apache.kafka.common.message.CreateTopicsResponseData;
import org.apache.kafka.common.message.MetadataRequestData;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.message.ProduceResponseData.PartitionProduceResponse;
import org.apache.kafka.common.message.RequestHeaderData;
import org.apache.kafka.common.message.ResponseHeaderData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.MessageUtil;
import org.apache.kafka.common.record.internal.MemoryRecords;

/**
 * One connection that says what it likes in Kafka's own messages, in any version, and waits for the
 * answers.
 */
final class Wire implements AutoCloseable {
  static final int NAMED_PRODUCE = 12;

  private final Socket socket;
  private final DataInputStream in;

  Wire(OneNode node) {
    try {
      socket = connect(node.port());
      socket.setTcpNoDelay(true);
      socket.setSoTimeout(60_000);
      in = new DataInputStream(socket.getInputStream());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The listener opens once the node has loaded its logs. */
  private static Socket connect(int port) throws IOException {
    for (int attempt = 0; ; attempt++) {
      try {
        return new Socket("127.0.0.1", port);
      } catch (ConnectException e) {
        if (attempt == 600) {
          throw e;
        }
        pause();
      }
    }
  }

  static void pause() {
    try {
      Thread.sleep(50);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  <T extends ApiMessage> T ask(ApiMessage request, int version, Class<T> answer) {
    send(request, version);
    return receive(request, version, answer);
  }

  void send(ApiMessage request, int version) {
    ApiKeys api = ApiKeys.forId(request.apiKey());
    short v = (short) version;
    RequestHeaderData header =
        new RequestHeaderData()
            .setRequestApiKey(request.apiKey())
            .setRequestApiVersion(v)
            .setCorrelationId(7)
            .setClientId("wire");
    try {
      byte[] head = bytes(header, api.requestHeaderVersion(v));
      byte[] body = bytes(request, v);
      ByteBuffer frame = ByteBuffer.allocate(4 + head.length + body.length);
      frame.putInt(head.length + body.length).put(head).put(body);
      socket.getOutputStream().write(frame.array());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static byte[] bytes(ApiMessage message, short version) {
    ByteBuffer b = MessageUtil.toByteBufferAccessor(message, version).buffer();
    byte[] all = new byte[b.remaining()];
    b.get(all);
    return all;
  }

  <T extends ApiMessage> T receive(ApiMessage request, int version, Class<T> answer) {
    ApiKeys api = ApiKeys.forId(request.apiKey());
    try {
      byte[] frame = new byte[in.readInt()];
      in.readFully(frame);
      ByteBufferAccessor readable = new ByteBufferAccessor(ByteBuffer.wrap(frame));
      new ResponseHeaderData(readable, api.responseHeaderVersion((short) version));
      T response = answer.getDeclaredConstructor().newInstance();
      response.read(readable, (short) version);
      return response;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (ReflectiveOperationException e) {
      throw new IllegalArgumentException(e);
    }
  }

  /** Waits for the end; false if there is an answer instead. */
  boolean isClosed() {
    try {
      in.readInt();
      return false;
    } catch (EOFException | SocketException e) {
      return true;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A topic of a new name, once its partitions are led. */
  Topic newTopic(int partitions, String... configs) {
    return create("t-" + UUID.randomUUID(), partitions, configs);
  }

  Topic create(String name, int partitions, String... configs) {
    CreateTopicsRequestData.CreatableTopic topic =
        new CreateTopicsRequestData.CreatableTopic()
            .setName(name)
            .setNumPartitions(partitions)
            .setReplicationFactor((short) 1);
    for (int i = 0; i < configs.length; i += 2) {
      topic
          .configs()
          .add(
              new CreateTopicsRequestData.CreatableTopicConfig()
                  .setName(configs[i])
                  .setValue(configs[i + 1]));
    }
    CreateTopicsRequestData request = new CreateTopicsRequestData().setTimeoutMs(30_000);
    request.topics().add(topic);
    CreateTopicsResponseData.CreatableTopicResult made;
    do {
      pause(); // the broker may not be unfenced yet
      made = ask(request, 7, CreateTopicsResponseData.class).topics().find(name);
    } while (made.errorCode()
        == org.apache.kafka.common.protocol.Errors.INVALID_REPLICATION_FACTOR.code());
    if (made.errorCode() != 0) {
      throw new IllegalStateException(made.toString());
    }
    awaitLeaders(name);
    return new Topic(name, made.topicId());
  }

  record Topic(String name, Uuid id) {}

  private void awaitLeaders(String name) {
    MetadataRequestData request =
        new MetadataRequestData()
            .setTopics(List.of(new MetadataRequestData.MetadataRequestTopic().setName(name)))
            .setAllowAutoTopicCreation(false);
    while (true) {
      var topic = ask(request, 9, MetadataResponseData.class).topics().find(name);
      if (topic.errorCode() == 0
          && topic.partitions().stream().allMatch(p -> p.errorCode() == 0 && leads(name, p))) {
        return;
      }
      pause();
    }
  }

  /** The metadata may be here before the replica acts on it. */
  private boolean leads(String name, MetadataResponseData.MetadataResponsePartition partition) {
    return Requests.listOffsets(this, name, partition.partitionIndex(), -1).errorCode() == 0;
  }

  PartitionProduceResponse produce(Topic topic, int partition, MemoryRecords records) {
    return produce(topic.name(), partition, -1, records);
  }

  PartitionProduceResponse produce(String topic, int partition, int acks, MemoryRecords records) {
    return ask(
            Requests.produce(Map.of(topic, records), partition, acks),
            NAMED_PRODUCE,
            ProduceResponseData.class)
        .responses()
        .iterator()
        .next()
        .partitionResponses()
        .get(0);
  }

  void produceWithoutAcks(String topic, int partition, MemoryRecords records) {
    ProduceRequestData request = Requests.produce(Map.of(topic, records), partition, 0);
    send(request, NAMED_PRODUCE);
  }

  @Override
  public void close() {
    try {
      socket.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
