import { createRequire } from 'node:module'
import { setTimeout as sleep } from 'node:timers/promises'

const fromKit = createRequire(new URL('../../packages/kit/package.json', import.meta.url))
const isOurs = (name) => name.startsWith('reticle.')

/**
 * Removes our topics and groups from Kafka: what they hold are facts of an older database, which mean nothing, or something
 * else, in a new one. Nobody may be reading.
 */
export async function forgetEvents(brokers) {
  const { Kafka, logLevel } = fromKit('kafkajs')
  const admin = new Kafka({ brokers: brokers.split(','), logLevel: logLevel.NOTHING }).admin()
  await admin.connect()
  try {
    const { groups } = await admin.listGroups()
    const groupIds = groups.map(({ groupId }) => groupId).filter(isOurs)
    if (groupIds.length > 0) await admin.deleteGroups(groupIds)
    const topics = (await admin.listTopics()).filter(isOurs)
    if (topics.length > 0) await admin.deleteTopics({ topics })
    while ((await admin.listTopics()).some(isOurs)) await sleep(50)
  } finally {
    await admin.disconnect()
  }
}
