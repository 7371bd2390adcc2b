"""confluent-kafka, Debian's python3-confluent-kafka, on Debian's librdkafka."""

import sys
import time

from confluent_kafka import Consumer, KafkaException, Producer, TopicPartition
from confluent_kafka.admin import AdminClient, ConfigResource, NewPartitions, NewTopic

from protocol import NotOffered, Record, serve

config = {"bootstrap.servers": sys.argv[1]}
admin = AdminClient(config)
LIMIT = 20


def done(futures):
    """Waits for what the admin client was asked, and gives an error the name that Kafka has."""
    try:
        return [future.result(LIMIT) for future in futures.values()]
    except KafkaException as e:
        e.matrix_name = e.args[0].name()
        raise


def connect():
    return sorted(str(broker) for broker in admin.list_topics(timeout=LIMIT).brokers)


def create_topic(topic, partitions):
    configs = {"retention.ms": "123456789"}
    done(admin.create_topics([NewTopic(topic, int(partitions), 3, config=configs)]))


def list_topics():
    return list(admin.list_topics(timeout=LIMIT).topics)


def describe_topic(topic):
    found = admin.list_topics(topic, timeout=LIMIT).topics[topic]
    return [
        "%d %s" % (id, ",".join(str(replica) for replica in sorted(info.replicas)))
        for id, info in sorted(found.partitions.items())
    ]


def describe_configs(topic):
    (found,) = done(admin.describe_configs([ConfigResource("topic", topic)]))
    return ["%s=%s" % (name, entry.value) for name, entry in found.items()]


def alter_config(topic, key, value):
    resource = ConfigResource("topic", topic)
    resource.set_config(key, value)
    done(admin.alter_configs([resource]))


def add_partitions(topic, count):
    done(admin.create_partitions([NewPartitions(topic, int(count))]))


def list_groups():
    return [group.id for group in admin.list_groups(timeout=LIMIT)]


def describe_group(group):
    (found,) = admin.list_groups(group, timeout=LIMIT)
    return [found.state] + [member.client_id for member in found.members]


def committed(group, topic, partitions):
    reader = consumer(group)
    wanted = [TopicPartition(topic, partition) for partition in range(int(partitions))]
    found = reader.committed(wanted, timeout=LIMIT)
    reader.close()
    return ["%d %d" % (offset.partition, offset.offset) for offset in found]


def delete_topic(topic):
    done(admin.delete_topics([topic]))


def produce(topic, codec, idempotent, file):
    producer = Producer(
        {
            **config,
            "compression.type": codec,
            "linger.ms": 50,
            **(
                {"enable.idempotence": True, "batch.size": 500}
                if idempotent == "idempotent"
                else {}
            ),
        }
    )
    errors = []
    for record in Record.read(file):
        producer.produce(
            topic,
            partition=0,
            key=record.key,
            value=record.value,
            headers=record.headers,
            timestamp=record.timestamp,
            on_delivery=lambda error, message: errors.append(error) if error else None,
        )
    left = producer.flush(LIMIT)
    if errors or left:
        raise Exception("%d not delivered: %s" % (left, errors[:1]))


def consumer(group, **more):
    return Consumer(
        {
            **config,
            "group.id": group,
            "auto.offset.reset": "earliest",
            "enable.auto.commit": False,
            **more,
        }
    )


def take(reader, count):
    records = []
    deadline = time.monotonic() + LIMIT
    while len(records) < count and time.monotonic() < deadline:
        for message in reader.consume(count - len(records), timeout=0.2):
            if message.error():
                raise KafkaException(message.error())
            records.append(message)
    return records


def consume(topic, count):
    reader = consumer("nobody")
    reader.assign([TopicPartition(topic, 0, 0)])
    records = take(reader, int(count))
    reader.close()
    return [Record(r.key(), r.value(), r.headers() or [], r.timestamp()[1]) for r in records]


def consume_group(group, topic, count, protocol):
    try:
        reader = consumer(group, **({} if protocol == "classic" else {"group.protocol": protocol}))
    except KafkaException as e:
        if e.args[0].name() == "_INVALID_ARG":
            raise NotOffered()
        raise
    reader.subscribe([topic])
    records = take(reader, int(count))
    next_offsets = {r.partition(): r.offset() + 1 for r in records}
    offsets = [TopicPartition(topic, partition, at) for partition, at in next_offsets.items()]
    for committed_offset in reader.commit(offsets=offsets, asynchronous=False):
        if committed_offset.error:
            raise KafkaException(committed_offset.error)
    reader.close()
    return [r.value().decode() for r in records]


def offsets(topic):
    reader = consumer("nobody")
    found = reader.get_watermark_offsets(TopicPartition(topic, 0), timeout=LIMIT)
    reader.close()
    return ["%d %d" % found]


def offset_by_time(topic, timestamp):
    reader = consumer("nobody")
    (found,) = reader.offsets_for_times([TopicPartition(topic, 0, int(timestamp))], timeout=LIMIT)
    reader.close()
    return [found.offset]


serve(globals())
