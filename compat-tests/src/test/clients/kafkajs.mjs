// kafkajs. What it leaves to plug-ins, all codecs but gzip, is plugged in as its documentation says.
import zlib from 'node:zlib'
import kafkajs from 'kafkajs'
import snappy from 'kafkajs-snappy'
import { lz4Compress, lz4Decompress } from '@platformatic/wasm-utils'
import { NotOffered, line, readRecords, serve, within } from './protocol.mjs'

const { CompressionCodecs, CompressionTypes, ConfigResourceTypes, Kafka, logLevel } = kafkajs
CompressionCodecs[CompressionTypes.Snappy] = snappy
CompressionCodecs[CompressionTypes.LZ4] = () => ({
  compress: async encoder => lz4Compress(encoder.buffer),
  decompress: async buffer => lz4Decompress(buffer)
})
CompressionCodecs[CompressionTypes.ZSTD] = () => ({
  compress: async encoder => zlib.zstdCompressSync(encoder.buffer),
  decompress: async buffer => zlib.zstdDecompressSync(buffer)
})
const codecs = {
  none: CompressionTypes.None,
  gzip: CompressionTypes.GZIP,
  snappy: CompressionTypes.Snappy,
  lz4: CompressionTypes.LZ4,
  zstd: CompressionTypes.ZSTD
}

const kafka = new Kafka({
  clientId: 'kafkajs',
  brokers: process.argv[2].split(','),
  logLevel: logLevel.WARN,
  logCreator: () => entry => console.error(JSON.stringify(entry))
})
const admin = kafka.admin()

/** Runs the group until so many records have come, commits just them, and leaves. */
async function read(groupId, topic, count, accept) {
  const consumer = kafka.consumer({ groupId, maxWaitTimeInMs: 200 })
  const taken = []
  try {
    await consumer.connect()
    await consumer.subscribe({ topics: [topic], fromBeginning: true })
    await within(
      new Promise((resolve, reject) => {
        consumer.on(consumer.events.CRASH, event => reject(event.payload.error))
        consumer
          .run({
            autoCommit: false,
            eachMessage: async ({ partition, message }) => {
              if (taken.length < count && accept(partition)) {
                taken.push({ partition, ...message })
              }
              if (taken.length === count) {
                resolve()
              }
            }
          })
          .catch(reject)
      }),
      `reading ${count} records`
    )
    const next = new Map(taken.map(record => [record.partition, BigInt(record.offset) + 1n]))
    await consumer.commitOffsets(
      [...next].map(([partition, offset]) => ({ topic, partition, offset: offset.toString() }))
    )
  } finally {
    await consumer.disconnect()
  }
  return taken
}

const headers = record => Object.entries(record.headers).map(([name, text]) => [name, `${text}`])

await serve(
  {
    connect: async () => {
      await admin.connect()
      const { brokers } = await admin.describeCluster()
      return brokers.map(broker => `${broker.nodeId}`).sort()
    },
    'create-topic': async (topic, partitions) => {
      const created = await admin.createTopics({
        topics: [
          {
            topic,
            numPartitions: Number(partitions),
            replicationFactor: 3,
            configEntries: [{ name: 'retention.ms', value: '123456789' }]
          }
        ]
      })
      if (!created) {
        // All that it says of TOPIC_ALREADY_EXISTS.
        throw Object.assign(new Error('createTopics answers false'), { type: 'exists' })
      }
    },
    'list-topics': () => admin.listTopics(),
    'describe-topic': async topic => {
      const { topics } = await admin.fetchTopicMetadata({ topics: [topic] })
      return topics[0].partitions
        .map(({ partitionId, replicas }) => `${partitionId} ${replicas.sort().join(',')}`)
        .sort()
    },
    'describe-configs': async name => {
      const { resources } = await admin.describeConfigs({
        includeSynonyms: false,
        resources: [{ type: ConfigResourceTypes.TOPIC, name }]
      })
      return resources[0].configEntries.map(entry => `${entry.configName}=${entry.configValue}`)
    },
    'alter-config': async (topic, name, value) => {
      await admin.alterConfigs({
        validateOnly: false,
        resources: [
          { type: ConfigResourceTypes.TOPIC, name: topic, configEntries: [{ name, value }] }
        ]
      })
    },
    'add-partitions': async (topic, count) => {
      await admin.createPartitions({ topicPartitions: [{ topic, count: Number(count) }] })
    },
    'list-groups': async () => (await admin.listGroups()).groups.map(group => group.groupId),
    'describe-group': async group => {
      const { groups } = await admin.describeGroups([group])
      return [groups[0].state, ...groups[0].members.map(member => member.clientId)]
    },
    committed: async (groupId, topic) => {
      const [found] = await admin.fetchOffsets({ groupId, topics: [topic] })
      return found.partitions.map(({ partition, offset }) => `${partition} ${offset}`).sort()
    },
    'delete-records': async (topic, offset) => {
      // It only finds leaders of topics that it has been asked about before.
      await admin.fetchTopicOffsets(topic)
      await admin.deleteTopicRecords({ topic, partitions: [{ partition: 0, offset }] })
    },
    'delete-group': async group => {
      await admin.deleteGroups([group])
    },
    'delete-topic': async topic => {
      await admin.deleteTopics({ topics: [topic] })
    },
    produce: async (topic, codec, idempotent, file) => {
      const producer = kafka.producer({ idempotent: idempotent === 'idempotent' })
      await producer.connect()
      try {
        const records = readRecords(file)
        const size = idempotent === 'idempotent' ? 10 : records.length
        for (let i = 0; i < records.length; i += size) {
          const messages = records.slice(i, i + size)
          await producer.send({
            topic,
            compression: codecs[codec],
            messages: messages.map(record => ({
              ...record,
              partition: 0,
              headers: Object.fromEntries(record.headers)
            }))
          })
        }
      } finally {
        await producer.disconnect()
      }
    },
    consume: async (topic, count) => {
      const records = await read(`kafkajs-reads-${topic}`, topic, Number(count), partition => partition === 0)
      return records.map(record =>
        line(record.key, record.value, headers(record), record.timestamp)
      )
    },
    'consume-group': async (group, topic, count, protocol) => {
      if (protocol !== 'classic') {
        throw new NotOffered()
      }
      return (await read(group, topic, Number(count), () => true)).map(record => `${record.value}`)
    },
    offsets: async topic => {
      const found = await admin.fetchTopicOffsets(topic)
      const { low, high } = found.find(({ partition }) => partition === 0)
      return [`${low} ${high}`]
    },
    'offset-by-time': async (topic, timestamp) => {
      const found = await admin.fetchTopicOffsetsByTimestamp(topic, Number(timestamp))
      return [found.find(({ partition }) => partition === 0).offset]
    }
  },
  error => error.type ?? error.name
)
