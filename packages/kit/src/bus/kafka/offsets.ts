import type { Kafka } from 'kafkajs'
import type { Group } from '../bus.ts'
import { offsetOf } from './message.ts'

/**
 * Messages that a group has not taken yet, in all partitions; those of a group that never read are all that are kept.
 *
 * @throws when the cluster does not answer
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
