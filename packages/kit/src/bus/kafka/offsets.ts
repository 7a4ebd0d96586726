import type { Admin, Kafka } from 'kafkajs'
import { sql } from 'kysely'
import type { Group } from '../bus.ts'
import { offsetOf } from './message.ts'

/**
 * Moves a group without members to `offset` in every partition, or to the nearest offset that is kept, and clears its
 * inbox. Takes about 5 s.
 * @throws Error if members of other processes still read the group
 */
export async function replayGroup<T>(
  kafka: Kafka,
  { group, topic, db }: Group<T>,
  { offset, prefix }: { offset: number; prefix: string },
): Promise<void> {
  const admin = kafka.admin()
  await admin.connect()
  try {
    await assertNobodyReads(admin, prefix + group)
    const kept = await admin.fetchTopicOffsets(prefix + topic)
    const partitions = kept.map(({ partition, low, high }) => ({
      partition,
      offset: String(Math.max(offsetOf(low), Math.min(offsetOf(high), offset))),
    }))
    await admin.setOffsets({ groupId: prefix + group, topic: prefix + topic, partitions })
    await sql`delete from inbox where consumer = ${group}`.execute(db)
  } finally {
    await admin.disconnect()
  }
}

/**
 * Returns the number of messages that a group has not handled, in all partitions. For a group that never read it is the
 * number of all kept messages.
 * @throws Error if the cluster does not respond
 */
export async function lagOf<T>(
  kafka: Kafka,
  { group, topic }: Pick<Group<T>, 'group' | 'topic'>,
  prefix: string,
): Promise<number> {
  const admin = kafka.admin()
  await admin.connect()
  try {
    const kept = await admin.fetchTopicOffsets(prefix + topic)
    const [taken] = await admin.fetchOffsets({ groupId: prefix + group, topics: [prefix + topic] })
    const next = new Map(taken?.partitions.map((one) => [one.partition, offsetOf(one.offset)]))
    const lags = kept.map(({ partition, low, high }) => {
      const from = Math.max(offsetOf(low), next.get(partition) ?? 0)
      return Math.max(0, offsetOf(high) - from)
    })
    return lags.reduce((sum, lag) => sum + lag, 0)
  } finally {
    await admin.disconnect()
  }
}

async function assertNobodyReads(admin: Admin, groupId: string): Promise<void> {
  const { groups } = await admin.describeGroups([groupId])
  const members = groups[0]?.members.length ?? 0
  if (members > 0) {
    throw new Error(
      `group ${groupId} is read by ${members} members of other processes: stop them, then replay`,
    )
  }
}
