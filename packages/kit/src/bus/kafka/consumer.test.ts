import type { Kafka } from 'kafkajs'
import type { Kysely } from 'kysely'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { startConsumer } from './consumer.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] })
})
afterEach(() => {
  vi.useRealTimers()
})

test.each([
  [6, 90],
  [30, 90],
  [300, 900],
])(
  'with a session timeout of %d s, a hanging member counts as dead after %d s',
  async (session, limit) => {
    const { kafka, end } = hangingKafka()
    const { isAlive, stop } = startConsumer(kafka, nobody, {
      prefix: '',
      sessionMs: session * 1000,
    })

    vi.advanceTimersByTime(limit * 1000 - 1)
    expect(isAlive()).toBe(true)
    vi.advanceTimersByTime(1)
    expect(isAlive()).toBe(false)

    const stopped = stop()
    end()
    await stopped
  },
)

const nobody = {
  group: 'nobody',
  topic: 'reticle.events.v1',
  db: {} as Kysely<object>,
  handle: async () => undefined,
  onError: () => undefined,
} as const

/** Simulates a cluster to which a connection neither succeeds nor fails before `end` is called. */
function hangingKafka() {
  let end = () => {}
  const connecting = new Promise<void>((_, reject) => {
    end = () => reject(new Error('the end'))
  })
  const disconnect = async () => undefined
  const consumer = () => ({
    events: {},
    on: () => undefined,
    connect: () => connecting,
    disconnect,
  })
  return { kafka: { consumer } as unknown as Kafka, end }
}
