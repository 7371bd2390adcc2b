package dev.vitrine.compat;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.CreateTopicsOptions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.MetricName;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.ThrottlingQuotaExceededException;
import org.apache.kafka.common.message.CreateTopicsRequestData;
import org.apache.kafka.common.quota.ClientQuotaAlteration;
import org.apache.kafka.common.quota.ClientQuotaEntity;
import org.apache.kafka.common.quota.ClientQuotaFilter;
import org.apache.kafka.common.requests.AbstractRequest;
import org.apache.kafka.common.requests.AbstractResponse;
import org.apache.kafka.common.requests.CreateTopicsRequest;
import org.apache.kafka.common.requests.RequestHeader;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Stock clients over their quotas are held back and lose nothing; others are not. Only the clients'
 * own metrics are looked at, never a clock.
 */
@Tag("smoke")
class QuotaTest {
  private static final String FREE = "free";
  private static final int RECORDS = 40;
  private static final String KILOBYTE = "x".repeat(1000);

  private static ClusterUnderTest cluster;
  private static Clients clients;

  @BeforeAll
  static void start() throws Exception {
    // Short windows: else what comes after a burst is held back for many seconds.
    cluster =
        LocalCluster.start(
            "quotas", 1, Map.of("quota.window.num", "2", "controller.quota.window.num", "2"));
    clients = new Clients(cluster.bootstrap());
  }

  @AfterAll
  static void stop() throws Exception {
    if (cluster != null) {
      cluster.close();
    }
  }

  private static void limit(String clientId, String key, Double value) throws Exception {
    ClientQuotaEntity entity = new ClientQuotaEntity(Map.of(ClientQuotaEntity.CLIENT_ID, clientId));
    try (Admin admin = clients.admin()) {
      admin
          .alterClientQuotas(
              List.of(
                  new ClientQuotaAlteration(
                      entity, List.of(new ClientQuotaAlteration.Op(key, value)))))
          .all()
          .get();
      Await.until(
          "the broker knows of the quota",
          () -> {
            Map<String, Double> known =
                admin
                    .describeClientQuotas(ClientQuotaFilter.all())
                    .entities()
                    .get()
                    .getOrDefault(entity, Map.of());
            return value.equals(known.get(key));
          });
    }
  }

  private static double metric(Map<MetricName, ? extends Metric> metrics, String name) {
    double most = 0;
    for (Map.Entry<MetricName, ? extends Metric> e : metrics.entrySet()) {
      if (e.getKey().name().equals(name) && e.getValue().metricValue() instanceof Double d) {
        most = Math.max(most, d.isNaN() ? 0 : d);
      }
    }
    return most;
  }

  /** Produces one by one; returns for how long the producer was told to wait at most. */
  private static double produce(String topic, String clientId, int records) throws Exception {
    Map<String, Object> config = Map.of("client.id", clientId);
    try (KafkaProducer<String, String> producer = clients.producer(config)) {
      for (int i = 0; i < records; i++) {
        assertEquals(i, producer.send(new ProducerRecord<>(topic, KILOBYTE)).get().offset());
      }
      return metric(producer.metrics(), "produce-throttle-time-max");
    }
  }

  /** Reads all records; returns for how long the consumer was told to wait at most. */
  private static double consume(String topic, String clientId) throws Exception {
    Map<String, Object> config = Map.of("client.id", clientId, "fetch.max.bytes", "8000");
    try (KafkaConsumer<String, String> consumer = clients.consumer(config)) {
      TopicPartition partition = new TopicPartition(topic, 0);
      consumer.assign(List.of(partition));
      consumer.seekToBeginning(List.of(partition));
      assertEquals(RECORDS, Clients.poll(consumer, RECORDS).size());
      return metric(consumer.metrics(), "fetch-throttle-time-max");
    }
  }

  @Test
  void producersAndConsumersOverTheirQuotasWaitAndOthersDoNot() throws Exception {
    limit("slow", "producer_byte_rate", 20_000.0);
    limit("slow", "consumer_byte_rate", 20_000.0);
    for (String id : List.of(FREE, "slow")) {
      clients.createTopic(new NewTopic(id, 1, (short) 1));
      double produced = produce(id, id, RECORDS);
      double consumed = consume(id, id);
      assertEquals(id.equals("slow"), produced > 0, id + " producer: " + produced);
      assertEquals(id.equals("slow"), consumed > 0, id + " consumer: " + consumed);
    }
  }

