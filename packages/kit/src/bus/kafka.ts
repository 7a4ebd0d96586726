import type { Bus, Group, OnFailure } from './bus.ts'
import { type KafkaOptions, openClient } from './kafka/client.ts'
import { type KafkaSubscription, startConsumer } from './kafka/consumer.ts'
import { replayGroup } from './kafka/offsets.ts'
import { openPublisher } from './kafka/publisher.ts'

export type { KafkaOptions } from './kafka/client.ts'
export { createTopics } from './kafka/topics.ts'

export interface KafkaBusOptions extends KafkaOptions {
  /** Receives failures of handlers, of the database and of brokers. The bus recovers without further action. */
  onError: OnFailure
  /**
   * Milliseconds that the partitions of a dead member stay unassigned; a member that stops releases them at once. It is
   * also the time that readers wait when a cluster of one broker restarts.
   */
  sessionMs?: number
}

/**
 * Opens the bus of a cluster, on Kafka. Its topics must exist (`createTopics`). `replay` takes the members of this
 * process out of their group meanwhile, and fails if the group has other members.
 */
export function kafkaBus({ onError, sessionMs = 30_000, ...options }: KafkaBusOptions): Bus {
  const kafka = openClient(options)
  const { prefix = '' } = options
  const publisher = openPublisher(kafka, prefix)
  const consumers = new Map<KafkaSubscription, Pick<Group<never>, 'group' | 'topic'>>()
  return {
    relay: publisher.relay,
    subscribe: (subscriber) => {
      const consumer = startConsumer(kafka, { ...subscriber, onError }, { prefix, sessionMs })
      consumers.set(consumer, subscriber)
      const stop = () => {
        consumers.delete(consumer)
        return consumer.stop()
      }
      return { ...consumer, stop }
    },
    replay: async (group, offset) => {
      const members = [...consumers].filter(([, { group: name }]) => name === group.group)
      try {
        await Promise.all(members.map(([consumer]) => consumer.hold()))
        await replayGroup(kafka, group, { offset, prefix })
      } finally {
        for (const [consumer] of members) consumer.release()
      }
    },
    isAlive: () => [...consumers.keys()].every((consumer) => consumer.isAlive()),
    close: async () => {
      await Promise.all([...consumers.keys()].map((consumer) => consumer.stop()))
      await publisher.close()
    },
  }
}
