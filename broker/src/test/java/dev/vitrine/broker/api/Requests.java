package dev.vitrine.broker.api;

import java.util.List;
import java.util.Map;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.ListOffsetsRequestData;
import org.apache.kafka.common.message.ListOffsetsResponseData;
import org.apache.kafka.common.message.ListOffsetsResponseData.ListOffsetsPartitionResponse;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.apache.kafka.common.record.internal.SimpleRecord;

/** Kafka's messages, filled in. */
final class Requests {
  private Requests() {}

  static ProduceRequestData produce(Map<String, MemoryRecords> records, int partition, int acks) {
    ProduceRequestData request =
        new ProduceRequestData().setAcks((short) acks).setTimeoutMs(30_000);
    records.forEach(
        (topic, batch) ->
            request
                .topicData()
                .add(
                    new ProduceRequestData.TopicProduceData()
                        .setName(topic)
                        .setPartitionData(
                            List.of(
                                new ProduceRequestData.PartitionProduceData()
                                    .setIndex(partition)
                                    .setRecords(batch)))));
    return request;
  }

  /** A batch with a record for each value, a millisecond apart. */
  static MemoryRecords batch(long firstTimestamp, String... values) {
    SimpleRecord[] records = new SimpleRecord[values.length];
    for (int i = 0; i < values.length; i++) {
      records[i] = new SimpleRecord(firstTimestamp + i, "k".getBytes(), values[i].getBytes());
    }
    return MemoryRecords.withRecords(Compression.NONE, records);
  }

  static MemoryRecords idempotent(long producerId, int epoch, int sequence, String... values) {
    SimpleRecord[] records = new SimpleRecord[values.length];
    for (int i = 0; i < values.length; i++) {
      records[i] = new SimpleRecord(1_700_000_000_000L, null, values[i].getBytes());
    }
    return MemoryRecords.withRecords(
        RecordBatch.CURRENT_MAGIC_VALUE,
        0,
        Compression.NONE,
        TimestampType.CREATE_TIME,
        producerId,
        (short) epoch,
        sequence,
        0,
        false,
        records);
  }

  /** A full fetch without a session, that does not wait. */
  static FetchRequestData fetch() {
    return new FetchRequestData()
        .setMaxWaitMs(0)
        .setMinBytes(1)
        .setMaxBytes(10_000_000)
        .setSessionEpoch(-1);
  }

  static FetchRequestData.FetchPartition partition(int index, long offset) {
    return new FetchRequestData.FetchPartition()
        .setPartition(index)
        .setFetchOffset(offset)
        .setPartitionMaxBytes(1_000_000);
  }

  static FetchRequestData.FetchTopic topic(Uuid id, FetchRequestData.FetchPartition... partitions) {
    return new FetchRequestData.FetchTopic().setTopicId(id).setPartitions(List.of(partitions));
  }

  static ListOffsetsPartitionResponse listOffsets(
      Wire wire, String topic, int partition, long timestamp) {
    return listOffsets(
        wire,
        new ListOffsetsRequestData().setReplicaId(-1),
        11,
        topic,
        new ListOffsetsRequestData.ListOffsetsPartition()
            .setPartitionIndex(partition)
            .setTimestamp(timestamp));
  }

  static ListOffsetsPartitionResponse listOffsets(
      Wire wire,
      ListOffsetsRequestData request,
      int version,
      String topic,
      ListOffsetsRequestData.ListOffsetsPartition... partitions) {
    request.setTopics(
        List.of(
            new ListOffsetsRequestData.ListOffsetsTopic()
                .setName(topic)
                .setPartitions(List.of(partitions))));
    return wire.ask(request, version, ListOffsetsResponseData.class)
        .topics()
        .get(0)
        .partitions()
        .get(0);
  }
}