  @Test
  void whoTakesTooMuchTimeWaits() throws Exception {
    limit("busy", "request_percentage", 0.0001);
    clients.createTopic(new NewTopic("time", 1, (short) 1));
    assertTrue(produce("time", "busy", 2) > 0);
    // What is passed on is counted by the controller.
    CreateTopicsRequestData none = new CreateTopicsRequestData().setTimeoutMs(10_000);
    CreateTopicsRequest request = new CreateTopicsRequest.Builder(none).build();
    assertTrue(ask(request, "busy").throttleTimeMs() > 0);
    assertEquals(0, ask(request, FREE).throttleTimeMs());
  }

  private static AbstractResponse ask(AbstractRequest request, String clientId) throws IOException {
    RequestHeader header = new RequestHeader(request.apiKey(), request.version(), clientId, 1);
    ByteBuffer bytes = request.serializeWithHeader(header);
    try (Socket socket = new Socket(cluster.host(1), cluster.clientPort(1))) {
      DataOutputStream out = new DataOutputStream(socket.getOutputStream());
      out.writeInt(bytes.remaining());
      out.write(bytes.array(), bytes.arrayOffset() + bytes.position(), bytes.remaining());
      DataInputStream in = new DataInputStream(socket.getInputStream());
      byte[] answer = in.readNBytes(in.readInt());
      return AbstractResponse.parseResponse(ByteBuffer.wrap(answer), header);
    }
  }

  @Test
  void whoChangesTooMuchIsRefusedUntilLater() throws Exception {
    limit("changing", "controller_mutation_rate", 2.0);
    CreateTopicsOptions once = new CreateTopicsOptions().retryOnQuotaViolation(false);
    try (Admin admin =
            Admin.create(
                Map.of("bootstrap.servers", cluster.bootstrap(), "client.id", "changing"));
        Admin other = clients.admin()) {
      admin.createTopics(List.of(new NewTopic("many", 6, (short) 1)), once).all().get();
      Throwable refused =
          assertThrows(
                  ExecutionException.class,
                  () ->
                      admin
                          .createTopics(List.of(new NewTopic("more", 1, (short) 1)), once)
                          .all()
                          .get())
              .getCause();
      ThrottlingQuotaExceededException e =
          assertInstanceOf(ThrottlingQuotaExceededException.class, refused);
      assertTrue(e.throttleTimeMs() > 0);
      other.createTopics(List.of(new NewTopic("others", 6, (short) 1)), once).all().get();
      // By itself the client waits as long as it is told, and asks again.
      admin.createTopics(List.of(new NewTopic("more", 1, (short) 1))).all().get();
    }
  }

  @Test
  void anAddressHasSoManyConnections() throws Exception {
    ConfigResource broker = new ConfigResource(ConfigResource.Type.BROKER, "1");
    ConfigEntry limit = new ConfigEntry("max.connections.per.ip", "8");
    List<Socket> sockets = new ArrayList<>();
    try (Admin admin = clients.admin()) {
      admin
          .incrementalAlterConfigs(
              Map.of(broker, List.of(new AlterConfigOp(limit, AlterConfigOp.OpType.SET))))
          .all()
          .get();
      try {
        Await.until(
            "a connection is closed",
            () -> {
              Socket socket = new Socket(cluster.host(1), cluster.clientPort(1));
              sockets.add(socket);
              return isClosed(socket);
            });
        assertTrue(sockets.size() <= 9 + 1, "refused only after " + sockets.size());
      } finally {
        for (Socket socket : sockets) {
          socket.close();
        }
        Await.until(
            "the limit is gone",
            () -> {
              try {
                admin
                    .incrementalAlterConfigs(
                        Map.of(
                            broker, List.of(new AlterConfigOp(limit, AlterConfigOp.OpType.DELETE))))
                    .all()
                    .get();
                return true;
              } catch (ExecutionException e) {
                return false;
              }
            });
      }
    }
  }

  /** Whether the other side closes it within a moment. */
  private static boolean isClosed(Socket socket) throws IOException {
    socket.setSoTimeout(300);
    try {
      return socket.getInputStream().read() < 0;
    } catch (java.net.SocketTimeoutException e) {
      return false;
    } catch (IOException e) {
      return true;
    }
  }
}
