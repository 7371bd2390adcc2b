// @platformatic/kafka.
import {
  Admin,
  ConfigResourceTypes,
  Consumer,
  IncrementalAlterConfigOperationTypes,
  MessagesStreamFallbackModes,
  MessagesStreamModes,
  Producer,
  stringDeserializers,
  stringSerializers
} from '@platformatic/kafka'
import { line, readRecords, serve, within } from './protocol.mjs'

const config = { clientId: 'platformatic', bootstrapBrokers: process.argv[2].split(',') }
const admin = new Admin(config)

function consumer(groupId, more = {}) {
  return new Consumer({ ...config, groupId, deserializers: stringDeserializers, ...more })
}

async function take(stream, count) {
  const records = []
  if (count > 0) {
    for await (const record of stream) {
      records.push(record)
      if (records.length === count) {
        break
      }
    }
  }
  return records
}

/** The error that a broker has given, wherever the client has wrapped it. */
function errorName(error) {
  const causes = [error, ...(error.errors ?? []), error.cause].filter(cause => cause)
  for (const cause of causes) {
    if (cause.apiId) {
      return cause.apiId
    }
  }
  for (const cause of causes.slice(1)) {
    const name = errorName(cause)
    if (name !== 'Error') {
      return name
    }
  }
  return error.code ?? error.name
}

async function firstOffset(topic, timestamp) {
  const [found] = await admin.listOffsets({
    topics: [{ name: topic, partitions: [{ partitionIndex: 0, timestamp }] }]
  })
  return found.partitions[0].offset
}

await serve(
  {
    connect: async () => {
      const { brokers } = await admin.metadata({ topics: [] })
      return [...brokers.keys()].map(id => `${id}`).sort()
    },
    'create-topic': async (topic, partitions) => {
      await admin.createTopics({
        topics: [topic],
        partitions: Number(partitions),
        replicas: 3,
        configs: [{ name: 'retention.ms', value: '123456789' }]
      })
    },
    'list-topics': () => admin.listTopics(),
    'describe-topic': async topic => {
      const { topics } = await admin.metadata({ topics: [topic], forceUpdate: true })
      return topics
        .get(topic)
        .partitions.map(({ replicas }, id) => `${id} ${replicas.sort().join(',')}`)
    },
    'describe-configs': async topic => {
      const [found] = await admin.describeConfigs({
        resources: [{ resourceType: ConfigResourceTypes.TOPIC, resourceName: topic }]
      })
      return found.configs.map(({ name, value }) => `${name}=${value}`)
    },
    'alter-config': async (topic, name, value) => {
      await admin.incrementalAlterConfigs({
        resources: [
          {
            resourceType: ConfigResourceTypes.TOPIC,
            resourceName: topic,
            configs: [{ name, value, configOperation: IncrementalAlterConfigOperationTypes.SET }]
          }
        ]
      })
    },
    'add-partitions': async (topic, count) => {
      await admin.createPartitions({ topics: [{ name: topic, count: Number(count) }] })
    },
    'list-groups': async () => [...(await admin.listGroups()).keys()],
    'describe-group': async group => {
      const found = (await admin.describeGroups({ groups: [group] })).get(group)
      return [found.state, ...[...found.members.values()].map(member => member.clientId)]
    },
    committed: async group => {
      const [found] = await admin.listConsumerGroupOffsets({ groups: [group] })
      return found.topics[0].partitions
        .map(({ partitionIndex, committedOffset }) => `${partitionIndex} ${committedOffset}`)
        .sort()
    },
    'delete-records': async (topic, offset) => {
      await admin.deleteRecords({
        topics: [{ name: topic, partitions: [{ partition: 0, offset: BigInt(offset) }] }]
      })
    },
    'delete-group': async group => {
      await admin.deleteGroups({ groups: [group] })
    },
    'delete-topic': async topic => {
      await admin.deleteTopics({ topics: [topic] })
    },
    produce: async (topic, compression, idempotent, file) => {
      const producer = new Producer({
        ...config,
        serializers: stringSerializers,
        compression,
        acks: -1,
        idempotent: idempotent === 'idempotent'
      })
      try {
        const records = readRecords(file)
        const size = idempotent === 'idempotent' ? 10 : records.length
        for (let i = 0; i < records.length; i += size) {
          await producer.send({
            messages: records.slice(i, i + size).map(record => ({
              topic,
              partition: 0,
              key: record.key,
              value: record.value,
              headers: new Map(record.headers),
              timestamp: BigInt(record.timestamp)
            }))
          })
        }
      } finally {
        await producer.close(true)
      }
    },
    consume: async (topic, count) => {
      const reader = consumer(`platformatic-reads-${topic}`)
      try {
        const stream = await reader.consume({
          topics: [topic],
          mode: MessagesStreamModes.MANUAL,
          offsets: [{ topic, partition: 0, offset: 0n }],
          maxWaitTime: 200
        })
        const records = await within(take(stream, Number(count)), `reading ${count} records`)
        return records.map(record =>
          line(record.key, record.value, record.headerEntries, record.timestamp)
        )
      } finally {
        await reader.close(true)
      }
    },
    'consume-group': async (group, topic, count, groupProtocol) => {
      const reader = consumer(group, { groupProtocol })
      try {
        const stream = await reader.consume({
          topics: [topic],
          mode: MessagesStreamModes.COMMITTED,
          fallbackMode: MessagesStreamFallbackModes.EARLIEST,
          autocommit: false,
          maxWaitTime: 200
        })
        const records = await within(take(stream, Number(count)), `reading ${count} records`)
        const next = new Map(records.map(record => [record.partition, record]))
        await reader.commit({
          offsets: [...next.values()].map(({ partition, offset, leaderEpoch }) => ({
            topic,
            partition,
            offset: offset + 1n,
            leaderEpoch
          }))
        })
        return records.map(record => record.value)
      } finally {
        await reader.close(true)
      }
    },
    offsets: async topic => [`${await firstOffset(topic, -2n)} ${await firstOffset(topic, -1n)}`],
    'offset-by-time': async (topic, timestamp) => [`${await firstOffset(topic, BigInt(timestamp))}`]
  },
  errorName
)
