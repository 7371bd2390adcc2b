package dev.vitrine.protocol;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.vitrine.protocol.message.ApiVersionsResponse;
import dev.vitrine.protocol.message.FetchRequest;
import dev.vitrine.protocol.message.FetchResponse;
import dev.vitrine.protocol.message.ListOffsetsResponse;
import dev.vitrine.protocol.message.ProduceResponse;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Which error codes a response names: those that Kafka counts. */
class ErrorCodesTest {
  private static List<Integer> errors(ApiMessage message) {
    List<Integer> codes = new ArrayList<>();
    message.forEachError(code -> codes.add((int) code));
    return codes;
  }

  @Test
  void atTheTopAndInEachPartition() {
    FetchResponse fetch = new FetchResponse().errorCode((short) 7);
    FetchResponse.FetchableTopicResponse topic = new FetchResponse.FetchableTopicResponse();
    topic.partitions().add(new FetchResponse.PartitionData());
    topic.partitions().add(new FetchResponse.PartitionData().errorCode((short) 6));
    fetch.responses().add(topic);
    assertEquals(List.of(7, 0, 6), errors(fetch));
  }

  @Test
  void onlyInPartitions() {
    ProduceResponse produce = new ProduceResponse();
    ProduceResponse.TopicProduceResponse topic = new ProduceResponse.TopicProduceResponse();
    topic
        .partitionResponses()
        .add(new ProduceResponse.PartitionProduceResponse().errorCode((short) 87));
    produce.responses().add(topic);
    assertEquals(List.of(87), errors(produce));
    assertEquals(List.of(), errors(new ListOffsetsResponse()));
  }

  @Test
  void onlyAtTheTop() {
    assertEquals(List.of(35), errors(new ApiVersionsResponse().errorCode((short) 35)));
  }

  @Test
  void requestsHaveNone() {
    assertEquals(List.of(), errors(new FetchRequest()));
  }
}
