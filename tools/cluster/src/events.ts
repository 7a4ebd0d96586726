import { setTimeout as sleep } from 'node:timers/promises'
import { type Admin, Kafka, logLevel } from 'kafkajs'
import { z } from 'zod'

const isOurs = (name: string) => name.startsWith('reticle.')

/**
 * Deletes the topics and consumer groups from Kafka, because the events of an older database are invalid in a new one.
 * No consumer may be running; for Kafka a killed consumer runs until its session expires.
 */
export async function forgetEvents(brokers: string): Promise<void> {
  const admin = new Kafka({ brokers: brokers.split(','), logLevel: logLevel.NOTHING }).admin()
  await admin.connect()
  try {
    const { groups } = await admin.listGroups()
    const groupIds = groups.map(({ groupId }) => groupId).filter(isOurs)
    if (groupIds.length > 0) await deleteGroups(admin, groupIds)
    const topics = (await admin.listTopics()).filter(isOurs)
    if (topics.length > 0) await admin.deleteTopics({ topics })
    while ((await admin.listTopics()).some(isOurs)) await sleep(50)
  } finally {
    await admin.disconnect()
  }
}

/** Longer than any session. */
const patienceMs = 90_000
/** Error code of Kafka for a group that has members. */
const nonEmptyGroup = 68
/** The error of kafkajs for groups that Kafka has not deleted. */
const refusal = z.object({
  groups: z.array(z.object({ groupId: z.string(), errorCode: z.number() })),
})

async function deleteGroups(admin: Admin, groupIds: string[]): Promise<void> {
  const until = Date.now() + patienceMs
  for (let left = groupIds; left.length > 0; ) {
    try {
      await admin.deleteGroups(left)
      return
    } catch (thrown) {
      const groups = refusal.safeParse(thrown).data?.groups ?? []
      const isWaiting =
        groups.length > 0 && groups.every(({ errorCode }) => errorCode === nonEmptyGroup)
      if (!isWaiting || Date.now() > until) throw thrown
      left = groups.map(({ groupId }) => groupId)
    }
    await sleep(500)
  }
}
