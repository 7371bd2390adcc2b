"""kafka-python, Debian's python3-kafka."""

import sys
import time

from kafka import KafkaAdminClient, KafkaConsumer, KafkaProducer, TopicPartition
from kafka.admin import ConfigResource, ConfigResourceType, NewPartitions, NewTopic
from kafka.structs import OffsetAndMetadata

from protocol import NotOffered, Record, serve

servers = sys.argv[1].split(",")
admin_client = None


def admin():
    global admin_client
    if admin_client is None:
        admin_client = KafkaAdminClient(bootstrap_servers=servers)
    return admin_client


def connect():
    return sorted(str(broker["node_id"]) for broker in admin().describe_cluster()["brokers"])


def create_topic(topic, partitions):
    configs = {"retention.ms": "123456789"}
    admin().create_topics([NewTopic(topic, int(partitions), 3, topic_configs=configs)])


def list_topics():
    return admin().list_topics()


def describe_topic(topic):
    found = admin().describe_topics([topic])[0]
    return sorted(
        "%d %s" % (info["partition"], ",".join(str(id) for id in sorted(info["replicas"])))
        for info in found["partitions"]
    )


def describe_configs(topic):
    responses = admin().describe_configs([ConfigResource(ConfigResourceType.TOPIC, topic)])
    lines = []
    for response in responses:
        for resource in response.resources:
            for entry in resource[4]:
                lines.append("%s=%s" % (entry[0], entry[1]))
    return lines


def alter_config(topic, key, value):
    admin().alter_configs([ConfigResource(ConfigResourceType.TOPIC, topic, {key: value})])


def add_partitions(topic, count):
    admin().create_partitions({topic: NewPartitions(int(count))})


def list_groups():
    return [group[0] for group in admin().list_consumer_groups()]


def describe_group(group):
    found = admin().describe_consumer_groups([group])[0]
    return [found.state] + [member.client_id for member in found.members]


def committed(group, topic, partitions):
    offsets = admin().list_consumer_group_offsets(group)
    return sorted("%d %d" % (tp.partition, value.offset) for tp, value in offsets.items())


def delete_group(group):
    for _, error in admin().delete_consumer_groups([group]):
        if error.errno:
            raise error


def delete_topic(topic):
    admin().delete_topics([topic])


def produce(topic, codec, idempotent, file):
    if idempotent == "idempotent":
        raise NotOffered()
    producer = KafkaProducer(
        bootstrap_servers=servers,
        compression_type=None if codec == "none" else codec,
        acks="all",
        linger_ms=50,
    )
    sent = [
        producer.send(
            topic,
            partition=0,
            key=record.key,
            value=record.value,
            headers=record.headers,
            timestamp_ms=record.timestamp,
        )
        for record in Record.read(file)
    ]
    for future in sent:
        future.get(20)
    producer.close()


def consumer(**config):
    return KafkaConsumer(
        bootstrap_servers=servers,
        auto_offset_reset="earliest",
        enable_auto_commit=False,
        **config
    )


def take(reader, count):
    records = []
    deadline = time.monotonic() + 20
    while len(records) < count and time.monotonic() < deadline:
        for some in reader.poll(timeout_ms=200).values():
            records.extend(some)
    return records[:count]


def consume(topic, count):
    reader = consumer()
    reader.assign([TopicPartition(topic, 0)])
    reader.seek_to_beginning()
    records = take(reader, int(count))
    reader.close()
    return [Record(r.key, r.value, r.headers, r.timestamp) for r in records]


def consume_group(group, topic, count, protocol):
    if protocol != "classic":
        raise NotOffered()
    reader = consumer(group_id=group)
    reader.subscribe([topic])
    records = take(reader, int(count))
    reader.commit(
        {TopicPartition(topic, r.partition): OffsetAndMetadata(r.offset + 1, "") for r in records}
    )
    reader.close()
    return [r.value.decode() for r in records]


def offsets(topic):
    reader = consumer()
    partition = TopicPartition(topic, 0)
    first, last = reader.beginning_offsets([partition]), reader.end_offsets([partition])
    reader.close()
    return ["%d %d" % (first[partition], last[partition])]


def offset_by_time(topic, timestamp):
    reader = consumer()
    partition = TopicPartition(topic, 0)
    found = reader.offsets_for_times({partition: int(timestamp)})[partition]
    reader.close()
    return [found.offset]


serve(globals())
