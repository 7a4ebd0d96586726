import { setTimeout as sleep } from 'node:timers/promises'
import { type Topic, topics } from '@reticle/contracts/events/define'
import type { Admin } from 'kafkajs'
import { type KafkaOptions, openClient } from './client.ts'

/** Days that a topic keeps its events. A notification of a request is useless after a day. */
const retentionDays: Record<Topic, number> = { 'reticle.events.v1': 7, 'reticle.requests.v1': 1 }
const dayMs = 86_400_000

/**
 * Creates missing topics with the partitions of the contracts and three replicas, or as many as there are brokers; two
 * of them must store an event before it is acknowledged. May run at every start, concurrently. An existing topic is
 * left as it is; a warning is logged if its number of partitions differs.
 * @throws Error if no broker can be reached or the account may not create topics
 */
export async function createTopics(options: KafkaOptions): Promise<void> {
  const admin = openClient(options).admin()
  await admin.connect()
  try {
    const present = new Set(await admin.listTopics())
    const wanted = Object.entries(topics) as [Topic, number][]
    const named = wanted.map(([topic, partitions]) => ({
      topic,
      name: `${options.prefix ?? ''}${topic}`,
      partitions,
    }))
    const missing = named.filter(({ name }) => !present.has(name))
    if (missing.length > 0) await create(admin, missing)
    await comparePartitions(admin, named, options)
  } finally {
    await admin.disconnect()
  }
}

async function create(admin: Admin, missing: { topic: Topic; name: string; partitions: number }[]) {
  const { brokers } = await admin.describeCluster()
  const copies = Math.min(3, brokers.length)
  await admin.createTopics({
    waitForLeaders: false,
    topics: missing.map(({ topic, name, partitions }) => ({
      topic: name,
      numPartitions: partitions,
      replicationFactor: copies,
      configEntries: [
        { name: 'retention.ms', value: String(retentionDays[topic] * dayMs) },
        { name: 'min.insync.replicas', value: copies === 3 ? '2' : '1' },
      ],
    })),
  })
}

async function comparePartitions(
  admin: Admin,
  named: { name: string; partitions: number }[],
  { log }: Pick<KafkaOptions, 'log'>,
) {
  const counts = await knownPartitions(
    admin,
    named.map(({ name }) => name),
  )
  for (const { name, partitions } of named) {
    const has = counts.get(name)
    if (has !== partitions) {
      log.warn({ topic: name, partitions: has, expected: partitions }, 'a topic was made by hand')
    }
  }
}

const settleMs = 30_000

/** Waits for the partitions: a new topic is unknown to a broker or has no leaders until the metadata has spread. */
async function knownPartitions(admin: Admin, names: string[]): Promise<Map<string, number>> {
  for (const limit = Date.now() + settleMs; ; await sleep(200)) {
    try {
      const { topics: found } = await admin.fetchTopicMetadata({ topics: names })
      const all = found.flatMap(({ partitions }) => partitions)
      if (found.length === names.length && all.every(({ leader }) => leader >= 0)) {
        return new Map(found.map(({ name, partitions }) => [name, partitions.length]))
      }
    } catch (error) {
      if (Date.now() > limit) throw error
    }
    if (Date.now() > limit) throw new Error(`topics without leaders: ${names.join(', ')}`)
  }
}
